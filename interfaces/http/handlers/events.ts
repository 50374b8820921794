/**
 * Status events of adapters, on the plain route and below a callback secret. Lenient on purpose: losing a terminal event is worse than a
 * typo. Reference: adapter-contract.md, "Events".
 */
import { Effect, Either } from "effect"
import { Forbidden, Invalid } from "../../../application/errors.ts"
import { type EventTarget, recordEvent } from "../../../application/jobs/record-event.ts"
import { reporterOfCaller } from "../../../domain/access/reporting.ts"
import { readCountedSpent } from "../../../domain/budget/usage.ts"
import { given } from "../../../domain/path.ts"
import { readWireCounts } from "../../../domain/validity/wire-counts.ts"
import { violation } from "../../../domain/violation.ts"
import { decodeStatusEvent } from "../../../providers/contract/status-event.ts"
import { defined } from "../../../values/defined.ts"
import { stepsOf } from "../../../values/json-pointer.ts"
import { benchmarkStatusWire } from "../dto/benchmark-status.ts"
import { readNothing } from "../dto/list-queries.ts"
import { type Exchange, json } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { Metrics } from "../metrics/metrics.ts"
import type { AuthenticatedCaller } from "../middleware/authentication.ts"
import { ignoredMembers, warningHeader } from "../middleware/warnings.ts"
import { HttpSettings } from "../services.ts"
import { acceptsJson, readLenientDocument } from "./read-request.ts"

export const takeEvent = (request: Exchange, target: EventTarget) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const { value, shortened, notes: rounded } = yield* readLenientDocument(request)
    const decoded = decodeStatusEvent(value)
    if (Either.isLeft(decoded)) {
      const [first = violation([], "the event is not valid"), ...rest] = decoded.left.map(({ path, message, code }) =>
        violation(stepsOf(path).map(given), message, code)
      )
      return yield* new Invalid({ violations: [first, ...rest] })
    }
    const { unknownMembers, setAside } = decoded.right
    const notes = [
      ...shortened.map((name) => `the event has too many values; of ${name} only the first ones were taken`),
      ...rounded,
      ...(decoded.right.event.notes ?? [])
    ]
    // locally the gateway's own counts are used: an adapter must not speak for it
    const { behindSidecar = false } = target
    const wire = behindSidecar ? readWireCounts(decoded.right.wireCounts) : undefined
    const spent = behindSidecar ? readCountedSpent(decoded.right.wireSpent) : undefined
    const event = {
      ...decoded.right.event,
      ...(notes.length === 0 ? {} : { notes }),
      ...defined({ wire, spent })
    }
    const { applied, benchmark, head } = yield* Effect.uninterruptible(recordEvent(target, event))
    const metrics = yield* Metrics
    metrics.event(applied ? "applied" : "repeated")
    const warnings = [...notes, ...setAside, ...ignoredMembers(unknownMembers)]
    return json(
      { job_id: head.id, state: head.state, benchmark: benchmarkStatusWire(benchmark), applied },
      warningHeader(warnings)
    )
  }).pipe(Effect.tapError(() => Effect.map(Metrics, (metrics) => metrics.event("refused"))))

/** what the caller may report on the plain routes */
export const ofOwnUnit = ({ tenant, tenantAssumed, boundPod }: AuthenticatedCaller) =>
  Effect.gen(function* () {
    const { reporting } = yield* HttpSettings
    // existing adapters send no tenant locally: the job's own one counts, whatever it is
    const reporter = reporterOfCaller(reporting, { tenant: tenantAssumed ? undefined : tenant, boundPod })
    return yield* Either.mapLeft(reporter, (message) => new Forbidden({ message }))
  })

export const record: Handler<"recordEvent"> = (request) =>
  Effect.gen(function* () {
    const { reporting } = yield* HttpSettings
    const own = yield* ofOwnUnit(request.caller)
    return yield* takeEvent(request, {
      jobId: request.params.id,
      behindSidecar: reporting.podBinding !== undefined,
      ...own
    })
  })
