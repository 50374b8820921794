/** What is signed: an in-toto statement about the record of a job, or about an image. Reference: signing.md, "Statements". */
import type { JsonObject } from "../../values/json.ts"

export const statementKind = "https://in-toto.io/Statement/v1"
export const resultKind = "urn:evald:result:1"
export const imageKind = "urn:evald:image:1"

/** the Merkle tree over the digests of a benchmark's records, in the order of the bytes of (`sample_id`, `task`, `repeat`) */
export interface SealedSamples {
  readonly benchmark_index: number
  readonly count: number
  /** hex */
  readonly root: string
}

export interface SealedGate {
  readonly id: string
  readonly policy_sha256: string
  readonly outcome: string
}

export interface Results {
  /** as the API answers it */
  readonly job: JsonObject
  readonly samples: ReadonlyArray<SealedSamples>
  /** oldest first */
  readonly gates: ReadonlyArray<SealedGate>
}

interface Statement<Predicate> {
  readonly _type: typeof statementKind
  readonly subject: readonly [{ readonly name: string; readonly digest: { readonly sha256: string } }]
  readonly predicateType: string
  readonly predicate: Predicate
}

const statement = <Predicate>(
  name: string,
  sha256: string,
  predicateType: string,
  predicate: Predicate
): Statement<Predicate> => ({
  _type: statementKind,
  subject: [{ name, digest: { sha256 } }],
  predicateType,
  predicate
})

/** `digest`: SHA-256 (hex) of the canonical JSON of the record */
export const resultStatement = (id: string, results: Results, digest: string): Statement<Results> =>
  statement(`job/${id}`, digest, resultKind, results)

/** `digest`: of the index, 64 hex digits */
export const imageStatement = (name: string, digest: string): Statement<JsonObject> =>
  statement(name, digest, imageKind, {})
