/** Which definitions are there. */
import { flag, oneOf, optionalText } from "./kinds.ts"

export const catalog = {
  "catalog.shipped": flag(
    true,
    "the definitions that came with the program are there; files of the configuration directory with the same id replace them"
  ),
  "catalog.on_error": oneOf(
    ["refuse", "skip"],
    "refuse",
    "refuse: a bad definition file stops the start; skip: it is left out and shown in readiness"
  ),
  "catalog.tenant_definitions_dir": optionalText(
    "folder of definitions that tenants bring, `<tenant>.<provider or collection>.<name>.yaml`; read again when it changes"
  )
} as const
