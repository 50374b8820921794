/**
 * Status events of adapters, on the plain route and below a callback secret. Lenient on purpose: losing a terminal event is worse than a
 * typo. Reference: adapter-contract.md, "Events".
 */
import { Effect, Either } from "effect"
import { Forbidden, Invalid } from "../../../application/errors.ts"
import { type EventTarget, recordEvent } from "../../../application/jobs/record-event.ts"
import { violation } from "../../../domain/violation.ts"
import { decodeStatusEvent } from "../../../providers/contract/status-event.ts"
import { benchmarkStatusWire } from "../dto/benchmark-status.ts"
import { readNothing } from "../dto/list-queries.ts"
import { type Exchange, json } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { Metrics } from "../metrics/metrics.ts"
import type { AuthenticatedCaller } from "../middleware/authentication.ts"
import { ignoredMembers, warningHeader } from "../middleware/warnings.ts"
import { HttpSettings, type PodBinding } from "../services.ts"
import { acceptsJson, readLenientDocument } from "./read-request.ts"

export const takeEvent = (request: Exchange, target: EventTarget) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const { value, shortened, notes: rounded } = yield* readLenientDocument(request)
    const decoded = decodeStatusEvent(value)
    if (Either.isLeft(decoded)) {
      const [first, ...rest] = decoded.left
      return yield* new Invalid({ violations: [first ?? violation("", "the event is not valid"), ...rest] })
    }
    const { unknownMembers, setAside } = decoded.right
    const notes = [
      ...shortened.map((name) => `the event has too many values; of ${name} only the first ones were taken`),
      ...rounded,
      ...(decoded.right.event.notes ?? [])
    ]
    const event = notes.length === 0 ? decoded.right.event : { ...decoded.right.event, notes }
    const { applied, benchmark, head } = yield* Effect.uninterruptible(recordEvent(target, event))
    const metrics = yield* Metrics
    metrics.event(applied ? "applied" : "repeated")
    const warnings = [...notes, ...setAside, ...ignoredMembers(unknownMembers)]
    return json({ job_id: head.id, state: head.state, benchmark: benchmarkStatusWire(benchmark), applied }, warningHeader(warnings))
  }).pipe(Effect.tapError(() => Effect.map(Metrics, (metrics) => metrics.event("refused"))))

/** one benchmark's token can not write another's result */
const boundTo = (binding: PodBinding | undefined, pod: string | undefined): Either.Either<Pick<EventTarget, "isOwnUnit">, Forbidden> => {
  if (binding === undefined) return Either.right({})
  if (pod === undefined)
    return binding.required
      ? Either.left(new Forbidden({ message: "events need a token that is bound to the benchmark's pod (auth.callbacks.pod_binding)" }))
      : Either.right({})
  return Either.right({ isOwnUnit: (unit) => pod.startsWith(`${unit.backingName ?? binding.backingName(unit)}-`) })
}

/** what the caller may report on the plain routes */
export const ofOwnUnit = ({ tenant, tenantAssumed, boundPod }: AuthenticatedCaller) =>
  Effect.gen(function* () {
    const { requireCallbackSecret, podBinding } = yield* HttpSettings
    if (requireCallbackSecret)
      return yield* new Forbidden({ message: "events and samples are taken at the callback address of the benchmark only (local.require_callback_secret)" })
    const bound = yield* boundTo(podBinding, boundPod)
    // existing adapters send no tenant locally: the job's own one counts, whatever it is
    return { ...(tenantAssumed ? {} : { tenant }), ...bound }
  })

export const record: Handler<"recordEvent"> = (request) =>
  Effect.flatMap(ofOwnUnit(request.caller), (own) => takeEvent(request, { jobId: request.params.id, ...own }))
