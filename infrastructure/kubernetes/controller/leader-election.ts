/**
 * One of several processes works at a time: the one that holds a Lease. Nobody trusts anybody's clock: a Lease has run out when it has not
 * changed for its own duration by the steady clock of whoever looks. A holder that can not renew stops before another may begin.
 */
import { type Cause, Clock, Data, Effect, Fiber, type Scope } from "effect"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { KubeClient } from "../client/client.ts"
import type { KubeError } from "../client/kube-error.ts"
import { type KubeObject, pathOf, type Resource } from "../client/resources.ts"

const leases: Resource = { group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease" }

export interface LeaseOptions {
  readonly client: KubeClient["Type"]
  readonly namespace: string
  readonly name: string
  /** of this process and no other, also after a restart */
  readonly holder: string
  /** others may take a Lease that has not changed for so long */
  readonly durationSeconds: number
  /** a holder that has not renewed for so long stops; less than the duration */
  readonly renewSeconds: number
  /** pause between two looks or renewals */
  readonly retrySeconds: number
}

/** this process is no longer the one that may work */
export class LeadershipLost extends Data.TaggedError("LeadershipLost")<{ readonly message: string }> {}

export interface Leadership {
  readonly isLeader: () => boolean
  /** leads as soon as nobody else does, and runs `work` until the lead is lost or the work ends; releases the Lease afterwards */
  readonly lead: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | LeadershipLost, R>
}

interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
}

/** the cluster decides its types */
const specOf = (lease: KubeObject): LeaseSpec => (lease["spec"] ?? {}) as LeaseSpec

/** times of a Lease have microseconds */
const microTime = (millis: number): string => `${new Date(millis).toISOString().slice(0, -1)}000Z`

interface Seen {
  readonly version: string
  readonly at: number
}

/** the Lease as it is read and written */
const recordsOf = ({ client, namespace, name, holder, durationSeconds }: LeaseOptions) => {
  const target = { resource: leases, namespace, name, lane: "review" } as const
  let seen: Seen | undefined
  const recordOf = (found: KubeObject | undefined, changes: LeaseSpec) => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name,
      namespace,
      ...(found === undefined ? {} : { resourceVersion: found.metadata.resourceVersion, uid: found.metadata.uid })
    },
    spec: { ...(found === undefined ? {} : specOf(found)), ...changes }
  })
  const write = (found: KubeObject | undefined, changes: LeaseSpec): Effect.Effect<void, KubeError> =>
    found === undefined
      ? Effect.asVoid(client.create({ resource: leases, namespace, lane: "review" }, recordOf(found, changes)))
      : Effect.asVoid(
          client.send(
            { method: "PUT", path: pathOf(leases, namespace, name), body: recordOf(found, changes) },
            "review"
          )
        )
  const read = Effect.catchIf(
    client.get(target),
    (error) => error.class === "not_found",
    () => Effect.succeed(undefined)
  )
  /** may this process hold what it found? */
  const isFree = (found: KubeObject, at: number): boolean => {
    const { holderIdentity = "", leaseDurationSeconds = durationSeconds } = specOf(found)
    const version = found.metadata.resourceVersion ?? ""
    if (seen?.version !== version) seen = { version, at }
    return holderIdentity === "" || holderIdentity === holder || at - seen.at >= leaseDurationSeconds * 1000
  }
  return { read, write, isFree }
}

/** that somebody was faster is no news */
const told = ({ namespace, name }: LeaseOptions, error: KubeError | Cause.TimeoutException): Effect.Effect<void> =>
  error._tag === "KubeError" && error.class === "conflict"
    ? Effect.void
    : Effect.logWarning(`the Lease ${namespace}/${name} can not be had: ${error.message}`)

