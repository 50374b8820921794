/**
 * What the state of Job and pod means for a benchmark that is not terminal: one ordered table, the first match decides. Pure; time comes
 * in as when each condition was first seen, so that a takeover does not start a grace again. Reference: cluster-objects.md, "Observing".
 */
import { constants } from "node:os"
import { defined } from "../../../../values/defined.ts"
import { parseJson, textMember } from "../../../../values/json.ts"
import type { Graces } from "./graces.ts"
import type { ReducedContainer, ReducedPod, Terminated } from "./reduce.ts"
import { containerOf, hasRun, jobCondition, type Sight } from "./sight.ts"

/** seconds since the condition was first seen; absent: never */
export interface Finding {
  readonly code: string
  readonly message: string
  readonly warnAfter?: number
  readonly failAfter?: number
  /** a part of the launch is missing: launch again */
  readonly relaunch?: true
  /** taken off its node, starts again */
  readonly interrupted?: true
  readonly exitCode?: number
  readonly signal?: string
  /** ISO time at which it ended, when the cluster says so */
  readonly at?: string
  /** distinguishes stages of one rule that have graces of their own */
  readonly stage?: string
}

export interface MappingOptions {
  readonly graces: Graces
  readonly onDisruption: "fail" | "restart"
  readonly terminationGraceSeconds: number
  readonly sidecarMode: "native" | "plain"
}

export interface Rule {
  readonly id: string
  readonly find: (sight: Sight, options: MappingOptions) => Finding | undefined
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))
const because = (text: string): string => (text === "" ? "." : `: ${text}`)
const terminatedOf = (container: ReducedContainer | undefined): Terminated | undefined =>
  container?.state.is === "terminated" ? container.state : undefined
const waitingFor = (pod: ReducedPod | undefined, reasons: ReadonlyArray<string>) => {
  for (const { name, image, state } of pod?.containers ?? [])
    if (state.is === "waiting" && reasons.includes(state.reason))
      return { name, image, reason: state.reason, message: state.message }
  return undefined
}
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

const missingSecret = /secrets? "([^"]+)" not found/i
const missingVolume = /(?:secrets?|configmaps?) "([^"]+)" not found/i

const exitText = ({ exitCode, signal }: Terminated): { readonly message: string; readonly signal?: string } => {
  const name = signalNames.get(signal ?? (exitCode > 128 ? exitCode - 128 : 0))
  return name === undefined
    ? { message: `The adapter exited with code ${exitCode} and reported no result.` }
    : { message: `The adapter exited with code ${exitCode} (${name}) and reported no result.`, signal: name }
}

