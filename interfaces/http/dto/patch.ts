/** Body of a PATCH: what is published, and how it is read under the policy of a kind of record. Reference: api.md, "Definitions". */
import { Either, Schema } from "effect"
import { Invalid } from "../../../application/errors.ts"
import { type Patch, type PatchPolicy, readPatch } from "../../../domain/patch/patch-policy.ts"
import { type Violation, violation } from "../../../domain/violation.ts"
import type { BodyReader } from "./decode.ts"
import { FreeForm, given, text } from "./shapes.ts"

const PatchOperation = Schema.Struct({
  op: Schema.Literal("add", "remove", "replace"),
  path: text("JSON Pointer (RFC 6901)"),
  value: given(Schema.Unknown)
}).annotations({ identifier: "PatchOperation" })

export const PatchBody = Schema.Union(Schema.Array(PatchOperation), FreeForm).annotations({ identifier: "PatchBody" })

export const patchMediaTypes = ["application/json", "application/json-patch+json", "application/merge-patch+json"] as const

export const invalidPatch = ([first, ...rest]: ReadonlyArray<Violation>): Invalid =>
  new Invalid({ violations: [first ?? violation("", "the patch is not valid", "invalid_patch_operation"), ...rest] })

export const patchReader =
  (policy: PatchPolicy): BodyReader<Patch> =>
  (document) =>
    Either.mapBoth(readPatch(document, policy), { onLeft: invalidPatch, onRight: (value) => ({ value, ignored: [] }) })
