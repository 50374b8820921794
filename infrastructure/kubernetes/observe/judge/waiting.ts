/** Rules for what does not start or has no place yet: images, objects, the sidecar, queue and node. Reference: cluster-objects.md, "Observing". */
import type { ReducedPod } from "./reduce.ts"
import { because, type Rule, terminatedOf } from "./rule.ts"
import { containerOf } from "./sight.ts"

const waitingFor = (pod: ReducedPod | undefined, reasons: ReadonlyArray<string>) => {
  for (const { name, image, state } of pod?.containers ?? [])
    if (state.is === "waiting" && reasons.includes(state.reason))
      return { name, image, reason: state.reason, message: state.message }
  return undefined
}

const missingSecret = /secrets? "([^"]+)" not found/i
const missingVolume = /(?:secrets?|configmaps?) "([^"]+)" not found/i

export const waitingRules: ReadonlyArray<Rule> = [
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
