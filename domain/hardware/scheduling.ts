/** Where a profile puts a pod: on chosen nodes, or into a queue. Reference: cluster-objects.md, "Queue", "Hardware profiles". */
import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import { isObject, type JsonObject, ownMember } from "../../values/json.ts"
import { dnsSubdomainProblem } from "../dns-name.ts"
import { shown } from "../violation.ts"

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

/** node selector and tolerations of a pod */
export interface Placement {
  readonly nodeSelector?: { readonly [label: string]: string }
  readonly tolerations?: ReadonlyArray<Toleration>
}

export type Scheduling =
  | ({ readonly type: "Node" } & Placement)
  | { readonly type: "Queue"; readonly queueName: string; readonly priorityClass?: string }

const labelName = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/
const isLabelValue = (text: string): boolean => text === "" || labelName.test(text)
const isLabelKey = (text: string): boolean => {
  const parts = text.split("/")
  const [first = "", second] = parts
  if (second === undefined) return labelName.test(first)
  return parts.length === 2 && dnsSubdomainProblem(first) === undefined && labelName.test(second)
}

const readNodeSelector = (value: unknown, problems: Array<string>): Placement["nodeSelector"] => {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) return void problems.push("spec.scheduling.node.nodeSelector must be an object of texts")
  const entries = Object.entries(value).flatMap(([key, text]): ReadonlyArray<readonly [string, string]> => {
    if (isLabelKey(key) && typeof text === "string" && isLabelValue(text)) return [[key, text]]
    problems.push(`spec.scheduling.node.nodeSelector member ${shown(key)} is no legal label with a legal value`)
    return []
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const operators: ReadonlyArray<string> = ["Exists", "Equal"]
const effects: ReadonlyArray<string> = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

/** an optional text member; "" counts as absent, as in Kubernetes */
const text = (object: JsonObject, name: string): string | undefined | false => {
  const value = ownMember(object, name)
  if (value === undefined || value === null || value === "") return undefined
  return typeof value === "string" ? value : false
}

const readToleration = (value: unknown, where: string, problems: Array<string>): ReadonlyArray<Toleration> => {
  const refuse = (problem: string): ReadonlyArray<Toleration> => {
    problems.push(`${where} ${problem}`)
    return []
  }
  if (!isObject(value)) return refuse("must be an object")
  const [key, operator, tolerated, effect] = [
    text(value, "key"),
    text(value, "operator"),
    text(value, "value"),
    text(value, "effect")
  ]
  const seconds = ownMember(value, "tolerationSeconds") ?? undefined
  if (key === false || (key !== undefined && !isLabelKey(key))) return refuse("has an illegal key")
  if (operator === false || (operator !== undefined && !operators.includes(operator)))
    return refuse(`has an unknown operator; use ${operators.join(" or ")}`)
  if (tolerated === false || (tolerated !== undefined && !isLabelValue(tolerated)))
    return refuse("has an illegal value")
  if (effect === false || (effect !== undefined && !effects.includes(effect)))
    return refuse(`has an unknown effect; use ${effects.join(", ")}`)
  if (key === undefined && operator !== "Exists") return refuse("needs a key, or the operator Exists")
  if (operator === "Exists" && tolerated !== undefined) return refuse("must not have a value with the operator Exists")
  if (
    seconds !== undefined &&
    (typeof seconds !== "number" || !Number.isSafeInteger(seconds) || effect !== "NoExecute")
  )
    return refuse("may have tolerationSeconds, a whole number, only with the effect NoExecute")
  return [
    {
      ...defined({ key, operator, value: tolerated, effect, tolerationSeconds: seconds })
    }
  ]
}

const readTolerations = (value: unknown, problems: Array<string>): Placement["tolerations"] => {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) return void problems.push("spec.scheduling.node.tolerations must be a list")
  const read = value.flatMap((one, index) =>
    readToleration(one, `spec.scheduling.node.tolerations[${index}]`, problems)
  )
  return read.length === 0 ? undefined : read
}

/** a queue name is also a label value */
const maxQueueName = 63

const readQueue = (scheduling: JsonObject, problems: Array<string>): Scheduling | undefined => {
  const member = ["queuesys", "kueue"].find((name) => isObject(ownMember(scheduling, name)))
  const queue = member === undefined ? undefined : scheduling[member]
  const name = isObject(queue) ? ownMember(queue, "localQueueName") : undefined
  if (typeof name !== "string" || name === "")
    return void problems.push("spec.scheduling.queuesys.localQueueName is required for type Queue")
  const illegal = dnsSubdomainProblem(name, maxQueueName)
  if (illegal !== undefined)
    return void problems.push(`spec.scheduling.queuesys.localQueueName ${shown(name)} ${illegal}`)
  const priority = isObject(queue) ? (ownMember(queue, "priorityClass") ?? "") : ""
  if (typeof priority !== "string" || !isLabelValue(priority))
    return void problems.push("spec.scheduling.queuesys.priorityClass must be a legal name")
  // the profile editor writes "None" for "no class"
  return {
    type: "Queue",
    queueName: name,
    ...(priority === "" || priority.toLowerCase() === "none" ? {} : { priorityClass: priority })
  }
}

/** reads `spec.scheduling` of a profile; absent means none */
export const readScheduling = (value: unknown): Either.Either<Scheduling | undefined, ReadonlyArray<string>> => {
  if (value === undefined || value === null) return Either.right(undefined)
  if (!isObject(value)) return Either.left(["spec.scheduling must be an object"])
  const problems: Array<string> = []
  const finish = (scheduling: Scheduling | undefined) =>
    problems.length > 0 ? Either.left(problems) : Either.right(scheduling)
  const type = ownMember(value, "type")
  if (type === "Queue") return finish(readQueue(value, problems))
  if (type !== "Node") return Either.left([`spec.scheduling.type ${shown(type)} is not known; use Node or Queue`])
  const node = ownMember(value, "node") ?? {}
  if (!isObject(node)) return Either.left(["spec.scheduling.node must be an object"])
  const nodeSelector = readNodeSelector(ownMember(node, "nodeSelector"), problems)
  const tolerations = readTolerations(ownMember(node, "tolerations"), problems)
  return finish({
    type: "Node",
    ...defined({ nodeSelector, tolerations })
  })
}

/**
 * Placement of a benchmark's pod: a Node profile replaces the provider's, a queue from whatever source clears it (the queue's flavours
 * place the pod), and a Node profile stays in force beside the deprecated job queue.
 */
export const placePod = (input: {
  readonly scheduling?: Scheduling
  readonly queued: boolean
  readonly provider?: Placement
}): Placement => {
  if (input.scheduling?.type === "Node") {
    const { nodeSelector, tolerations } = input.scheduling
    return {
      ...defined({ nodeSelector, tolerations })
    }
  }
  return input.scheduling?.type === "Queue" || input.queued ? {} : (input.provider ?? {})
}
