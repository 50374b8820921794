/** Reads the samples of a job: pages, searches, one of them. Reference: samples.md, "Lists", "Search". */
import { Clock, Effect } from "effect"
import type { SampleFilter, SamplePosition, SampleQuery } from "../../domain/sample/sample-query.ts"
import { defined } from "../../values/defined.ts"
import { NotFound } from "../errors.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { type SampleScope, SampleStore, type SampleUnit, type StoredSample } from "../ports/stores/sample-store.ts"

/** a sample, with its record when it was asked for */
export interface ShownSample {
  readonly sample: StoredSample
  /** JSON text */
  readonly text?: string
}

export interface ShownPage {
  readonly items: ReadonlyArray<ShownSample>
  /** absent in a search */
  readonly total?: number
  readonly next?: SamplePosition
  /** of a search: candidates looked at, and whether these were all */
  readonly searched?: { readonly scanned: number; readonly complete: boolean }
}

export interface ListRequest extends SampleQuery {
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

const withTexts = (items: ReadonlyArray<StoredSample>, content: boolean) =>
  content
    ? Effect.map(
        Effect.flatMap(SampleStore, (store) => store.texts(items)),
        (texts) =>
          items.map((sample, at): ShownSample => ({ sample, ...(texts[at] === undefined ? {} : { text: texts[at] }) }))
      )
    : Effect.succeed(items.map((sample): ShownSample => ({ sample })))

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
    const found: Array<ShownSample> = []
    let scanned = 0
    let after = request.after
    let last = after
    for (;;) {
      const page = yield* store.page(scope, { ...request, limit: scanStep, ...defined({ after }) })
      const texts = yield* store.texts(page.items)
      for (const [at, sample] of page.items.entries()) {
        const text = texts[at]
        scanned += 1
        last = sample.position
        if (text !== undefined && holds(text, wanted)) found.push(request.content ? { sample, text } : { sample })
        if (found.length === request.limit) {
          const all = at === page.items.length - 1 && !page.more
          return {
            items: found,
            searched: { scanned, complete: all },
            ...(all ? {} : { next: last })
          } satisfies ShownPage
        }
      }
      if (!page.more) return { items: found, searched: { scanned, complete: true } } satisfies ShownPage
      if (scanned >= mostScanned || (yield* Clock.currentTimeMillis) > until)
        return {
          items: found,
          searched: { scanned, complete: false },
          ...defined({ next: last })
        } satisfies ShownPage
      after = last
    }
  })

/** `scope`: as `checkSampleScope` answers it */
export const listSamples = Effect.fnUntraced(function* (scope: SampleScope, request: ListRequest) {
  if (request.search !== undefined) return yield* search(scope, request, request.search.toLowerCase())
  const page = yield* (yield* SampleStore).page(scope, request)
  const items = yield* withTexts(page.items, request.content)
  const last = page.items.at(-1)
  const shown: ShownPage = {
    items,
    total: page.total,
    ...(page.more && last !== undefined ? { next: last.position } : {})
  }
  return shown
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

/** records of one step of a stream */
const streamStep = 500

/** the next records of a stream over all that pass the filter, in the order of the data set; undefined: none is left */
export const nextRecords = Effect.fnUntraced(function* (
  scope: SampleScope,
  filter: SampleFilter,
  after: SamplePosition | undefined
) {
  const store = yield* SampleStore
  const page = yield* store.page(scope, {
    filter,
    sort: { by: "index", descending: false },
    limit: streamStep,
    ...defined({ after })
  })
  const texts = yield* store.texts(page.items)
  return { texts: texts.filter((text) => text !== undefined), last: page.items.at(-1)?.position, more: page.more }
})

export const checkSampleScope = checkScope
