/**
 * Logs of units: the live pod first, else the tail that was kept before the pod went. Kept tails survive the pod, the Job and this
 * server. Reference: cluster-objects.md, "Observing".
 */
import { Effect, Stream } from "effect"
import { NotFound, Unavailable } from "../../../application/errors.ts"
import type { LogQuery, UnitId, UnitLog } from "../../../application/ports/runtime.ts"
import type { UnitRecords } from "../../../application/ports/stores/unit-records.ts"
import { defined } from "../../../values/defined.ts"
import { lineShaper } from "../../unit/log-lines.ts"
import { unitKey } from "../../unit/names.ts"
import { stripTerminalCodes } from "../../unit/terminal-codes.ts"
import type { KubeClient } from "../client/client.ts"
import type { KubeError } from "../client/kube-error.ts"
import { type KubeObject, pods } from "../client/resources.ts"
import type { ClusterOptions } from "../cluster-options.ts"
import { instanceSelector, unitOfObject } from "../unit/identity.ts"
import { sanitise } from "../unit/names.ts"

const adapter = "adapter"
const containers = [adapter, "sidecar", "init"]
const maxBytes = 65_536
const tail = { tailLines: 200, limitBytes: maxBytes, timestamps: true, follow: false } as const
const shownLines = 20
const shownBytes = 2048

export interface LogCapture {
  readonly read: (unit: UnitId, query: LogQuery) => Effect.Effect<UnitLog, NotFound | Unavailable>
  /** keeps the tails of all containers that have a log; within 5 s, and never an error */
  readonly capture: (unit: UnitId, pod?: string) => Effect.Effect<void>
  /** the last lines of the adapter that were kept, at most 20 and 2 KB, without their times */
  readonly lastLines: (unit: UnitId) => Effect.Effect<ReadonlyArray<string>>
  readonly discard: (jobId: string, index?: number) => Effect.Effect<void, Unavailable>
}

const unavailable = (error: KubeError) => new Unavailable({ peer: "cluster", operation: error.operation, cause: error })

const withoutTime = (line: string): string => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) /, "")
const timeOf = (line: string): number => Date.parse(/^\S+/.exec(line)?.[0] ?? "")
/** control characters would act on the terminal of whoever reads the log */
const printable = (text: string): string => stripTerminalCodes(text).replaceAll(/[^\P{Cc}\n\t]/gu, "")

const encoder = new TextEncoder()

/** whole lines of bounded length, in valid UTF-8 and without anything that acts on a terminal (adapter-contract.md, "Local processes") */
const clean = <E>(chunks: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  Stream.suspend(() => {
    const shaper = lineShaper([])
    // only an unfinished line is left, which has no end yet
    const last = Stream.suspend(() => Stream.make(shaper.finish().replace(/\n$/, "")))
    return Stream.concat(
      Stream.map(chunks, (chunk) => shaper.push(Buffer.from(chunk))),
      last
    ).pipe(
      Stream.filter((text) => text !== ""),
      Stream.map((text) => encoder.encode(printable(text)))
    )
  })

const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

/** the kept text as the query wants it */
const kept = (text: string, { tailLines, sinceSeconds, timestamps }: LogQuery, now: number) => {
  const recent = linesOf(text).filter(
    (line) => sinceSeconds === undefined || !(timeOf(line) < now - sinceSeconds * 1000)
  )
  const lines = (tailLines === undefined ? recent : recent.slice(-tailLines)).map((line) =>
    timestamps ? line : withoutTime(line)
  )
  return Stream.make(encoder.encode(lines.map((line) => `${line}\n`).join("")))
}

/** the last lines, as many as there is room for */
const lastOf = (text: string): ReadonlyArray<string> => {
  let room = shownBytes
  return linesOf(text)
    .slice(-shownLines)
    .map(withoutTime)
    .toReversed()
    .filter((line) => {
      room -= Buffer.byteLength(line) + 1
      return room >= 0
    })
    .toReversed()
}

export const makeLogCapture = (
  client: KubeClient["Type"],
  records: UnitRecords["Type"],
  options: Pick<ClusterOptions, "domain" | "instance">
): LogCapture => {
  const podOf = (unit: UnitId): Effect.Effect<string | undefined, KubeError> => {
    const { domain } = options
    const labels = `${domain}/job-id=${sanitise(unit.jobId)},${domain}/benchmark-index=${unit.index},${domain}/attempt=${unit.attempt}`
    const selection = {
      resource: pods,
      namespace: unit.tenant,
      lane: "observe",
      labelSelector: `${instanceSelector(options)},${labels}`
    } as const
    const isLater = (a: KubeObject, b: KubeObject) =>
      (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1
    return Effect.map(client.list({ ...selection, metadataOnly: true }), ({ items }) => {
      const own = items.filter((pod) => unitOfObject(pod, domain)?.jobId === unit.jobId)
      return own.toSorted(isLater).at(-1)?.metadata.name
    })
  }
  const capturePod = (unit: UnitId, pod: string) =>
    Effect.forEach(
      containers,
      (container) =>
        client.logs({ namespace: unit.tenant, pod, lane: "observe" }, { ...tail, container }).pipe(
          Effect.map(clean),
          Effect.flatMap(
            Stream.runFold(Buffer.alloc(0), (text, chunk) => Buffer.concat([text, chunk]).subarray(0, maxBytes))
          ),
          Effect.flatMap((bytes) =>
            bytes.length === 0 ? Effect.void : records.keepLog(unit, container, bytes.toString("utf8"))
          ),
          // no such container, or it never started
          Effect.catchAll((error) => Effect.logDebug(`no log of ${container} of ${unitKey(unit)}: ${error.message}`))
        ),
      { concurrency: containers.length, discard: true }
    )
  const live = (unit: UnitId, pod: string, { tailLines, sinceSeconds, timestamps, follow }: LogQuery) =>
    client.logs(
      { namespace: unit.tenant, pod, lane: "observe" },
      { container: adapter, timestamps, follow, ...defined({ tailLines, sinceSeconds }) }
    )

  return {
    read: (unit, query) =>
      Effect.gen(function* (): Effect.fn.Return<UnitLog, NotFound | Unavailable> {
        const opened = yield* Effect.either(
          Effect.flatMap(podOf(unit), (pod) => (pod === undefined ? Effect.succeed(undefined) : live(unit, pod, query)))
        )
        if (opened._tag === "Right" && opened.right !== undefined)
          return { source: "live", text: Stream.mapError(clean(opened.right), unavailable) }
        const text = yield* records.keptLog(unit, adapter)
        if (text !== undefined)
          return { source: "captured", text: kept(text, query, (yield* Effect.clock).unsafeCurrentTimeMillis()) }
        // a container that has not started, or a pod that goes away right now, has no log; anything else is trouble, not an empty log
        if (opened._tag === "Left" && opened.left.class !== "invalid" && opened.left.class !== "not_found")
          return yield* unavailable(opened.left)
        return yield* new NotFound({ kind: "log", id: `${unit.jobId}/${unit.index}` })
      }),
    capture: (unit, pod) =>
      Effect.gen(function* () {
        const name = pod ?? (yield* podOf(unit))
        if (name !== undefined) yield* capturePod(unit, name)
      }).pipe(
        Effect.timeout("5 seconds"),
        Effect.catchAll((error) => Effect.logDebug(`no log of ${unitKey(unit)} was kept: ${error.message}`))
      ),
    lastLines: (unit) =>
      Effect.map(
        Effect.orElseSucceed(records.keptLog(unit, adapter), () => undefined),
        (text) => (text === undefined ? [] : lastOf(text))
      ),
    discard: records.discardLogs
  }
}
