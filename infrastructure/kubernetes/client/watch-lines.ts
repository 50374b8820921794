/** The lines of a watch: one JSON document each. A line that can not be read is told as such, not hidden. Reference: cluster-objects.md, "Observing". */
import { Effect, Option, Stream } from "effect"
import { isObject, parseJson } from "../../../values/json.ts"
import { type KubeError, noAnswer, refusal } from "./kube-error.ts"
import { isKubeObject, type KubeObject } from "./resources.ts"

export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  /** everything up to this version has been told */
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string }
  /** a line that is no event; count and skip it */
  | { readonly type: "UNREADABLE" }

const unreadable: WatchEvent = { type: "UNREADABLE" }
const changes: ReadonlyArray<unknown> = ["ADDED", "MODIFIED", "DELETED"]

const eventOf = (operation: string, line: string): Effect.Effect<WatchEvent, KubeError> => {
  const event = parseJson(line)
  if (!isObject(event)) return Effect.succeed(unreadable)
  const { type, object } = { type: event["type"], object: event["object"] }
  if (type === "ERROR") {
    const code = isObject(object) && typeof object["code"] === "number" ? object["code"] : 500
    return Effect.fail(refusal(operation, code, object))
  }
  if (type === "BOOKMARK") {
    const metadata = isObject(object) ? object["metadata"] : undefined
    const version = isObject(metadata) ? metadata["resourceVersion"] : undefined
    return Effect.succeed(typeof version === "string" ? { type, resourceVersion: version } : unreadable)
  }
  const isChange = (value: unknown): value is "ADDED" | "MODIFIED" | "DELETED" => changes.includes(value)
  return Effect.succeed(isChange(type) && isKubeObject(object) ? { type, object } : unreadable)
}

/** longest line that is kept; an object of the cluster has at most 1.5 MiB or so */
const maxLine = 16_777_216

/** complete lines of the text so far, and the rest. A torn last line never becomes an event. */
const lines = <E>(operation: string, chunks: Stream.Stream<Uint8Array, E>): Stream.Stream<string, E | KubeError> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder()
    let rest = ""
    return Stream.mapConcatEffect(chunks, (chunk) => {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n")
      rest = parts.pop() ?? ""
      return rest.length > maxLine
        ? Effect.fail(noAnswer(operation, "a line of the watch is too long"))
        : Effect.succeed(parts)
    })
  })

/** the events of one watch connection; an ERROR event fails with its status */
export const readWatch = (
  operation: string,
  chunks: Stream.Stream<Uint8Array, KubeError>
): Stream.Stream<WatchEvent, KubeError> =>
  lines(operation, chunks).pipe(
    Stream.mapEffect((line) =>
      line.trim() === "" ? Effect.succeedNone : Effect.map(eventOf(operation, line), Option.some)
    ),
    Stream.filterMap((event) => event)
  )
