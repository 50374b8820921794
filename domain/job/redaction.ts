/** Values of parameters that look like credentials never leave through the API (adapter-contract.md, "Events"). Adapters still get them. */
import { secretMember } from "../../values/json.ts"
import type { FreeForm } from "../free-form.ts"

const redacted = "[redacted]"

const hide = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(hide)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, secretMember.test(name) ? redacted : hide(inner)])
  )
}

/** nested objects and lists included; members keep their names */
export const redactParameters = <A extends FreeForm | undefined>(parameters: A): A => hide(parameters) as A
