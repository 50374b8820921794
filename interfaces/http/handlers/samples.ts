/** Samples of benchmarks: uploads of adapters, pages, records, and streams of all of them. Reference: samples.md, "Upload", "Lists". */
import { isUtf8 } from "node:buffer"
import { Chunk, Effect, Either, Option, Stream } from "effect"
import { Invalid, NotFound } from "../../../application/errors.ts"
import { SampleStore, type StoredSample } from "../../../application/ports/stores/sample-store.ts"
import { addSamples, type SampleTarget } from "../../../application/samples/add-samples.ts"
import { checkSampleScope, getSample, listSamples, nextSamples } from "../../../application/samples/read-samples.ts"
import { bytesOf, textGroups } from "../../../application/samples/text-groups.ts"
import { documentIn, readSample } from "../../../domain/sample/read-sample.ts"
import { limits, type Sample, type SampleDocument } from "../../../domain/sample/sample.ts"
import type { SampleFilter, SamplePosition } from "../../../domain/sample/sample-query.ts"
import { type Violation, violation } from "../../../domain/violation.ts"
import { defined } from "../../../values/defined.ts"
import { makeSpareBuffers } from "../../../values/node/spare-buffers.ts"
import { readJson } from "../../../values/read-json.ts"
import { readNothing } from "../dto/list-queries.ts"
import type { Values } from "../dto/query.ts"
import { cursorOf, filterOf, type jobSamplesQuery } from "../dto/sample-queries.ts"
import { headText, itemText } from "../dto/sample-record.ts"
import { maxShown, Refused } from "../error-response.ts"
import { type Answer, type Exchange, json, jsonText } from "../exchange.ts"
import type { GuardedRequest, Handler } from "../handler.ts"
import * as Accept from "../middleware/accept.ts"
import * as Body from "../middleware/body.ts"
import { scan } from "../middleware/json-scan.ts"
import { ignoredMembers, warningHeader } from "../middleware/warnings.ts"
import { HttpSettings } from "../services.ts"
import { ofOwnUnit } from "./events.ts"
import { acceptsJson, readQuery } from "./read-request.ts"

const ndjson = "application/x-ndjson"

const tooLarge = (message: string) => new Refused({ code: "request_body_too_large", message })

/** begin and end of every line, blank ones at the end left out */
const linesOf = (bytes: Buffer): ReadonlyArray<readonly [begin: number, end: number]> => {
  const lines: Array<readonly [number, number]> = []
  for (let begin = 0; begin < bytes.length; ) {
    const found = bytes.indexOf(10, begin)
    const end = found < 0 ? bytes.length : found
    lines.push([begin, end])
    begin = end + 1
  }
  return lines
}

const shape = { depth: 64, values: 100_000, nameBytes: 1024, namesBytes: 2_097_152 }

const parsed = (bytes: Buffer): Either.Either<unknown, string> => {
  const { excess } = scan(bytes, shape)
  if (excess !== undefined)
    return Either.left(
      `has more than ${shape[excess]} ${excess === "depth" ? "levels" : excess === "values" ? "values" : excess === "nameBytes" ? "bytes in a name" : "bytes in all names"}`
    )
  return Either.mapLeft(readJson(bytes.toString("utf8")), (reason) => `is not JSON: ${reason}`)
}

interface ReadLines {
  readonly samples: ReadonlyArray<Sample>
  /** members that were left out, each once */
  readonly unknown: ReadonlyArray<string>
}

/** where the bodies of calls lie, until they are stored */
const rooms = makeSpareBuffers(2, limits.callBytes)

/** one call while it is under way: afterwards its body's memory is another's */
interface Call {
  /** absent: the body brings memory of its own */
  readonly room: Buffer | undefined
  isOver: boolean
}

const callUnderWay = Effect.acquireRelease(
  Effect.sync((): Call => ({ room: rooms.take(), isOver: false })),
  (call) =>
    Effect.sync(() => {
      call.isOver = true
      rooms.giveBack(call.room)
    })
)

/** where a record stands: its document is read again from there, as often as it is asked for, until its call is over */
class FromLine {
  readonly #body: Buffer
  readonly #begin: number
  readonly #end: number
  readonly #call: Call

  constructor(body: Buffer, begin: number, end: number, call: Call) {
    this.#body = body
    this.#begin = begin
    this.#end = end
    this.#call = call
  }

  get document(): SampleDocument {
    if (this.#call.isOver) throw new Error("a record is read after the call that brought it")
    return documentIn(JSON.parse(this.#body.toString("utf8", this.#begin, this.#end)))
  }
}

/**
 * The sample without its document: a thousand of them live as long as the call, and collecting what lives so long stops everybody for longer than
 * reading it twice takes. With a getter of its own each would take three times the memory.
 */
const light = ({ document: _, ...sample }: Sample, line: FromLine): Sample => Object.assign(line, sample)

/** lines judged between two turns of others: a status event takes some ten turns, each of which waits for so many lines */
const step = 8

const readLines = (bytes: Buffer, call: Call): Effect.Effect<ReadLines, Refused | Invalid, SampleStore> =>
  Effect.gen(function* () {
    const { pause } = yield* SampleStore
    if (!isUtf8(bytes)) return yield* new Refused({ code: "invalid_json_request", message: "the body is not UTF-8" })
    const lines = linesOf(bytes)
    if (lines.length > limits.callLines)
      return yield* tooLarge(`the body has ${lines.length} lines; send at most ${limits.callLines} in one call`)
    const samples: Array<Sample> = []
    const unknown = new Set<string>()
    const problems: Array<Violation> = []
    for (const [number, [begin, end]] of lines.entries()) {
      if (number % step === step - 1) yield* pause
      if (end - begin > limits.lineBytes)
        return yield* tooLarge(`line ${number} has ${end - begin} bytes; a line has at most ${limits.lineBytes}`)
      const line = bytes.subarray(begin, end)
      const value = parsed(line)
      if (Either.isLeft(value))
        problems.push(violation([number], `line ${number} ${value.left}`, "invalid_json_request"))
      else {
        const read = readSample(value.right, [number])
        problems.push(...read.problems)
        if (read.sample !== undefined) samples.push(light(read.sample, new FromLine(bytes, begin, end, call)))
        for (const name of read.unknown) if (unknown.size < maxShown) unknown.add(name)
      }
      if (problems.length > maxShown) break
    }
    const [first, ...rest] = problems
    if (first !== undefined) return yield* new Invalid({ violations: [first, ...rest.slice(0, maxShown)] })
    if (samples.length === 0)
      return yield* new Invalid({
        violations: [violation([], "the body has no line; send one record a line", "invalid_json_request")]
      })
    return { samples, unknown: [...unknown] }
  })

/** also below a callback secret */
export const takeSamples = (request: Exchange, target: SampleTarget) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const { stallMillis } = yield* HttpSettings
    const call = yield* callUnderWay
    const bytes = yield* Body.read(
      request,
      { maxBytes: limits.callBytes, stallMillis, ...defined({ room: call.room }) },
      [ndjson]
    )
    const { samples, unknown } = yield* readLines(bytes, call)
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
