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
import type { JsonObject } from "../../values/json.ts"
import type { Envelope } from "../../values/signing/dsse.ts"
import type { Caller } from "../access/caller.ts"
import { Conflict } from "../errors.ts"
import { type DigestTree, Signer } from "../ports/signer.ts"
import { DecisionStore } from "../ports/stores/decision-store.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { SampleStore, type SampleUnit } from "../ports/stores/sample-store.ts"
import { getSample } from "../samples/read-samples.ts"

const unavailable = (message: string) => new Conflict({ code: "signature_unavailable", message })

const configured = Effect.flatMap(Signer, ({ signing }) =>
  signing === undefined
    ? unavailable("nothing is signed here, because no key is configured; set signing.key")
    : Effect.succeed(signing)
)

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

/** the signed record, and the trees that it names by benchmark */
const signed = (caller: Caller, id: string, pause: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const { state, benchmarks } = yield* store.load(caller.tenant, id)
    const { seal, digest, tree: grow } = yield* configured
    if (!isTerminalJob(state)) return yield* unavailable(`job ${id} is ${state}; it is signed when it has ended`)
    const { json } = yield* store.render(caller.tenant, id)
    const samples: Array<SealedSamples> = []
    const trees = new Map<number, DigestTree>()
    for (const { index } of benchmarks) {
      const tree = yield* grow(yield* (yield* SampleStore).digests({ tenant: caller.tenant, jobId: id, index }), pause)
      samples.push({ benchmark_index: index, count: tree.size, root: tree.root })
      trees.set(index, tree)
    }
    const job = JSON.parse(json) as JsonObject
    const statement = resultStatement(id, { job, samples, gates: yield* gatesOf(caller, id) }, digest(job))
    return { envelope: seal(canonicalJson(statement)), trees }
  })

/** `pause` lets others in between the steps of a large tree */
export const signResults = (caller: Caller, id: string, pause: Effect.Effect<void>) =>
  Effect.map(signed(caller, id, pause), ({ envelope }): Envelope => envelope)

interface Disclosure {
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
    const { digest } = yield* configured
    const sample = comparedMembers(JSON.parse(text) as JsonObject)
    if (digest(sample) !== stored.digest)
      return yield* unavailable(
        "the record was not kept as it was sent: a text was too long, or samples.content is hash; nobody who has only what is kept can show its digest"
      )
    const { envelope, trees } = yield* signed(caller, jobId, pause)
    const tree = trees.get(index)
    const place = tree?.find(stored.digest)
    if (tree === undefined || place === undefined)
      return yield* unavailable("the samples changed while they were read; try again")
    const disclosure: Disclosure = {
      attestation: envelope,
      sample,
      proof: { benchmark_index: index, leaf_index: place.leaf, tree_size: tree.size, path: place.path }
    }
    return disclosure
  })
