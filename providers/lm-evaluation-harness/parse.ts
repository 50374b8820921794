/** From the framework's report to metrics. Pure. Reference: providers-and-collections.md, "lm-evaluation-harness". */

import { defined } from "../../values/defined.ts"
import { isObject, type JsonObject, listMember, member, numberMember, textMember } from "../../values/json.ts"
import type { Metric } from "../sdk/adapter.ts"

export interface Report {
  readonly metrics: ReadonlyArray<Metric>
  readonly version?: string
  /** tasks with samples, with the filter whose values carry the bare names */
  readonly tasks: ReadonlyArray<{ readonly name: string; readonly filter: string }>
  readonly info: JsonObject
  readonly notes: ReadonlyArray<string>
  /** items scored */
  readonly scored: number
}

interface Value {
  readonly metric: string
  readonly filter: string
  readonly value: number
  readonly stderr?: number
}

/** `acc,none` and `acc_stderr,none`; a length that was skipped (its name is a number) is −1 */
const readValues = (result: unknown): ReadonlyArray<Value> =>
  Object.entries(isObject(result) ? result : {}).flatMap(([key, value]): ReadonlyArray<Value> => {
    const [metric, filter] = key.split(/,(.*)/s)
    if (metric === undefined || filter === undefined || metric.endsWith("_stderr") || typeof value !== "number")
      return []
    if (value === -1 && /^\d+$/.test(metric)) return []
    const stderr = numberMember(result, `${metric}_stderr,${filter}`)
    return [{ metric, filter, value, ...defined({ stderr }) }]
  })

/** the filter whose value gets the bare name: none, the only one, strict-match, else the first of the file */
const leadingFilter = (filters: ReadonlyArray<string>): string =>
  filters.find((filter) => filter === "none") ??
  filters.find((filter) => filters.length > 1 && filter === "strict-match") ??
  filters[0] ??
  "none"

const namesOf = (values: ReadonlyArray<Value>) => [...new Set(values.map(({ metric }) => metric))]

const metricsOf = (
  values: ReadonlyArray<Value>,
  extra: (metric: string) => Partial<Metric>,
  prefix: string
): ReadonlyArray<Metric> =>
  namesOf(values).flatMap((name) => {
    const own = values.filter(({ metric }) => metric === name)
    const lead = leadingFilter(own.map(({ filter }) => filter))
    const toMetric = ({ value, stderr }: Value, label: string): Metric => ({
      name: `${prefix}${label}`,
      value,
      ...extra(name),
      ...defined({ stderr })
    })
    const bare = own.filter(({ filter }) => filter === lead).map((one) => toMetric(one, name))
    return [
      ...bare,
      ...(own.length > 1
        ? own.filter(({ filter }) => filter !== "none").map((one) => toMetric(one, `${name},${one.filter}`))
        : [])
    ]
  })

/** size-weighted mean over the members that have the value; the standard error of independent parts */
const weighted = (
  parts: ReadonlyArray<{ readonly values: ReadonlyArray<Value>; readonly n: number }>
): ReadonlyArray<Value> => {
  const keys = new Map(
    parts.flatMap(({ values }) => values.map(({ metric, filter }) => [`${metric},${filter}`, { metric, filter }]))
  )
  return [...keys.values()].flatMap(({ metric, filter }) => {
    const found = parts.flatMap(({ values, n }) =>
      values.filter((one) => one.metric === metric && one.filter === filter).map((one) => ({ ...one, n }))
    )
    const total = found.reduce((sum, { n }) => sum + n, 0)
    if (total === 0) return []
    const value = found.reduce((sum, one) => sum + one.value * one.n, 0) / total
    const errors = found.flatMap(({ stderr, n }) => (stderr === undefined ? [] : [(stderr * n) / total]))
    const stderr = errors.length === found.length ? Math.hypot(...errors) : undefined
    return [{ metric, filter, value, ...defined({ stderr }) }]
  })
}

/** tasks below a group, groups within it resolved; the task itself when it is none */
const leavesOf = (document: unknown, name: string, seen: ReadonlySet<string> = new Set()): ReadonlyArray<string> => {
  const below = listMember(member(document, "group_subtasks"), name).filter((one) => typeof one === "string")
  if (below.length === 0 || seen.has(name)) return [name]
  return [...new Set(below.flatMap((one) => leavesOf(document, one, new Set([...seen, name]))))]
}

const filterNote = (values: ReadonlyArray<Value>): ReadonlyArray<string> =>
  namesOf(values).flatMap((name) => {
    const lead = leadingFilter(values.filter(({ metric }) => metric === name).map(({ filter }) => filter))
    return lead === "none" ? [] : [`${name} is the value after the filter ${lead}`]
  })

/** undefined when the document is no complete report about `task`: a group, a tag or a single task */
export const parseReport = (document: unknown, task: string): Report | undefined => {
  const results = member(document, "results")
  if (!isObject(results) || Object.keys(results).length === 0) return undefined
  const samples = member(document, "n-samples")
  const countOf = (name: string) =>
    numberMember(member(samples, name), "effective") ?? numberMember(member(results, name), "sample_len") ?? 0
  // a tag is not in the report: everything that is, belongs to it
  const isTag = !Object.hasOwn(results, task)
  const leaves = isTag
    ? [...new Set(Object.keys(results).flatMap((name) => leavesOf(document, name)))]
    : leavesOf(document, task)
  const parts = leaves.map((name) => ({ name, values: readValues(results[name]), n: countOf(name) }))
  const scored = parts.reduce((sum, { n }) => sum + n, 0)
  const own = isTag ? [] : readValues(results[task])
  const whole = own.length > 0 ? own : weighted(parts)
  const single = leaves.length === 1 && leaves[0] === task
  const direction = (name: string) => (metric: string) => {
    const higher = [name, ...leaves]
      .map((one) => member(member(member(document, "higher_is_better"), one), metric))
      .find((one) => typeof one === "boolean")
    return {
      n: name === task ? scored : countOf(name),
      ...(higher === undefined ? {} : { lowerIsBetter: higher === false })
    }
  }
  const members = single ? [] : Object.keys(results).filter((name) => name !== task)
  const version = textMember(document, "lm_eval_version")
  const configs = member(document, "configs")
  const original = leaves.reduce(
    (sum, name) => sum + (numberMember(member(samples, name), "original") ?? countOf(name)),
    0
  )
  const datasets = [...new Set(leaves.flatMap((name) => textMember(member(configs, name), "dataset_path") ?? []))]
  const hashes = member(document, "task_hashes")
  return {
    metrics: [
      ...metricsOf(whole, direction(task), ""),
      ...members.flatMap((name) => metricsOf(readValues(results[name]), direction(name), `${name}/`))
    ],
    ...defined({ version }),
    tasks: parts.map(({ name, values }) => ({
      name,
      filter: leadingFilter([...new Set(values.map(({ filter }) => filter))])
    })),
    info: {
      dataset: { id: datasets.length === 0 ? task : datasets.join(", "), size: original, used: scored },
      ...defined({ framework_revision: textMember(document, "git_hash") }),
      ...(isObject(hashes) && Object.keys(hashes).length > 0 ? { task_hashes: hashes } : {}),
      task_versions: member(document, "versions")
    },
    notes: [
      ...(own.length === 0 && !single
        ? [
            `the framework gives no aggregate of ${task}: its metrics are means over the members, weighted by their size`
          ]
        : []),
      ...filterNote(whole)
    ],
    scored
  }
}
