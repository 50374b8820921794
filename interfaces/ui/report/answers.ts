/** Answers out of a report, to the questions that screens ask a server. What is asked of a list is done here as the service does it. */
import type { Client } from "../../client/client.ts"
import { operations } from "../../client/operations.ts"
import type { ReportData, ReportedJob } from "../../client/report.ts"

type Item = ReportedJob["samples"][number]

interface Asked {
  readonly path?: { readonly id?: string; readonly index?: string; readonly sample_id?: string }
  readonly urlParams?: { readonly [name: string]: string | number | undefined }
}

const texts = ["prompt", "response", "reasoning", "reference", "extracted", "choices", "turns", "judge"] as const

const textsWithin = (value: unknown): string =>
  typeof value === "string"
    ? value
    : typeof value === "object" && value !== null
      ? Object.values(value).map(textsWithin).join("\n")
      : ""

const holds = ({ record }: Item, wanted: string): boolean =>
  record !== undefined && texts.some((name) => textsWithin(record[name]).toLowerCase().includes(wanted))

/** samples without the member lie below all others */
const memberOf = ({ index, score, tokens, latency_ms }: Item, by: string): number =>
  new Map<string, number | undefined>([
    ["index", index],
    ["score", score],
    ["tokens", tokens?.completion],
    ["latency_ms", latency_ms]
  ]).get(by) ?? Number.NEGATIVE_INFINITY

const order = (items: ReadonlyArray<Item>, sort: string): ReadonlyArray<Item> => {
  const [by, sign] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1]
  const difference = (a: Item, b: Item): number => {
    if (by === "index" && a.benchmark_index !== b.benchmark_index) return a.benchmark_index - b.benchmark_index
    const [one, other] = [memberOf(a, by), memberOf(b, by)]
    return one === other ? 0 : one < other ? -1 : 1
  }
  return [...items.entries()].sort(([i, a], [j, b]) => sign * (difference(a, b) || i - j)).map(([, item]) => item)
}

const headers = new Headers()

const found = (value: unknown) => Promise.resolve({ ok: true, status: 200, headers, value })

const missing = () =>
  Promise.resolve({
    ok: false,
    status: 404,
    headers,
    code: undefined,
    error: { message_code: "not_in_report", message: "the report does not hold this" }
  })

const answer = (value: unknown) => (value === undefined ? missing() : found(value))

export const answersOf = ({ jobs, comparison }: ReportData): Client => {
  const of = (path: Asked["path"]) => jobs.find(({ job }) => job.resource.id === path?.id)
  const list = ({ path = {}, urlParams = {} }: Asked) => {
    const { samples } = of(path) ?? { samples: [] }
    const { verdict, flag, finish_reason: finish, q, sort = "index" } = urlParams
    const candidates = samples.filter(
      (item) =>
        (path.index === undefined || String(item.benchmark_index) === path.index) &&
        (verdict === undefined || item.verdict === verdict) &&
        (flag === undefined || item.flags?.includes(String(flag)) === true) &&
        (finish === undefined || item.finish_reason === finish)
    )
    const wanted = q === undefined ? undefined : String(q).toLowerCase()
    const matching = wanted === undefined ? candidates : candidates.filter((item) => holds(item, wanted))
    const items = order(matching, String(sort))
    const counted =
      wanted === undefined ? { total_count: items.length } : { scanned: candidates.length, complete: true }
    return found({ limit: items.length, ...counted, items })
  }
  const one = ({ path = {}, urlParams = {} }: Asked) => {
    const { task, repeat = 0 } = urlParams
    const item = of(path)?.samples.find(
      (each) =>
        String(each.benchmark_index) === path.index &&
        each.sample_id === path.sample_id &&
        each.repeat === Number(repeat) &&
        (task === undefined || each.task === task)
    )
    return answer(item?.record)
  }
  return {
    ...Object.fromEntries(Object.keys(operations).map((name) => [name, missing])),
    getJob: ({ path }: Asked) => answer(of(path)?.job),
    explainJob: ({ path }: Asked) => answer(of(path)?.explanation),
    getJobPlan: ({ path }: Asked) => answer(of(path)?.plan),
    createComparison: () => answer(comparison),
    listJobSamples: list,
    listBenchmarkSamples: list,
    getSample: one
    // the calls of the others answer that they are not there, which their types allow
  } as unknown as Client
}
