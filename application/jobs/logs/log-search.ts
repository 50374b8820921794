/**
 * Search in the log of a unit, the same for every runtime: the log is read twice and never held. The first reading counts the lines that
 * match, the second leaves out all but the last of them. Reference: api.md, "Logs".
 */
import { Chunk, Effect, Stream } from "effect"
import type { Unavailable } from "../../errors.ts"
import type { LogQuery, UnitLog } from "../../ports/runtime.ts"

/** characters of a line that are held; a longer one, which no capture writes, is searched in parts of this length */
const mostLine = 1_048_576

/** what a runtime puts before a line with `timestamps`: it is not what the program wrote, and is not searched */
const receipt = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) /

/** the text itself, in any case; no character of it means anything else */
const literal = (text: string): RegExp => new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu")

/** lines that match, each with its end; pieces may be cut anywhere, also within a line or a character */
const searcher = (wanted: RegExp, timestamps: boolean) => {
  const decoder = new TextDecoder()
  let rest = ""
  const isWanted = (line: string) => wanted.test(timestamps ? line.replace(receipt, "") : line)
  const linesOf = (text: string): ReadonlyArray<string> =>
    // most blocks have none: only those that do are taken apart
    wanted.test(text) ? (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).filter(isWanted) : []
  return {
    push: (bytes: Uint8Array): ReadonlyArray<string> => {
      const text = decoder.decode(bytes, { stream: true })
      const end = text.lastIndexOf("\n") + 1
      const whole = end === 0 ? "" : rest + text.slice(0, end)
      rest = end === 0 ? rest + text : text.slice(end)
      if (rest.length <= mostLine) return linesOf(whole)
      const long = rest
      rest = ""
      return linesOf(whole + long)
    },
    finish: (): ReadonlyArray<string> => linesOf(rest + decoder.decode())
  }
}

const search = (text: UnitLog["text"], wanted: RegExp, timestamps: boolean): Stream.Stream<string, Unavailable> =>
  Stream.suspend(() => {
    const { push, finish } = searcher(wanted, timestamps)
    return Stream.concat(
      Stream.mapConcat(text, push),
      Stream.suspend(() => Stream.fromIterable(finish()))
    )
  })

const encoder = new TextEncoder()

/**
 * The last `tailLines` lines with `contains`; with `follow` those that come later too. `isEmpty` when the log has no text at all, whatever
 * is searched in it. A line that leaves the log or the time between the two readings makes the answer shorter, never wrong.
 */
export const searchLog = <E>(
  open: (query: LogQuery) => Effect.Effect<UnitLog, E>,
  { tailLines, ...query }: LogQuery & { readonly tailLines: number },
  contains: string
): Effect.Effect<UnitLog & { readonly isEmpty: boolean }, E | Unavailable> =>
  Effect.gen(function* () {
    const wanted = literal(contains)
    const before = yield* open({ ...query, timestamps: false, follow: false })
    let isEmpty = true
    const all = Stream.tap(before.text, ({ length }) =>
      Effect.sync(() => {
        isEmpty &&= length === 0
      })
    )
    const count = yield* Stream.runCount(search(all, wanted, false))
    if (count === 0 && !query.follow) return { source: before.source, text: Stream.empty, isEmpty }
    const { source, text } = yield* open(query)
    const last = Stream.drop(search(text, wanted, query.timestamps), Math.max(0, count - tailLines))
    const lines = query.follow ? last : Stream.take(last, Math.min(count, tailLines))
    const encoded = Stream.chunks(lines).pipe(
      Stream.filter(Chunk.isNonEmpty),
      Stream.map((some) => encoder.encode(Chunk.join(some, "")))
    )
    return { source, text: encoded, isEmpty }
  })
