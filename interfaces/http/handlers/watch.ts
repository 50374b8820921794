/**
 * Change streams as server-sent events: `id` to continue from, heartbeats, the whole record as data. A job's stream ends with the event
 * that made it terminal; its id is marked, so that a browser that reconnects gets 204 and stops. Reference: api.md, "Change stream".
 */
import { Deferred, Effect, Schedule, Stream } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import { watchJob as watchOne } from "../../../application/jobs/watch-job.ts"
import { type JobChange, type SnapshotStep, watchJobs } from "../../../application/jobs/watch-jobs.ts"
import type { JobState } from "../../../domain/job/job.ts"
import { isTerminalJob } from "../../../domain/job/job-state.ts"
import type { ErrorContent, Refused } from "../error-response.ts"
import { type Answer, empty } from "../exchange.ts"
import type { GuardedRequest, Handler } from "../handler.ts"
import { Streams } from "../listener/streams.ts"
import { Metrics } from "../metrics/metrics.ts"
import * as Accept from "../middleware/accept.ts"
import { whileLetIn } from "../middleware/review-again.ts"
import { Draining, type Services } from "../services.ts"
import { readQuery } from "./read-request.ts"

const encoder = new TextEncoder()
const heartbeat = Schedule.spaced("15 seconds")
const endMark = ".end"

const eventText = ({ sequence, kind, jobId, record }: JobChange, last: boolean): string =>
  `id: ${sequence}${last ? endMark : ""}\nevent: ${kind}\ndata: ${record ?? JSON.stringify({ resource: { id: jobId } })}\n\n`

const resetText = JSON.stringify({
  message: "changes were missed: forget what is known, all jobs follow",
  message_code: "changes_missed"
})

/** steps of a snapshot have no id before its end: whoever comes back in the middle of it begins anew */
const stepText = (step: JobChange | SnapshotStep): string => {
  switch (step.kind) {
    case "reset":
      return `event: reset\ndata: ${resetText}\n\n`
    case "snapshot":
      return `event: snapshot\ndata: ${step.record}\n\n`
    case "synced":
      return `id: ${step.sequence}\nevent: synced\ndata: {}\n\n`
    default:
      return eventText(step, false)
  }
}

/** the caller's rights ended while it listened */
const errorText = ({ code, message }: ErrorContent): string =>
  `event: error\ndata: ${JSON.stringify({ message, message_code: code })}\n\n`

const stateOf = (record: string): JobState =>
  (JSON.parse(record) as { readonly status: { readonly state: JobState } }).status.state

const isLast = ({ kind, record }: JobChange): boolean =>
  kind === "deleted" || (record !== undefined && isTerminalJob(stateOf(record)))

/** events with heartbeats, until the events end, the caller leaves or the server shuts down */
const answer = (
  request: GuardedRequest,
  events: Stream.Stream<string, Unavailable, Services>
): Effect.Effect<Answer<never>, Refused, Services> =>
  Effect.gen(function* () {
    yield* (yield* Streams).enter(request.caller.tenant, request.sink)
    const draining = yield* Draining
    const metrics = yield* Metrics
    const context = yield* Effect.context<Services>()
    const beats = Stream.repeatValue(":\n\n").pipe(Stream.schedule(heartbeat))
    const body = Stream.make("retry: 2000\n\n").pipe(
      Stream.concat(whileLetIn(Stream.merge(events, beats, { haltStrategy: "left" }), request.caller, errorText)),
      Stream.interruptWhen(Deferred.await(draining)),
      Stream.map((text) => encoder.encode(text)),
      Stream.provideContext(context)
    )
    const counted = Stream.unwrapScoped(
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => metrics.watching(1)),
          () => Effect.sync(() => metrics.watching(-1))
        ),
        body
      )
    )
    return {
      status: 200,
      headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
      body: counted
    }
  })

const lastEventId = ({ headers }: GuardedRequest): string => String(headers["last-event-id"] ?? "")

/** before every change: what is no position of this service is answered like one that is forgotten */
const nowhere = -1

/** where to continue; undefined: from now on */
const positionOf = (text: string): number | undefined => {
  if (text === "") return undefined
  return /^\d{1,15}(\.end)?$/.test(text) ? Number.parseInt(text, 10) : nowhere
}

export const watchJobList = (request: GuardedRequest) =>
  Effect.gen(function* () {
    yield* Accept.choose(request.headers.accept, ["text/event-stream"])
    return yield* answer(request, Stream.map(watchJobs(request.caller, positionOf(lastEventId(request))), stepText))
  })

export const watchJob: Handler<"watchJob"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const { record, changes } = yield* watchOne(request.caller, request.params.id)
    if (lastEventId(request).endsWith(endMark) && isTerminalJob(stateOf(record))) return empty
    return yield* answer(
      request,
      changes.pipe(
        Stream.map((change) => ({ change, last: isLast(change) })),
        Stream.takeUntil(({ last }) => last),
        Stream.map(({ change, last }) => eventText(change, last))
      )
    )
  })