export const makeLeadership = (options: LeaseOptions): Effect.Effect<Leadership, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { namespace, name, holder, durationSeconds, renewSeconds, retrySeconds } = options
    const clock = yield* Effect.clock
    const now = () => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
    const { read, write, isFree } = recordsOf(options)
    /** when the last renewal that succeeded was asked for */
    let renewedAt: number | undefined

    /** one look: holds afterwards, or does not */
    const attempt: Effect.Effect<boolean, KubeError> = Effect.gen(function* () {
      const askedAt = yield* steadyMillis
      const found = yield* read
      if (found !== undefined && !isFree(found, yield* steadyMillis)) return false
      const { holderIdentity, acquireTime, leaseTransitions = 0 } = found === undefined ? {} : specOf(found)
      const time = microTime(yield* Clock.currentTimeMillis)
      const isOwn = holderIdentity === holder
      yield* write(found, {
        holderIdentity: holder,
        leaseDurationSeconds: durationSeconds,
        renewTime: time,
        acquireTime: isOwn ? (acquireTime ?? time) : time,
        leaseTransitions: found === undefined || isOwn ? leaseTransitions : leaseTransitions + 1
      })
      renewedAt = askedAt
      return true
    })
    const look = attempt.pipe(
      Effect.timeout(renewSeconds * 1000),
      Effect.catchAll((error) => Effect.as(told(options, error), undefined))
    )
    const acquire: Effect.Effect<void> = Effect.flatMap(look, (held) =>
      held === true ? Effect.void : Effect.zipRight(Effect.sleep(retrySeconds * 1000), acquire)
    )
    const isLeader = () => renewedAt !== undefined && now() - renewedAt < renewSeconds * 1000
    const lost = (message: string) => {
      renewedAt = undefined
      return Effect.fail(new LeadershipLost({ message: `the Lease ${namespace}/${name} is lost: ${message}` }))
    }
    /** ends when this process must not work any more */
    const hold: Effect.Effect<never, LeadershipLost> = Effect.gen(function* () {
      for (;;) {
        yield* Effect.sleep(retrySeconds * 1000)
        // a process that slept through it, as a paused one does, must not renew: another may work by now
        if (!isLeader()) return yield* lost(`it was not renewed for ${renewSeconds} s`)
        const held = yield* Effect.raceFirst(look, untilTooOld)
        if (held === false) return yield* lost("somebody else holds it")
        if (!isLeader()) return yield* lost(`it was not renewed for ${renewSeconds} s`)
      }
    })
    const untilTooOld: Effect.Effect<undefined> = Effect.suspend(() =>
      Effect.as(Effect.sleep(Math.max(0, (renewedAt ?? 0) + renewSeconds * 1000 - now())), undefined)
    )
    /** the next one need not wait */
    const release = Effect.suspend(() => {
      if (renewedAt === undefined) return Effect.void
      renewedAt = undefined
      const given = Effect.flatMap(read, (found) =>
        found === undefined || specOf(found).holderIdentity !== holder
          ? Effect.void
          : write(found, { holderIdentity: "", leaseDurationSeconds: 1 })
      )
      return Effect.ignore(Effect.timeout(Effect.interruptible(given), "5 seconds"))
    })
    return {
      isLeader,
      lead: (work) =>
        Effect.gen(function* () {
          yield* acquire
          yield* Effect.logInfo(`${holder} leads now`)
          const working = yield* Effect.fork(work)
          const ended = Effect.raceFirst(hold, Fiber.join(working))
          return yield* Effect.ensuring(ended, Fiber.interrupt(working))
        }).pipe(Effect.ensuring(release))
    }
  })

const notLeading = "this process does not lead and writes nothing"

/** a client that writes only while the process leads: what a paused process had in mind is not done when it goes on */
export const fenced = (client: KubeClient["Type"], isLeader: () => boolean): KubeClient["Type"] => {
  const guard = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => (isLeader() ? effect : Effect.zipRight(Effect.logWarning(notLeading), Effect.never)))
  return {
    ...client,
    send: (exchange, lane) =>
      exchange.method === "GET" ? client.send(exchange, lane) : guard(client.send(exchange, lane)),
    create: (target, object) => guard(client.create(target, object)),
    mergePatch: (target, patch) => guard(client.mergePatch(target, patch)),
    remove: (target, options) => guard(client.remove(target, options))
  }
}
