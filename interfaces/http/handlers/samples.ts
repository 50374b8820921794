/** Samples of benchmarks: uploads of adapters, pages, records, and streams of all of them. Reference: samples.md, "Upload", "Lists". */
import { Chunk, Effect, Either, Option, Stream } from "effect"
import { Invalid, NotFound } from "../../../application/errors.ts"
import { SampleStore, type StoredSample } from "../../../application/ports/stores/sample-store.ts"
import { addSamples, SamplePolicy, type SampleTarget } from "../../../application/samples/add-samples.ts"
import { checkSampleScope, getSample, listSamples, nextSamples } from "../../../application/samples/read-samples.ts"
import { bytesOf, textGroups } from "../../../application/samples/text-groups.ts"
import { limits } from "../../../domain/sample/sample.ts"
import type { SampleFilter, SamplePosition } from "../../../domain/sample/sample-query.ts"
import { defined } from "../../../values/defined.ts"
import { lent, makeSpareBuffers } from "../../../values/node/spare-buffers.ts"
import { readNothing } from "../dto/list-queries.ts"
import type { Values } from "../dto/query.ts"
import { cursorOf, filterOf, type jobSamplesQuery } from "../dto/sample-queries.ts"
import { headText, itemText } from "../dto/sample-record.ts"
import { maxShown, Refused } from "../error-response.ts"
import { type Answer, type Exchange, json, jsonText } from "../exchange.ts"
import type { GuardedRequest, Handler } from "../handler.ts"
import * as Accept from "../middleware/accept.ts"
import * as Body from "../middleware/body.ts"
import { ignoredMembers, warningHeader } from "../middleware/warnings.ts"
import { HttpSettings } from "../services.ts"
import { ofOwnUnit } from "./events.ts"
import { acceptsJson, readQuery } from "./read-request.ts"

const ndjson = "application/x-ndjson"

/** where the bodies of calls lie, until they are stored */
const rooms = makeSpareBuffers(2, limits.callBytes)

const readLines = (bytes: Buffer) =>
  Effect.gen(function* () {
    const { content } = yield* SamplePolicy
    const read = yield* (yield* SampleStore).read(bytes, { content, most: maxShown })
    if (read._tag === "Refused") return yield* new Refused({ code: read.code, message: read.message })
    return read._tag === "Wrong" ? yield* new Invalid({ violations: read.problems }) : read
  })

/** also below a callback secret */
export const takeSamples = (request: Exchange, target: SampleTarget) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const { stallMillis } = yield* HttpSettings
    const bytes = yield* Body.read(
      request,
      { maxBytes: limits.callBytes, stallMillis, ...defined({ room: yield* lent(rooms) }) },
      [ndjson]
    )
    const { samples, unknown } = yield* readLines(bytes)
    const added = yield* Effect.uninterruptible(addSamples(target, samples))
    return json(
      { stored: added.stored, replaced: added.replaced, duplicate: added.duplicate },
      warningHeader(ignoredMembers(unknown))
    )
  }).pipe(Effect.scoped)

export const indexOf = (text: string): Either.Either<number, NotFound> =>
  /^\d{1,6}$/.test(text) ? Either.right(Number(text)) : Either.left(new NotFound({ kind: "benchmark", id: text }))

export const upload: Handler<"uploadSamples"> = (request) =>
  Effect.gen(function* () {
    const own = yield* ofOwnUnit(request.caller)
    const index = yield* indexOf(request.params.index)
    return yield* takeSamples(request, { ...own, jobId: request.params.id, index })
  })

type ListValues = Values<typeof jobSamplesQuery>
type ListRequest = GuardedRequest<unknown, ListValues & { readonly digest?: boolean }>
interface Scope {
  readonly tenant: string
  readonly jobId: string
  readonly index?: number
}

const encoder = new TextEncoder()

