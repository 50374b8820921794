/** Rules for what came to its end: the Job, its pod or one of the containers. Reference: cluster-objects.md, "Observing". */

import { defined } from "../../../../values/defined.ts"
import { parseJson, textMember } from "../../../../values/json.ts"
import { signalNames } from "../../../unit/signal-names.ts"
import type { Terminated } from "./reduce.ts"
import { because, type MappingOptions, type Rule, terminatedOf } from "./rule.ts"
import { containerOf, hasRun, jobCondition, type Sight } from "./sight.ts"

const secondsOf = ({ startedAt, finishedAt }: Terminated): number =>
  startedAt === undefined || finishedAt === undefined
    ? Number.POSITIVE_INFINITY
    : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
const ending = ({ exitCode, finishedAt }: Terminated) => ({
  exitCode,
  ...defined({ at: finishedAt })
})

const evictions: ReadonlyArray<string> = ["Evicted", "NodeLost", "Shutdown", "NodeShutdown", "Terminated", "Preempting"]

/** the end of the adapter waits for its sidecar, which may still deliver the result, and then for the event itself */
const exitGrace = ({ pod }: Sight, { graces, terminationGraceSeconds, sidecarMode }: MappingOptions) => {
  const sidecar = containerOf(pod, "sidecar")
  const isOpen =
    sidecarMode === "native" &&
    sidecar !== undefined &&
    sidecar.state.is === "running" &&
    pod?.phase !== "Failed" &&
    pod?.phase !== "Succeeded"
  return isOpen ? { stage: "open", failAfter: terminationGraceSeconds + graces.exit } : { failAfter: graces.exit }
}

const evicted = (
  sight: Sight
): { readonly reason: string; readonly message: string; readonly node: string } | undefined => {
  const failed = jobCondition(sight.job, "Failed")
  if (failed?.reason === "PodFailurePolicy")
    return { reason: failed.reason, message: failed.message, node: (sight.pod ?? sight.lastPod)?.node ?? "" }
  const { pod } = sight
  // a queue that takes its room back suspends the Job: its pods go without having failed
  if (pod === undefined || sight.job?.isSuspended === true) return undefined
  const target = pod.conditions.find(({ type }) => type === "DisruptionTarget")
  if (target !== undefined && (pod.isDeleting || pod.phase === "Failed"))
    return { reason: target.reason, message: target.message, node: pod.node }
  return evictions.includes(pod.reason) && (pod.phase === "Failed" || pod.reason !== "Terminated")
    ? { reason: pod.reason, message: pod.message, node: pod.node }
    : undefined
}

const lastMessage = (text: string): string => textMember(parseJson(text), "message") ?? text

const exitText = ({ exitCode, signal }: Terminated): { readonly message: string; readonly signal?: string } => {
  const name = signalNames.get(signal ?? (exitCode > 128 ? exitCode - 128 : 0))
  return name === undefined
    ? { message: `The adapter exited with code ${exitCode} and reported no result.` }
    : { message: `The adapter exited with code ${exitCode} (${name}) and reported no result.`, signal: name }
}

