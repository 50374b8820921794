/** Which definitions are there. */
import { flag, oneOf } from "./kinds.ts"

export const catalog = {
  "catalog.shipped": flag(
    true,
    "the definitions that came with the program are there; files of the configuration directory with the same id replace them"
  ),
  "catalog.on_error": oneOf(
    ["refuse", "skip"],
    "refuse",
    "refuse: a bad definition file stops the start; skip: it is left out and shown in readiness"
  )
} as const