/** every record on a line of its own */
const linesOfAll = (scope: Scope, filter: SampleFilter) =>
  Stream.paginateChunkEffect(undefined as SamplePosition | undefined, (after) =>
    Effect.map(
      nextSamples(scope, filter, after),
      ({ items, next }) => [Chunk.unsafeFromArray(textGroups(items)), Option.fromNullable(next)] as const
    )
  ).pipe(
    Stream.mapEffect((group) =>
      Effect.map(
        Effect.flatMap(SampleStore, (store) => store.texts(group)),
        (texts) =>
          encoder.encode(
            texts
              .filter((text) => text !== undefined)
              .map((text) => `${text}\n`)
              .join("")
          )
      )
    )
  )

/** records of a page that are sent at once: together they have so many bytes at most */
const atOnce = 512 * 1024

/** the items with their records; many bytes of them are read as fast as they are taken */
const withRecords = (head: string, items: ReadonlyArray<StoredSample>) => {
  const itemsText = (samples: ReadonlyArray<StoredSample>) =>
    Effect.map(
      Effect.flatMap(SampleStore, (store) => store.texts(samples)),
      (texts) => samples.map((sample, at) => itemText(sample, texts[at])).join(",")
    )
  if (items.reduce((sum, sample) => sum + bytesOf(sample), 0) <= atOnce)
    return Effect.map(itemsText(items), (text) => `${head}${text}]}`)
  const body = Stream.fromIterable(textGroups(items)).pipe(
    Stream.mapEffect(itemsText),
    Stream.intersperseAffixes({ start: head, middle: ",", end: "]}" }),
    Stream.map((text) => encoder.encode(text))
  )
  return Effect.map(Effect.context<SampleStore>(), (context) => Stream.provideContext(body, context))
}

const list = (request: ListRequest, asked: Scope) =>
  Effect.gen(function* () {
    const query = yield* readQuery(request)
    const type = yield* Accept.choose(request.headers.accept, ["application/json", ndjson])
    const scope = yield* checkSampleScope(asked)
    if (type === ndjson) {
      const context = yield* Effect.context<SampleStore>()
      const answered: Answer<never> = {
        status: 200,
        headers: { "content-type": ndjson, "cache-control": "no-store" },
        body: Stream.provideContext(linesOfAll(scope, filterOf(query)), context)
      }
      return answered
    }
    const page = yield* listSamples(scope, {
      filter: filterOf(query),
      sort: query.sort ?? { by: "index", descending: false },
      limit: query.limit,
      content: query.content,
      ...defined({ after: query.cursor, search: query.q })
    })
    const next = page.next === undefined ? undefined : nextHref(request, cursorOf(page.next))
    const { index } = scope
    const seal =
      query.digest === true && index !== undefined ? yield* (yield* SampleStore).digest({ ...scope, index }) : undefined
    const head = headText(page, query.limit, next, seal?.sha256)
    const { items } = page
    const answered: Answer<never> = {
      status: 200,
      headers: {
        "content-type": "application/json",
        "cache-control": "no-store",
        ...(next === undefined ? {} : { link: `<${next}>; rel="next"` })
      },
      body: query.content
        ? yield* withRecords(head, items)
        : `${head}${items.map((sample) => itemText(sample)).join(",")}]}`
    }
    return answered
  })

const nextHref = ({ path, search }: Exchange, cursor: string): string => {
  const query = new URLSearchParams(search)
  query.set("cursor", cursor)
  return `${path}?${query.toString()}`
}

export const ofJob: Handler<"listJobSamples"> = (request) =>
  list(request, { tenant: request.caller.tenant, jobId: request.params.id })

export const ofBenchmark: Handler<"listBenchmarkSamples"> = (request) =>
  Effect.flatMap(indexOf(request.params.index), (index) =>
    list(request, { tenant: request.caller.tenant, jobId: request.params.id, index })
  )

export const get: Handler<"getSample"> = (request) =>
  Effect.gen(function* () {
    const { task, repeat } = yield* readQuery(request)
    const { id, sample_id } = request.params
    const index = yield* indexOf(request.params.index)
    const key = { sampleId: sample_id, repeat, ...defined({ task }) }
    const { text } = yield* getSample({ tenant: request.caller.tenant, jobId: id, index }, key)
    return jsonText(text, { "cache-control": "no-store" })
  })
