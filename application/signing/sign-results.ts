/**
 * The record of a finished job with the roots over its samples, signed; and one sample of it with the proof that it was among them.
 * The same record, samples, gates and key give the same bytes. Reference: signing.md, "Statements", "One sample".
 */
import { Effect } from "effect"
import { resultStatement, type SealedGate, type SealedSamples } from "../../domain/attestation/statement.ts"
import type { Gate } from "../../domain/gate/gate.ts"
import { isTerminalJob } from "../../domain/job/job-state.ts"
import { comparedMembers } from "../../domain/sample/kept-document.ts"
import { canonicalJson } from "../../values/canonical-json.ts"
import { digestOf } from "../../values/digest.ts"
import type { Envelope } from "../../values/dsse.ts"
import type { JsonObject } from "../../values/json.ts"
import { growTree, hashBytes, type MerkleTree, pathOf, rootOf } from "../../values/merkle.ts"
import type { Caller } from "../access/caller.ts"
import { Conflict } from "../errors.ts"
import { DecisionStore } from "../ports/stores/decision-store.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { SampleStore, type SampleUnit } from "../ports/stores/sample-store.ts"
import { getSample } from "../samples/read-samples.ts"
import { Signer } from "./signer.ts"

const unavailable = (message: string) => new Conflict({ code: "signature_unavailable", message })

/** the tree and the leaves that it stands on */
const treeOf = (unit: SampleUnit, pause: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const digests = yield* (yield* SampleStore).digests(unit)
    const growing = growTree(digests, hashBytes)
    for (;;) {
      const { done, value } = growing.next()
      if (done === true) return { digests, tree: value }
      yield* pause
    }
  })

const gatesAtOnce = 100

const gatesOf = ({ tenant }: Caller, id: string) =>
  Effect.gen(function* () {
    const store = yield* DecisionStore
    const found: Array<SealedGate> = []
    for (;;) {
      const { items, total } = yield* store.ofJob(tenant, "gate", id, { limit: gatesAtOnce, offset: found.length })
      for (const item of items) {
        const { id: gate, policyDigest, outcome } = JSON.parse(item) as Gate
        found.push({ id: gate, policy_sha256: policyDigest, outcome })
      }
      if (items.length === 0 || found.length >= total) return found.reverse()
    }
  })

interface Wanted {
  readonly benchmark: number
  readonly digest: string
}

/** the signed record, and of the wanted sample its tree and place */
const signed = (caller: Caller, id: string, pause: Effect.Effect<void>, wanted?: Wanted) =>
  Effect.gen(function* () {
    const { seal } = yield* Signer
    if (seal === undefined)
      return yield* unavailable("nothing is signed here, because no key is configured; set signing.key")
    const store = yield* JobStore
    const { state, benchmarks } = yield* store.load(caller.tenant, id)
    if (!isTerminalJob(state)) return yield* unavailable(`job ${id} is ${state}; it is signed when it has ended`)
    const { json } = yield* store.render(caller.tenant, id)
    const samples: Array<SealedSamples> = []
    let place: { readonly tree: MerkleTree; readonly leaf: number } | undefined
    for (const { index } of benchmarks) {
      const { digests, tree } = yield* treeOf({ tenant: caller.tenant, jobId: id, index }, pause)
      samples.push({ benchmark_index: index, count: tree.size, root: rootOf(tree).toString("hex") })
      if (wanted?.benchmark === index) place = { tree, leaf: leafOf(digests, wanted.digest) }
    }
    const results = { job: JSON.parse(json) as JsonObject, samples, gates: yield* gatesOf(caller, id) }
    return { envelope: seal(canonicalJson(resultStatement(id, results))), place }
  })

/** -1: it is not there */
const leafOf = (digests: Uint8Array, digest: string): number => {
  const all = Buffer.from(digests.buffer, digests.byteOffset, digests.length)
  const wanted = Buffer.from(digest, "hex")
  // another digest may begin within one and end within the next
  for (let from = 0; ; ) {
    const found = all.indexOf(wanted, from)
    if (found < 0 || found % hashBytes === 0) return found < 0 ? -1 : found / hashBytes
    from = found + 1
  }
}

/** `pause` lets others in between the steps of a large tree */
export const signResults = (caller: Caller, id: string, pause: Effect.Effect<void>) =>
  Effect.map(signed(caller, id, pause), ({ envelope }): Envelope => envelope)

export interface Disclosure {
  readonly attestation: Envelope
  /** without the members that its digest does not cover */
  readonly sample: JsonObject
  readonly proof: {
    readonly benchmark_index: number
    readonly leaf_index: number
    readonly tree_size: number
    /** base64 of the audit path */
    readonly path: string
  }
}

export const discloseSample = (
  caller: Caller,
  { jobId, index }: Omit<SampleUnit, "tenant">,
  key: Parameters<typeof getSample>[1],
  pause: Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const { text, sample: stored } = yield* getSample({ tenant: caller.tenant, jobId, index }, key)
    const sample = comparedMembers(JSON.parse(text) as JsonObject)
    if (digestOf(sample) !== stored.digest)
      return yield* unavailable(
        "the record was not kept as it was sent: a text was too long, or samples.content is hash; its digest can be shown by nobody who has only what is kept"
      )
    const { envelope, place } = yield* signed(caller, jobId, pause, { benchmark: index, digest: stored.digest })
    if (place === undefined || place.leaf < 0)
      return yield* unavailable("the samples changed while they were read; try again")
    const disclosure: Disclosure = {
      attestation: envelope,
      sample,
      proof: {
        benchmark_index: index,
        leaf_index: place.leaf,
        tree_size: place.tree.size,
        path: pathOf(place.tree, place.leaf).toString("base64")
      }
    }
    return disclosure
  })
