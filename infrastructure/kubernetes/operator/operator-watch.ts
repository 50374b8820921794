/** What can be asked about a running operator: whether it is well, and figures for Prometheus. */
import { Clock, Effect } from "effect"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { Resource } from "../client/resources.ts"
import type { ObjectCache } from "../controller/object-cache.ts"
import type { Outcome } from "../controller/work-queue.ts"
import type { Operator } from "./operator-context.ts"

/** what is looked at of an operator that runs */
export interface Watched extends Pick<Operator, "memories"> {
  readonly queue: Pick<Operator["queue"], "longestAt" | "depth" | "waiting" | "retries">
  readonly sight: { readonly caches: () => ReadonlyArray<Pick<ObjectCache, "heardAt" | "restarts">> }
  readonly options: Pick<Operator["options"], "resyncSeconds">
}

export interface OperatorWatch {
  readonly began: (operator: Watched) => void
  readonly ended: () => void
  readonly wrote: (resource: Resource, outcome: string) => void
  readonly timed: (kind: "instance" | "tenant", pass: Effect.Effect<Outcome>) => Effect.Effect<Outcome>
  /** why it is not well; undefined: it is */
  readonly sickness: Effect.Effect<string | undefined>
  /** text of the exposition format */
  readonly figures: (isLeader: boolean) => Effect.Effect<string>
}

/** a worker that has been at one key, or a watch that has been silent, for longer is stuck */
const stuckMillis = 600_000
/** the longest that a healthy watch and its list can be silent */
const silentMillis = 600_000 + 330_000

interface Passes {
  count: number
  failed: number
  millis: number
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

const lines = (
  name: string,
  type: "counter" | "gauge",
  help: string,
  values: ReadonlyArray<readonly [string, number]>
) => [
  `# HELP evald_operator_${name} ${help}`,
  `# TYPE evald_operator_${name} ${type}`,
  ...values.map(([labels, value]) => `evald_operator_${name}${labels === "" ? "" : `{${labels}}`} ${value}`)
]

const tenantStates = (operator: Pick<Operator, "memories">): ReadonlyArray<readonly [string, number]> => {
  const all = [...operator.memories().values()].flatMap(({ outcomes }) => [...outcomes.values()])
  const failed = all.filter(({ failure }) => failure !== undefined).length
  return [
    ['state="ready"', all.length - failed],
    ['state="failed"', failed]
  ]
}

/** seconds since 1970 at which certificates that the operator issued end */
const certificateEnds = (operator: Pick<Operator, "memories">): ReadonlyArray<readonly [string, number]> =>
  [...operator.memories()].flatMap(([id, { certificateEnds: ends }]) => {
    // names of resources and namespaces hold no slash
    const [namespace, name] = id.split("/", 2)
    return ends === undefined ? [] : [[`namespace="${namespace}",name="${name}"`, ends / 1000] as const]
  })

const instanceLines = (operator: Pick<Operator, "memories">) => [
  ...lines("tenants", "gauge", "namespaces by state, over all instances", tenantStates(operator)),
  ...lines(
    "certificate_expiry_timestamp_seconds",
    "gauge",
    "end of a certificate that the operator issued",
    certificateEnds(operator)
  )
]

export const makeOperatorWatch = (): OperatorWatch => {
  let running: Watched | undefined
  const writes = new Map<string, number>()
  const passes = { instance: { count: 0, failed: 0, millis: 0 }, tenant: { count: 0, failed: 0, millis: 0 } }
  const figuresOf = (pick: (one: Passes) => number) =>
    (["instance", "tenant"] as const).map((kind) => [`kind="${kind}"`, pick(passes[kind])] as const)
  return {
    began: (operator) => {
      running = operator
    },
    ended: () => {
      running = undefined
    },
    wrote: ({ plural }, outcome) => {
      const labels = `kind="${plural}",result="${outcome}"`
      writes.set(labels, (writes.get(labels) ?? 0) + 1)
    },
    timed: (kind, pass) =>
      Effect.gen(function* () {
        const start = yield* steadyMillis
        const outcome = yield* pass
        passes[kind].count += 1
        passes[kind].millis += (yield* steadyMillis) - start
        if (outcome._tag !== "Done") passes[kind].failed += 1
        return outcome
      }),
    sickness: Effect.map(steadyMillis, (now) => {
      if (running === undefined) return undefined
      if (running.queue.longestAt(now) > stuckMillis) return "a worker has been at one key for more than ten minutes"
      const limit = silentMillis + running.options.resyncSeconds * 1000
      const silent = running.sight.caches().filter((cache) => now - cache.heardAt() > limit)
      return silent.length === 0 ? undefined : `${silent.length} watches are silent`
    }),
    figures: (isLeader) =>
      Effect.map(Clock.currentTimeMillis, () =>
        [
          ...lines("leader", "gauge", "1 where this process leads", [["", isLeader ? 1 : 0]]),
          ...lines(
            "reconcile_total",
            "counter",
            "passes",
            figuresOf(({ count }) => count)
          ),
          ...lines(
            "reconcile_errors_total",
            "counter",
            "passes that are to be repeated",
            figuresOf(({ failed }) => failed)
          ),
          ...lines(
            "reconcile_seconds_total",
            "counter",
            "time of passes",
            figuresOf(({ millis }) => millis / 1000)
          ),
          ...lines("writes_total", "counter", "writes to the cluster", [...writes]),
          ...(running === undefined
            ? []
            : [
                ...lines("queue_depth", "gauge", "keys that could be worked on", [["", running.queue.depth()]]),
                ...lines("queue_waiting", "gauge", "keys that wait for their time", [["", running.queue.waiting()]]),
                ...lines("retries_total", "counter", "keys that came back after a failure", [
                  ["", running.queue.retries()]
                ]),
                ...lines("watch_restarts_total", "counter", "watches that ended or broke", [
                  ["", sum(running.sight.caches().map((cache) => cache.restarts()))]
                ]),
                ...instanceLines(running)
              ])
        ]
          .join("\n")
          .concat("\n")
      )
  }
}
