/** What PATCH handlers share. */
import { Invalid } from "../../../application/errors.ts"
import { type Violation, violation } from "../../../domain/violation.ts"

export const patchTypes = ["application/json", "application/json-patch+json", "application/merge-patch+json"]

export const invalid = ([first, ...rest]: ReadonlyArray<Violation>): Invalid =>
  new Invalid({ violations: [first ?? violation("", "the patch is not valid", "invalid_patch_operation"), ...rest] })
