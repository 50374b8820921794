/** From the framework's report to metrics. Pure. Reference: providers-and-collections.md, "lighteval". */

import { defined } from "../../values/defined.ts"
import { isObject, type JsonObject, member, numberMember, textMember } from "../../values/json.ts"
import type { Metric } from "../sdk/adapter.ts"
import type { Member } from "./members.ts"

export interface Report {
  readonly metrics: ReadonlyArray<Metric>
  /** items scored; undefined when the report does not say */
  readonly scored: number | undefined
  /** tasks of the run without a value for their primary metric */
  readonly missing: ReadonlyArray<string>
  readonly info: JsonObject
}

/** `[suite|]task|few-shot[|…]` → `task`; undefined for the mean over everything */
export const taskOfKey = (key: string): string | undefined => {
  const parts = key.split("|")
  if (parts.length === 1) return undefined
  return /^\d+$/.test(parts[1] ?? "") ? parts[0] : parts[1]
}

/** `gpqa_pass@k:k=1&n=1` → `gpqa_pass@1`, `codegen_pass@1:16` → `codegen_pass@1`; other names stay */
export const metricName = (name: string): string => {
  const [, plain = name, stderr = ""] = /^(.*?)(_stderr)?$/s.exec(name) ?? []
  const found = /^(.*?pass@)(?:k:.*?k=(\d+)|(\d+):).*$/s.exec(plain)
  return found === null ? name : `${found[1]}${found[2] ?? found[3]}${stderr}`
}

interface TaskValues {
  readonly task: string
  readonly values: ReadonlyArray<readonly [string, number]>
  readonly stderr: { readonly [name: string]: number }
  readonly n?: number
}

const readTask = (document: unknown, key: string, result: unknown): TaskValues | undefined => {
  const task = taskOfKey(key)
  if (task === undefined || !isObject(result)) return undefined
  const numbers = Object.entries(result).flatMap(([name, value]) =>
    typeof value === "number" ? [[metricName(name), value] as const] : []
  )
  const configs = member(document, "config_tasks")
  // the entry's key has lost its few-shot count in some versions
  const config = member(configs, key) ?? member(configs, key.split("|").slice(0, -1).join("|"))
  const n = numberMember(config, "effective_num_docs")
  return {
    task,
    values: numbers.filter(([name]) => !name.endsWith("_stderr")),
    stderr: Object.fromEntries(
      numbers.flatMap(([name, value]) => (name.endsWith("_stderr") ? [[name.slice(0, -"_stderr".length), value]] : []))
    ),
    ...(n === undefined || n < 0 ? {} : { n })
  }
}

const metricsOf = ({ values, stderr, n }: TaskValues, prefix: string): ReadonlyArray<Metric> =>
  values.map(([name, value]) => {
    const error = stderr[name]
    return {
      name: `${prefix}${name}`,
      value,
      ...defined({ stderr: error, n })
    }
  })

/** the values of a task; one that has parts is known by their average */
const find = (tasks: ReadonlyArray<TaskValues>, name: string) =>
  tasks.find(({ task }) => task === name) ?? tasks.find(({ task }) => task === `${name}:_average`)

const primaryOf = (values: TaskValues | undefined, { primary }: Member): number | undefined => {
  const found = primary === undefined ? values?.values[0]?.[1] : values?.values.find(([name]) => name === primary)?.[1]
  return found === undefined || Number.isNaN(found) ? undefined : found
}

/** undefined when the document is no report; `suite`: names carry their task, and the mean over the members' primary metrics is `suite_mean` */
export const parseReport = (document: unknown, members: ReadonlyArray<Member>, suite: boolean): Report | undefined => {
  const results = member(document, "results")
  if (!isObject(results)) return undefined
  const tasks = Object.entries(results).flatMap(([key, result]) => readTask(document, key, result) ?? [])
  if (tasks.length === 0) return undefined
  const primaries = members.map((one) => ({ task: one.task, value: primaryOf(find(tasks, one.task), one) }))
  const missing = primaries.flatMap(({ task, value }) => (value === undefined ? [task] : []))
  const counted = tasks.filter(({ task }) => !task.endsWith(":_average"))
  const counts = counted.flatMap(({ n }) => (n === undefined ? [] : [n]))
  const scored = counts.length === counted.length ? counts.reduce((sum, n) => sum + n, 0) : undefined
  const only = suite ? undefined : find(tasks, members[0]?.task ?? "")
  const mean = primaries.reduce((sum, { value }) => sum + (value ?? Number.NaN), 0) / primaries.length
  const sha = textMember(member(document, "config_general"), "lighteval_sha")
  return {
    metrics: [
      ...(suite ? [{ name: "suite_mean", value: mean, ...defined({ n: scored }) }] : []),
      ...(only === undefined ? [] : metricsOf(only, "")),
      ...tasks.filter((one) => one !== only).flatMap((one) => metricsOf(one, `${one.task}/`))
    ],
    scored,
    missing,
    info: {
      ...(sha === undefined || sha === "?" ? {} : { framework_revision: sha }),
      task_versions: member(document, "versions")
    }
  }
}
