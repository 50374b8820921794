/** The text of a problem as a caller of the API reads it: with the request that lists what exists. Reference: errors.md, "Error body". */
import { wireSentence } from "../../config/wire-names.ts"
import type { LookUp, Violation } from "../../domain/violation.ts"

const root = "/api/v1/evaluations"

const listing = (lookUp: LookUp): string => {
  switch (lookUp._tag) {
    case "Providers":
      return `GET ${root}/providers lists those that do`
    case "Collections":
      return `GET ${root}/collections lists those that do`
    case "Benchmarks":
      return `GET ${root}/providers/${encodeURIComponent(lookUp.provider)} lists its ${lookUp.count}`
  }
}

export const problemText = ({ message, lookUp }: Pick<Violation, "message" | "lookUp">): string => {
  const text = wireSentence(message)
  return lookUp === undefined ? text : `${text}${text.endsWith("?") ? "" : ";"} ${listing(lookUp)}`
}
