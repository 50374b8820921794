/**
 * The operator: turns each `EvaluationService` into a running service and labelled namespaces into its tenants, on the one of its replicas
 * that leads.
 */
import { Effect, Ref, type Scope } from "effect"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { KubeClient } from "../client/client.ts"
import { makeApplier } from "../controller/applier.ts"
import { makeWorkQueue } from "../controller/work-queue.ts"
import { fieldManager } from "../manifests/managed.ts"
import { type Authorities, readAuthorities } from "./authority.ts"
import { makeEventRecorder } from "./event-recorder.ts"
import { instancePass } from "./instance-pass.ts"
import { type Key, keyRules } from "./keys.ts"
import { makeMemories, type Operator, type OperatorOptions, ownership } from "./operator-context.ts"
import type { OperatorWatch } from "./operator-watch.ts"
import { makeSight } from "./sight.ts"
import { tenantPass } from "./tenant-pass.ts"

/** `client` must write only while this process leads */
const makeOperator = (
  client: KubeClient["Type"],
  options: OperatorOptions,
  watch: OperatorWatch
): Effect.Effect<Operator, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { platform, resyncSeconds } = options
    const queue = yield* makeWorkQueue<Key>(keyRules)
    const sight = yield* makeSight({ client, platform, resyncMillis: resyncSeconds * 1000, enqueue: queue.add })
    // one reader at a time: the first of several passes makes what the others use
    const turn = yield* Effect.makeSemaphore(1)
    const known = yield* Ref.make<{ readonly at: number; readonly found: Authorities } | undefined>(undefined)
    const authorities = turn.withPermits(1)(
      Effect.gen(function* () {
        const [last, now] = [yield* Ref.get(known), yield* steadyMillis]
        // passes of one resync come within a tenth of its time
        if (last !== undefined && now - last.at < resyncSeconds * 500) return last.found
        const found = yield* readAuthorities(client, platform.namespace)
        yield* Ref.set(known, { at: now, found })
        return found
      })
    )
    const applier = makeApplier({
      client,
      fieldManager,
      ownership: ownership(platform.domain),
      known: sight.find,
      wrote: watch.wrote
    })
    return { client, options, sight, queue, applier, authorities, events: makeEventRecorder(client), ...makeMemories() }
  })

const work = (operator: Operator, watch: OperatorWatch) => (key: Key) =>
  watch.timed(
    key.tenant === undefined ? "instance" : "tenant",
    key.tenant === undefined ? instancePass(operator, key) : tenantPass(operator, key)
  )

/** sees all there is, then works until interrupted; what was left behind by instances that are gone is found first */
export const runOperator = (
  client: KubeClient["Type"],
  options: OperatorOptions,
  watch: OperatorWatch
): Effect.Effect<never> =>
  Effect.scoped(
    Effect.gen(function* () {
      const operator = yield* makeOperator(client, options, watch)
      const { sight, queue } = operator
      watch.began(operator)
      yield* sight.synced
      yield* Effect.logInfo(
        `${sight.instances().length} instances and ${sight.labelled().length} labelled namespaces are seen`
      )
      for (const object of sight.instances()) {
        const { name, namespace = "" } = object.metadata
        queue.add({ instance: { name, namespace } })
      }
      for (const instance of sight.owners()) queue.add({ instance })
      return yield* queue.run(options.workers, work(operator, watch))
    }).pipe(Effect.ensuring(Effect.sync(watch.ended)))
  )
