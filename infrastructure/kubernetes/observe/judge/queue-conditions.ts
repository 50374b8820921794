/** Why a queue does not admit a suspended Job, from its Workload object. Reference: cluster-objects.md, "Queue". */
import { Effect } from "effect"
import { isObject, type JsonObject } from "../../../../values/json.ts"
import type { KubeClient } from "../../client/client.ts"
import { cleanMessage, type KubeError } from "../../client/kube-error.ts"
import type { KubeObject } from "../../client/resources.ts"
import type { ReducedJob } from "./reduce.ts"
import type { ClusterNote, QueueNote } from "./sight.ts"

/** an administrator must act; every other reason may pass by itself */
const inadmissible: ReadonlyArray<string> = [
  "Inadmissible",
  "Misconfigured",
  "NoMatchingFlavor",
  "ExceedsMaxQuota",
  "Suspended",
  "TopologyPlacementFailed"
]
const maxText = 512
const workloadPatienceMillis = 60_000

const conditionsOf = (workload: KubeObject): ReadonlyArray<JsonObject> => {
  const status = workload["status"]
  const conditions = isObject(status) ? status["conditions"] : undefined
  return Array.isArray(conditions) ? conditions.filter(isObject) : []
}
const textOf = (condition: JsonObject, name: string): string => {
  const value = condition[name]
  return typeof value === "string" ? cleanMessage(value) : ""
}

/** pure; `workload` undefined: the queue system has made none for this Job; undefined: admitted */
export const queueNote = (
  queue: string,
  workload: KubeObject | undefined,
  waitedMillis: number,
  notes: ReadonlyArray<ClusterNote>
): QueueNote | undefined => {
  const say = (code: QueueNote["code"], text: string): QueueNote => ({
    code,
    message: `queue ${queue}: ${text}`.slice(0, maxText)
  })
  if (workload === undefined) {
    if (waitedMillis < workloadPatienceMillis)
      return say("unschedulable", "the Job waits to be seen by its queue system")
    const told = notes.at(-1)?.message ?? "does it exist in this namespace?"
    return say("queue_inadmissible", `no Workload was made for the Job; ${told}`)
  }
  const conditions = conditionsOf(workload)
  const isTrue = (type: string) =>
    conditions.some((condition) => condition["type"] === type && condition["status"] === "True")
  if (isTrue("Admitted")) return undefined
  const reserved = conditions.find(
    (condition) => condition["type"] === "QuotaReserved" && condition["status"] === "False"
  )
  const evicted = conditions.find((condition) => condition["type"] === "Evicted" && condition["status"] === "True")
  const told = reserved ?? evicted
  if (told === undefined) return say("unschedulable", "the Job waits for admission")
  const reason = textOf(told, "reason")
  const message = textOf(told, "message")
  return say(inadmissible.includes(reason) ? "queue_inadmissible" : "unschedulable", message === "" ? reason : message)
}

/** the newest version of the queue's API that the cluster serves; undefined: not installed */
export const servedVersion = (
  client: KubeClient["Type"],
  group: string
): Effect.Effect<string | undefined, KubeError> =>
  Effect.map(client.send({ method: "GET", path: `/apis/${group}` }, "observe"), (answer) => {
    const preferred = isObject(answer) ? answer["preferredVersion"] : undefined
    const version = isObject(preferred) ? preferred["version"] : undefined
    return typeof version === "string" ? version : undefined
  })

/** asks the cluster; a queue system that is not there or may not be read can only be waited for */
export const queueOf = (
  client: KubeClient["Type"],
  queueDomain: string,
  job: ReducedJob,
  waitedMillis: number,
  notes: Effect.Effect<ReadonlyArray<ClusterNote>, KubeError>
): Effect.Effect<QueueNote | undefined, KubeError> => {
  const queue = job.queue ?? ""
  const unreadable: QueueNote = {
    code: "unschedulable",
    message: `queue ${queue}: the Job waits for admission; its queue system can not be asked why`
  }
  return Effect.gen(function* () {
    const version = yield* servedVersion(client, queueDomain)
    if (version === undefined) return unreadable
    const { items } = yield* client.list({
      resource: { group: queueDomain, version, plural: "workloads", kind: "Workload" },
      namespace: job.namespace,
      lane: "observe",
      labelSelector: `${queueDomain}/job-uid=${job.uid}`
    })
    const workload = items[0]
    const told = workload === undefined && waitedMillis >= workloadPatienceMillis ? yield* notes : []
    return queueNote(queue, workload, waitedMillis, told)
  }).pipe(
    Effect.catchIf(
      (error) => error.class === "not_found" || error.class === "forbidden",
      () => Effect.succeed(unreadable)
    )
  )
}
