/** Reads the samples of a job: pages, searches, one of them. Reference: samples.md, "Lists", "Search". */
import { Clock, Effect } from "effect"
import { itemsOfPage } from "../../domain/paging.ts"
import type { SampleFilter, SamplePosition, SampleQuery } from "../../domain/sample/sample-query.ts"
import { defined } from "../../values/defined.ts"
import { NotFound } from "../errors.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { type SampleScope, SampleStore, type SampleUnit, type StoredSample } from "../ports/stores/sample-store.ts"
import { bytesOf, textGroups } from "./text-groups.ts"

export interface SamplesPage {
  readonly items: ReadonlyArray<StoredSample>
  /** absent in a search */
  readonly total?: number
  readonly next?: SamplePosition
  /** of a search: candidates looked at, and whether these were all */
  readonly searched?: { readonly scanned: number; readonly complete: boolean }
}

export interface ListRequest extends SampleQuery {
  /** the records are wanted too: no more of them than a page holds in bytes */
  readonly content: boolean
  /** text that a record must hold; upper and lower case are the same */
  readonly search?: string
}

/** of a search: candidates, and time */
const mostScanned = 50_000
const mostMillis = 2000
const scanStep = 200

/** the job is there for this tenant, and has the benchmark; where its samples lie, which of a result that was taken over is an earlier job */
const checkScope = <Scope extends SampleScope>(scope: Scope) =>
  Effect.flatMap(JobStore, (store) => store.loadBenchmark(scope.jobId, scope.index ?? 0)).pipe(
    Effect.filterOrFail(
      ({ head }) => head.tenant === scope.tenant,
      () => new NotFound({ kind: "job", id: scope.jobId })
    ),
    Effect.map(({ benchmark: { carried } }) =>
      carried === undefined || scope.index === undefined
        ? scope
        : { ...scope, jobId: carried.job, index: carried.index }
    )
  )

const textsWithin = (value: unknown): string => {
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null) return ""
  return Object.values(value).map(textsWithin).join("\n")
}

const searched = ["prompt", "response", "reasoning", "reference", "extracted", "choices", "turns", "judge"] as const

const holds = (text: string, wanted: string): boolean => {
  const record = JSON.parse(text) as { readonly [member: string]: unknown }
  return searched.some((name) => textsWithin(record[name]).toLowerCase().includes(wanted))
}

const search = (scope: SampleScope, request: ListRequest, wanted: string) =>
  Effect.gen(function* () {
    const store = yield* SampleStore
    const until = (yield* Clock.currentTimeMillis) + mostMillis
    const found: Array<StoredSample> = []
    let scanned = 0
    let after = request.after
    for (;;) {
      const page = yield* store.page(scope, { ...request, limit: scanStep, ...defined({ after }) })
      let left = page.items.length
      for (const group of textGroups(page.items)) {
        const texts = yield* store.texts(group)
        for (const [at, sample] of group.entries()) {
          const text = texts[at]
          scanned += 1
          left -= 1
          after = sample.position
          if (text !== undefined && holds(text, wanted)) found.push(sample)
          if (found.length === request.limit) {
            const all = left === 0 && !page.more
            return {
              items: found,
              searched: { scanned, complete: all },
              ...(all ? {} : { next: after })
            } satisfies SamplesPage
          }
        }
      }
      if (!page.more) return { items: found, searched: { scanned, complete: true } } satisfies SamplesPage
      if (scanned >= mostScanned || (yield* Clock.currentTimeMillis) > until)
        return {
          items: found,
          searched: { scanned, complete: false },
          ...defined({ next: after })
        } satisfies SamplesPage
    }
  })

/** the beginning of a page whose records fit into one; `next` goes on behind it */
const cutToRecords = (page: SamplesPage): SamplesPage => {
  const items = page.items.slice(0, itemsOfPage(page.items.map(bytesOf)))
  const last = items.at(-1)
  if (items.length === page.items.length || last === undefined) return page
  const { searched } = page
  return {
    ...page,
    items,
    next: last.position,
    ...(searched === undefined ? {} : { searched: { ...searched, complete: false } })
  }
}

/** `scope`: as `checkSampleScope` answers it */
export const listSamples = Effect.fnUntraced(function* (scope: SampleScope, request: ListRequest) {
  const whole = (page: SamplesPage) => (request.content ? cutToRecords(page) : page)
  if (request.search !== undefined) return whole(yield* search(scope, request, request.search.toLowerCase()))
  const { items, total, more } = yield* (yield* SampleStore).page(scope, request)
  const last = items.at(-1)
  return whole({ items, total, ...(more && last !== undefined ? { next: last.position } : {}) })
})

export const getSample = Effect.fnUntraced(function* (
  asked: SampleUnit,
  key: { readonly sampleId: string; readonly repeat: number; readonly task?: string }
) {
  const unit = yield* checkScope(asked)
  const store = yield* SampleStore
  const sample = yield* store.find(unit, key)
  const [text] = sample === undefined ? [] : yield* store.texts([sample])
  if (sample === undefined || text === undefined) return yield* new NotFound({ kind: "sample", id: key.sampleId })
  return { sample, text }
})

/** samples of one step of a stream, whose records are read in groups */
const streamStep = 500

/** the next samples of a stream over all that pass the filter, in the order of the data set */
export const nextSamples = Effect.fnUntraced(function* (
  scope: SampleScope,
  filter: SampleFilter,
  after: SamplePosition | undefined
) {
  const { items, more } = yield* (yield* SampleStore).page(scope, {
    filter,
    sort: { by: "index", descending: false },
    limit: streamStep,
    ...defined({ after })
  })
  const last = items.at(-1)?.position
  return { items, ...(more && last !== undefined ? { next: last } : {}) }
})

export const checkSampleScope = checkScope
