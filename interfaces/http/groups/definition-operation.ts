/** What the operations of providers and of collections have in common, which is nearly all of their contract. Reference: api.md, "Definitions". */
import type { Schema } from "effect"
import { headers, json, nothing, refusals, refusedBodies, texts } from "./operation.ts"
import type { RequestCode } from "./request-codes.ts"

export interface Subject<A, I, LA, LI, Body extends RequestCode, ReadOnly extends RequestCode> {
  /** "provider" */
  readonly one: string
  readonly record: Schema.Schema<A, I>
  readonly list: Schema.Schema<LA, LI>
  /** codes of a body that is checked */
  readonly bodyCodes: ReadonlyArray<Body>
  /** code of a change of a built-in record */
  readonly readOnly: ReadOnly
}

const notModified = nothing(304, "nothing has changed", { headers: ["ETag", "Cache-Control"] })

/** answers, refusals, headers and texts by operation */
export const definitionOperations = <A, I, LA, LI, Body extends RequestCode, ReadOnly extends RequestCode>({
  one,
  record,
  list,
  bodyCodes,
  readOnly
}: Subject<A, I, LA, LI, Body, ReadOnly>) => {
  const changed = json(record, "the record after the change", { headers: ["ETag", "Warning"] })
  return {
    notModified,
    conditional: headers("If-None-Match", "X-Tenant"),
    guardedWrite: headers("If-Match", "X-Tenant"),
    changed,
    list: {
      success: json(list, `a page of ${one}s`, { headers: ["ETag", "Cache-Control", "Link"] }),
      notModified: nothing(304, "nothing has changed", { headers: ["ETag", "Cache-Control", "Link"] }),
      refused: refusals("query_parameter_invalid", "query_parameter_value_invalid"),
      texts: texts(`List ${one}s, built-in ones first, by name`)
    },
    create: {
      headers: headers("Idempotency-Key", "X-Tenant"),
      success: json(record, "the stored record", {
        status: 201,
        headers: ["Location", "ETag", "Warning", "Idempotent-Replayed"]
      }),
      refused: refusals(...refusedBodies, ...bodyCodes, "idempotency_key_invalid", "idempotency_key_reused"),
      texts: texts(`Create a ${one} of the tenant`)
    },
    get: {
      success: json(record, "the record", { headers: ["ETag", "Cache-Control"] }),
      refused: refusals("resource_not_found"),
      texts: texts(`Get a ${one}`)
    },
    replace: {
      refused: refusals(...refusedBodies, ...bodyCodes, "resource_not_found", readOnly, "precondition_failed"),
      texts: texts(
        `Replace a ${one} of the tenant`,
        "Replaces the whole body. The members `resource`, `status` and `results` of a record that was read before are ignored."
      )
    },
    patch: {
      refused: refusals(
        ...refusedBodies,
        ...bodyCodes,
        "resource_not_found",
        readOnly,
        "precondition_failed",
        "invalid_patch_operation",
        "unallowed_patch"
      ),
      texts: texts(
        `Change parts of a ${one} of the tenant`,
        "An array of operations (RFC 6902: add, remove, replace), or an object as merge patch (RFC 7396). All of it is applied, or nothing."
      )
    },
    remove: {
      success: nothing(204, "deleted"),
      refused: refusals("resource_not_found", readOnly, "precondition_failed"),
      texts: texts(`Delete a ${one} of the tenant`)
    }
  }
}
