/** Logs of benchmarks as plain text. Reference: api.md, "Logs". */
import { Deferred, Effect, Either, Stream } from "effect"
import { NotFound } from "../../../application/errors.ts"
import { benchmarkLog, jobLogs, type LogRequest } from "../../../application/jobs/logs/job-logs.ts"
import type { UnitLog } from "../../../application/ports/runtime.ts"
import { defined } from "../../../values/defined.ts"
import type { logQuery } from "../dto/list-queries.ts"
import type { Values } from "../dto/query.ts"
import type { ErrorContent } from "../error-response.ts"
import type { Answer } from "../exchange.ts"
import type { GuardedRequest, Handler } from "../handler.ts"
import { Streams } from "../listener/streams.ts"
import { whileLetIn } from "../middleware/review-again.ts"
import { Draining } from "../services.ts"
import { readQuery } from "./read-request.ts"

const query = (request: GuardedRequest<unknown, Values<typeof logQuery>>) =>
  Either.map(readQuery(request), ({ tail_lines, since_seconds, contains, timestamps, follow }): LogRequest => {
    // for HEAD one line is enough to know that there is a log
    if (request.method === "HEAD") return { tailLines: 1, timestamps, follow: false }
    return {
      tailLines: tail_lines,
      timestamps,
      follow,
      ...defined({ sinceSeconds: since_seconds, contains })
    }
  })

const encoder = new TextEncoder()

/** the caller's rights ended while it followed */
const lastLine = ({ code, message }: ErrorContent): Uint8Array =>
  encoder.encode(`\n[evald] the log is no longer followed: ${code}: ${message}\n`)

/** log text is only text: a browser must not run it */
const answer = (
  { caller, method, sink }: GuardedRequest,
  { text, source }: { readonly text: UnitLog["text"]; readonly source?: UnitLog["source"] },
  { follow }: LogRequest
) =>
  Effect.gen(function* () {
    if (follow) yield* (yield* Streams).enter(caller.tenant, sink)
    const draining = yield* Draining
    const headers = {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      ...defined({ "x-log-source": source })
    }
    // nobody reads what was opened
    if (method === "HEAD") yield* Stream.runDrain(text)
    const answered: Answer<never> = {
      status: 200,
      headers,
      body: follow ? Stream.interruptWhen(whileLetIn(text, caller, lastLine), Deferred.await(draining)) : text
    }
    return answered
  })

export const ofJob: Handler<"getJobLogs"> = (request) =>
  Effect.gen(function* () {
    const read = yield* query(request)
    return yield* answer(request, { text: yield* jobLogs(request.caller, request.params.id, read) }, read)
  })

export const ofBenchmark: Handler<"getBenchmarkLogs"> = (request) =>
  Effect.gen(function* () {
    const read = yield* query(request)
    const { id, index } = request.params
    if (!/^\d{1,6}$/.test(index)) return yield* new NotFound({ kind: "log", id: index })
    return yield* answer(request, yield* benchmarkLog(request.caller, id, Number(index), read), read)
  })