/** in their order, as M10 is for what no other rule explains */
export const endedRules: ReadonlyArray<Rule> = [
  {
    id: "M1",
    find: ({ job }, { graces }) =>
      job === undefined
        ? {
            code: "runtime_object_lost",
            message: "The Job of the benchmark was deleted by somebody else.",
            failAfter: graces.lost
          }
        : undefined
  },
  {
    id: "M2",
    find: ({ job, pod }) => {
      const failed = jobCondition(job, "Failed")
      if (failed?.reason !== "DeadlineExceeded" && pod?.reason !== "DeadlineExceeded") return undefined
      const message = `The cluster ended the benchmark because its time was up${because(failed?.message ?? pod?.message ?? "")}`
      return { code: "deadline_exceeded", message, failAfter: 0 }
    }
  },
  {
    id: "M3",
    find: (sight, { graces, onDisruption }) => {
      const found = evicted(sight)
      if (found === undefined) return undefined
      const node = found.node === "" ? "its node" : `node ${found.node}`
      const message = `The pod was evicted from ${node} (${found.reason === "" ? "no reason given" : found.reason})${because(found.message)}`
      if (onDisruption === "restart" && jobCondition(sight.job, "Failed") === undefined)
        return { code: "evicted", message, warnAfter: 0, interrupted: true }
      const isDead = found.reason === "NodeLost" || found.reason === "DeletionByTaintManager"
      return { code: "evicted", message, failAfter: isDead ? graces.deadNode : graces.evicted }
    }
  },
  {
    id: "M4",
    find: ({ pod }) => {
      const ended = terminatedOf(containerOf(pod, "init"))
      return ended?.exitCode === 11
        ? {
            code: "test_data_not_found",
            message: `No test data was found${because(lastMessage(ended.message))}`,
            failAfter: 0
          }
        : undefined
    }
  },
  {
    id: "M5",
    find: ({ pod }) => {
      const ended = terminatedOf(containerOf(pod, "init"))
      if (ended === undefined || ended.exitCode === 0 || ended.exitCode === 143) return undefined
      const what =
        ended.reason === "OOMKilled"
          ? "was killed because it used more memory than its limit"
          : `failed with exit code ${ended.exitCode}`
      return {
        code: "init_failed",
        message: `The container that fetches the test data ${what}${because(lastMessage(ended.message))}`,
        failAfter: 0
      }
    }
  },
  {
    id: "M6",
    find: (sight, options) => {
      const ended = terminatedOf(containerOf(sight.pod, "adapter"))
      if (ended?.reason !== "OOMKilled") return undefined
      const { memoryLimit } = sight
      const limit =
        memoryLimit === undefined
          ? "its memory limit"
          : `its memory limit of ${memoryLimit.value} (from ${memoryLimit.source})`
      const message = `The adapter was killed because it used more than ${limit}. Raise the limit, or lower the batch size.`
      return { code: "out_of_memory", message, ...exitGrace(sight, options), ...ending(ended) }
    }
  },
  {
    id: "M7",
    find: ({ pod }, { graces }) => {
      const adapter = containerOf(pod, "adapter")
      const ended = terminatedOf(adapter)
      if (ended === undefined) return undefined
      const notFound = (ended.exitCode === 126 || ended.exitCode === 127) && secondsOf(ended) <= 2
      if (ended.reason !== "StartError" && ended.reason !== "ContainerCannotRun" && !notFound) return undefined
      const message = `The command of the provider could not be started in image ${adapter?.image ?? ""} (exit code ${ended.exitCode})${because(ended.message)}`
      return { code: "adapter_failed_to_start", message, failAfter: graces.start, ...ending(ended) }
    }
  },
  {
    id: "M8",
    find: ({ job, pod, lastPod }, { graces }) => {
      if (pod !== undefined || lastPod === undefined || jobCondition(job, "Failed") === undefined) return undefined
      if (terminatedOf(containerOf(lastPod, "adapter")) !== undefined) return undefined
      return {
        code: "runtime_object_lost",
        message: `The pod ${lastPod.name} was deleted while the adapter ran.`,
        failAfter: graces.lost
      }
    }
  },
  {
    id: "M9",
    find: ({ pod }) => {
      if (pod?.phase !== "Failed" || hasRun(pod)) return undefined
      const reason = pod.reason === "" ? "no reason given" : pod.reason
      return {
        code: "adapter_failed_to_start",
        message: `The pod failed before a container ran (${reason})${because(pod.message)}`,
        failAfter: 0
      }
    }
  },
  {
    id: "M10",
    find: (sight, options) => {
      const ended = terminatedOf(containerOf(sight.pod ?? sight.lastPod, "adapter"))
      const done = jobCondition(sight.job, "Complete") ?? jobCondition(sight.job, "Failed")
      if (ended === undefined && done === undefined) return undefined
      const told =
        ended === undefined
          ? { message: `The pod of the benchmark ended and reported no result${because(done?.message ?? "")}` }
          : exitText(ended)
      return {
        code: "adapter_exited_without_result",
        ...told,
        ...exitGrace(sight, options),
        ...(ended === undefined ? {} : ending(ended))
      }
    }
  }
]