/** in the order of the contract; M21 is the timer in `judge.ts`, M22 its caller's */
export const rules: ReadonlyArray<Rule> = [
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
  },
  {
    id: "M11",
    find: ({ pod }, { graces }) => {
      const found = waitingFor(pod, ["InvalidImageName", "ErrImageNeverPull"])
      if (found === undefined) return undefined
      const message = `The image ${found.image} of container ${found.name} can not be used (${found.reason})${because(found.message)}`
      return { code: "image_pull_failed", message, failAfter: graces.imageName }
    }
  },
  {
    id: "M12",
    find: ({ pod }, { graces }) => {
      const found = waitingFor(pod, ["ErrImagePull", "ImagePullBackOff", "RegistryUnavailable"])
      if (found === undefined) return undefined
      const message = `The image ${found.image} of container ${found.name} could not be pulled${because(found.message)}`
      return { code: "image_pull_failed", message, warnAfter: 0, failAfter: graces.imagePull }
    }
  },
  {
    id: "M13",
    find: ({ pod }, { graces }) => {
      const found = waitingFor(pod, ["CreateContainerConfigError", "CreateContainerError", "RunContainerError"])
      if (found === undefined) return undefined
      const secret = missingSecret.exec(found.message)?.[1]
      return secret === undefined
        ? {
            code: "container_config_error",
            message: `Container ${found.name} could not be created${because(found.message)}`,
            failAfter: graces.containerConfig
          }
        : {
            code: "secret_not_found",
            message: `The secret '${secret}' does not exist.`,
            failAfter: graces.containerConfig
          }
    }
  },
  {
    id: "M14",
    find: ({ pod, notes, ownVolumes }, { graces }) => {
      const found = waitingFor(pod, ["ContainerCreating", "PodInitializing"])
      // test data may take its time: while something runs, nothing is stuck; what starts again and again is for M15
      if (
        pod === undefined ||
        found === undefined ||
        pod.containers.some(({ state, restarts }) => state.is === "running" || restarts > 0)
      )
        return undefined
      const mount = notes.find(({ reason, message }) => reason === "FailedMount" && missingVolume.test(message))
      const missing = mount === undefined ? undefined : missingVolume.exec(mount.message)?.[1]
      if (missing !== undefined && ownVolumes.includes(missing))
        return {
          code: "container_config_error",
          message: `The object '${missing}' is missing and is made again.`,
          warnAfter: graces.creating,
          relaunch: true
        }
      if (missing !== undefined && mount !== undefined && missingSecret.test(mount.message)) {
        const message = `The secret '${missing}' does not exist.`
        return {
          code: "secret_not_found",
          message,
          warnAfter: graces.creating,
          failAfter: graces.creating + graces.mount
        }
      }
      const told = notes.at(-1)?.message ?? ""
      return {
        code: "container_config_error",
        message: `Container ${found.name} is still being created${because(told)}`,
        warnAfter: graces.creating
      }
    }
  },
  {
    id: "M15",
    find: ({ pod }, { graces }) => {
      const [sidecar, adapter] = [containerOf(pod, "sidecar"), containerOf(pod, "adapter")]
      const isCrashing =
        (sidecar?.state.is === "waiting" && sidecar.state.reason === "CrashLoopBackOff") ||
        (sidecar?.restarts ?? 0) >= 3
      if (!isCrashing || (adapter !== undefined && adapter.state.is !== "waiting")) return undefined
      const ended = sidecar?.last ?? terminatedOf(sidecar)
      const message = `The sidecar does not start (exit code ${ended?.exitCode ?? "unknown"})${because(ended?.message ?? "")}`
      return { code: "adapter_failed_to_start", message, failAfter: graces.sidecar }
    }
  },
  {
    id: "M16",
    find: ({ pod }) => {
      const restarts = containerOf(pod, "sidecar")?.restarts ?? 0
      if (restarts === 0 || containerOf(pod, "adapter")?.state.is !== "running") return undefined
      return {
        code: "adapter_failed_to_start",
        message: `The sidecar restarted ${restarts} ${restarts === 1 ? "time" : "times"}.`,
        warnAfter: 0
      }
    }
  },
  {
    id: "M17",
    find: ({ job, hadPod, queue }, { graces }) => {
      if (job?.isSuspended !== true || job.queue === undefined) return undefined
      const told = queue?.message ?? `queue ${job.queue}: the Job waits for admission`
      if (hadPod) return { code: "evicted", message: told, warnAfter: 0, interrupted: true }
      return { code: queue?.code ?? "unschedulable", message: told, warnAfter: graces.suspended }
    }
  },
  {
    id: "M18",
    find: ({ job, pod, lastPod, notes }, { graces }) => {
      if (
        job === undefined ||
        job.isSuspended ||
        job.isDeleting ||
        pod !== undefined ||
        (lastPod !== undefined && notes.length === 0)
      )
        return undefined
      const told = (pattern: RegExp) => notes.find(({ message }) => pattern.test(message))?.message
      const quota = told(/exceeded quota/i)
      if (quota !== undefined) return { code: "unschedulable", message: quota, warnAfter: graces.noPod }
      const account = told(/service ?account .*not found/i)
      if (account !== undefined)
        return {
          code: "runtime_object_rejected",
          message: account,
          warnAfter: graces.noPod,
          failAfter: graces.serviceAccount
        }
      const refused = told(/violates PodSecurity|admission webhook|is forbidden|is invalid/i)
      if (refused !== undefined) return { code: "runtime_object_rejected", message: refused, failAfter: graces.noPod }
      return {
        code: "unschedulable",
        message: notes.at(-1)?.message ?? "The cluster has not made a pod for the Job yet.",
        warnAfter: graces.noPod
      }
    }
  },
  {
    id: "M19",
    find: ({ pod }, { graces }) => {
      const found = pod?.conditions.find(
        ({ type, reason }) => type === "PodScheduled" && (reason === "Unschedulable" || reason === "SchedulingGated")
      )
      if (found === undefined) return undefined
      return {
        code: "unschedulable",
        message: found.message === "" ? "The pod has no node yet." : found.message,
        warnAfter: graces.unschedulable
      }
    }
  }
]
