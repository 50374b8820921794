/** Body of a PATCH: what is published, and how it is read under the policy of a kind of record. Reference: api.md, "Definitions". */
import { Either, Schema } from "effect"
import { Invalid } from "../../../application/errors.ts"
import { maxOperations, type Patch, type PatchPolicy, readPatch } from "../../../domain/patch/patch-policy.ts"
import { type Violation, violation } from "../../../domain/violation.ts"
import type { BodyReader } from "./decode.ts"
import { given, listOf, text } from "./shapes.ts"

/** both forms of a patch, with what the policy allows */
export const patchBody = ({ members }: PatchPolicy, identifier: string) => {
  const path = text("JSON Pointer (RFC 6901)", { pattern: `^/(${members.join("|")})(/.*)?$` })
  const Operation = Schema.Union(
    Schema.Struct({ op: Schema.Literal("add", "replace"), path, value: Schema.Unknown }),
    Schema.Struct({ op: Schema.Literal("remove"), path, value: given(Schema.Unknown) })
  )
  const Merge = Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "merge patch (RFC 7396)",
    jsonSchema: { propertyNames: { enum: members } }
  })
  return Schema.Union(listOf(Operation, { maxItems: maxOperations }), Merge).annotations({ identifier })
}

export const patchMediaTypes = [
  "application/json",
  "application/json-patch+json",
  "application/merge-patch+json"
] as const

export const invalidPatch = ([first, ...rest]: ReadonlyArray<Violation>): Invalid =>
  new Invalid({ violations: [first ?? violation([], "the patch is not valid", "invalid_patch_operation"), ...rest] })

export const patchReader =
  (policy: PatchPolicy): BodyReader<Patch> =>
  (document) =>
    Either.mapBoth(readPatch(document, policy), { onLeft: invalidPatch, onRight: (value) => ({ value, ignored: [] }) })
