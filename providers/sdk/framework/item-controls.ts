/**
 * What a framework's own record of its items tells about models that know nothing. Its scorers are not ours: only guessing among the options,
 * always giving the most frequent reference, and giving that of another item can be told, where an item is right or wrong.
 * Reference: providers-and-collections.md, "Honesty rules".
 */
import { defined } from "../../../values/defined.ts"
import type { SampleRecord } from "../../contract/sample-record.ts"
import type { Metric } from "../adapter.ts"
import { type Controls, chanceFlags, type Flag } from "../controls.ts"

export type ItemControls = Omit<Controls, "metric">

/** texts that are compared and kept */
const longestKey = 200

const isBinary = ({ scores = {}, score }: SampleRecord, metric: string | undefined): boolean => {
  const own = metric === undefined ? undefined : scores[metric]
  const values = own === undefined ? [...Object.values(scores), ...(score === undefined ? [] : [score])] : [own]
  return values.length > 0 && values.every((value) => value === 0 || value === 1)
}

/** what a constant answer to this item would have to be; with `shown` as a letter that the model sees */
const keyOf = ({ reference, choices }: SampleRecord): { readonly key: string; readonly shown: boolean } | undefined => {
  if (typeof reference !== "string" && typeof reference !== "number") return undefined
  const text = String(reference).trim()
  if (text === "" || text.length > longestKey) return undefined
  if (choices === undefined) return { key: text, shown: true }
  const options = choices.map((choice) => choice.trim())
  if (/^[A-Z]$/.test(text) && !options.includes(text)) return { key: text, shown: true }
  const option = options.includes(text) ? text : /^\d+$/.test(text) ? options[Number(text)] : undefined
  return option === undefined ? undefined : { key: option, shown: false }
}

export interface ItemWatch {
  /** the same records, looked at on their way */
  readonly watch: (records: Iterable<SampleRecord>) => Iterable<SampleRecord>
  /** undefined: the records tell nothing */
  readonly told: () => ItemControls | undefined
}

/** `metric`: the primary one as items name it, if they do */
export const watchItems = (metric: string | undefined): ItemWatch => {
  const keys = new Map<string, number>()
  const optionLists = new Set<string>()
  const counts = { items: 0, binary: 0, keyed: 0, withOptions: 0, hidden: 0 }
  let chances = 0
  const look = (record: SampleRecord): void => {
    const { verdict, repeat, choices = [] } = record
    if (repeat > 0 || verdict === "error" || verdict === "skipped") return
    counts.items += 1
    if (isBinary(record, metric)) counts.binary += 1
    if (choices.length > 1) {
      counts.withOptions += 1
      chances += 1 / choices.length
      if (optionLists.size < 2) optionLists.add(JSON.stringify(choices))
    }
    const found = keyOf(record)
    if (found === undefined) return
    counts.keyed += 1
    if (!found.shown) counts.hidden += 1
    keys.set(found.key, (keys.get(found.key) ?? 0) + 1)
  }
  return {
    watch: function* (records) {
      for (const record of records) {
        look(record)
        yield record
      }
    },
    told: () => {
      const { items, binary, keyed, withOptions, hidden } = counts
      if (items === 0 || binary < items) return undefined
      const frequencies = [...keys.values()]
      // a position that the model does not see is no answer that it could always give
      const isConstant = keyed === items && (hidden === 0 || optionLists.size === 1)
      const most = Math.max(0, ...frequencies)
      const told = defined({
        chance: withOptions === items ? chances / items : undefined,
        constant: isConstant && (withOptions === items || most > 1) ? most / items : undefined,
        random:
          keyed === items && withOptions === 0 && items > 1
            ? frequencies.reduce((sum, count) => sum + count * (count - 1), 0) / (items * (items - 1))
            : undefined
      })
      return Object.keys(told).length === 0 ? undefined : { n: items, ...told }
    }
  }
}

export interface JudgedControls {
  readonly controls?: Controls
  readonly flags: ReadonlyArray<Flag>
  readonly notes: ReadonlyArray<string>
}

const untold = "what models that know nothing would score, chance included, is not told by the framework's record"
const partly =
  "of models that know nothing only what stands in additional_info.controls is told by the framework's record: its scorers are not run on empty, echoed or refused answers"

/** 95 % of a normal, where the framework tells a standard error alone */
const withInterval = (metric: Metric): Metric =>
  metric.ci !== undefined || metric.stderr === undefined || typeof metric.value !== "number"
    ? metric
    : { ...metric, ci: [metric.value - 1.96 * metric.stderr, metric.value + 1.96 * metric.stderr] }

/** what goes into the result of a run whose primary metric is `primary` */
export const judgeControls = (told: ItemControls | undefined, primary: Metric | undefined): JudgedControls => {
  if (told === undefined || primary === undefined || primary.lowerIsBetter === true)
    return { flags: [], notes: [untold] }
  const controls: Controls = { metric: primary.name, ...told }
  const flags = chanceFlags(controls, withInterval(primary))
  return { controls, flags, notes: [...flags.map(({ code, message }) => `${code}: ${message}`), partly] }
}
