/** What the document says about the routes of providers and of collections, which is the same but for a few words. */
import type { RequestCode } from "../../../domain/job/message-codes.ts"
import { documented } from "./documented.ts"

export interface Subject {
  /** "provider" */
  readonly one: string
  /** component of a record; its list is `<record>List` */
  readonly record: string
  /** codes of a body that is checked */
  readonly bodyCodes: ReadonlyArray<RequestCode>
  /** code of a change of a built-in record */
  readonly readOnly: RequestCode
  /** further codes of a deletion */
  readonly removalCodes: ReadonlyArray<RequestCode>
  readonly example: object
}

const notModified = { 304: "nothing has changed" }

export const definitionTexts = ({ one, record, bodyCodes, readOnly, removalCodes, example }: Subject) => ({
  list: documented({
    summary: `List ${one}s, built-in ones first, by name`,
    answers: { 200: [`a page of ${one}s`, `${record}List`] },
    codes: ["query_parameter_invalid", "query_parameter_value_invalid"],
    requestHeaders: ["If-None-Match"],
    headers: ["ETag", "Link"],
    statuses: notModified
  }),
  create: documented({
    summary: `Create a ${one} of the tenant`,
    answers: { 201: ["the stored record", record] },
    body: ["application/json"],
    codes: [...bodyCodes, "idempotency_key_invalid", "idempotency_key_reused"],
    requestHeaders: ["Idempotency-Key"],
    headers: ["Location", "ETag", "Warning", "Idempotent-Replayed"],
    example
  }),
  get: documented({
    summary: `Get a ${one}`,
    answers: { 200: ["the record", record] },
    codes: ["resource_not_found"],
    requestHeaders: ["If-None-Match"],
    headers: ["ETag"],
    statuses: notModified
  }),
  replace: documented({
    summary: `Replace a ${one} of the tenant`,
    answers: { 200: ["the record after the change", record] },
    description: "Replaces the whole body. The member `resource` of a record that was read before is ignored.",
    body: ["application/json"],
    codes: [...bodyCodes, "resource_not_found", readOnly, "precondition_failed"],
    requestHeaders: ["If-Match"],
    headers: ["ETag", "Warning"],
    example
  }),
  patch: documented({
    summary: `Change parts of a ${one} of the tenant`,
    answers: { 200: ["the record after the change", record] },
    description: "An array of operations (RFC 6902: add, remove, replace), or an object as merge patch (RFC 7396). All of it is applied, or nothing.",
    body: ["application/json", "application/json-patch+json", "application/merge-patch+json"],
    codes: [...bodyCodes, "resource_not_found", readOnly, "precondition_failed", "invalid_patch_operation", "unallowed_patch"],
    requestHeaders: ["If-Match"],
    headers: ["ETag"],
    example: [{ op: "replace", path: "/description", value: "new text" }]
  }),
  remove: documented({
    summary: `Delete a ${one} of the tenant`,
    answers: { 204: ["deleted"] },
    codes: ["resource_not_found", readOnly, "precondition_failed", ...removalCodes],
    requestHeaders: ["If-Match"]
  })
})
