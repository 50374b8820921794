/** The demo as a client: submits the job, shows its progress, prints the result and how to go on. What it shows comes from the API alone. */
import { Clock, Console, Effect, Ref, Schedule, Stream } from "effect"
import { defined } from "../../../values/defined.ts"
import type { Operation } from "../../http/api.ts"
import { DemoFailed, get, submit, watch } from "./api-client.ts"
import { isFinished, type JobView } from "./job-view.ts"
import type { DemoOptions } from "./options.ts"
import { bars, changes, observe, type Sightings } from "./progress.ts"
import { failures, isHollow, overall, remarks, resultTable } from "./result-table.ts"

export interface Endpoint {
  readonly url: string
  readonly name: string
  /** local secret that holds the key, when the endpoint needs one */
  readonly secretRef: string | undefined
  readonly isDemoModel: boolean
}

export interface Screen {
  /** undefined when the output is not a terminal */
  readonly columns: number | undefined
  readonly rows: number
  readonly write: (text: string) => void
}

const settingsOf = ({ maxTokens, temperature }: DemoOptions) => ({
  ...defined({ max_tokens: maxTokens, temperature })
})

export const jobBody = (options: DemoOptions, endpoint: Endpoint): Operation<"submitJob">["payload"] => ({
  name: endpoint.isDemoModel ? "demo on the demo model" : `demo on ${endpoint.name}`.slice(0, 256),
  model: {
    url: endpoint.url,
    name: endpoint.name,
    ...(endpoint.secretRef === undefined ? {} : { auth: { secret_ref: endpoint.secretRef } }),
    ...(options.maxTokens === undefined && options.temperature === undefined ? {} : { parameters: settingsOf(options) })
  },
  ...(options.benchmarks.length === 0
    ? { collection: { id: options.collection } }
    : {
        benchmarks: options.benchmarks.map(({ id, providerId }) => ({
          id,
          provider_id: providerId,
          ...(options.numExamples === undefined ? {} : { parameters: { num_examples: options.numExamples } })
        }))
      })
})

const draw = (screen: Screen, before: JobView | undefined, job: JobView, sightings: Sightings, now: number): void => {
  if (screen.columns === undefined) {
    for (const line of changes(before, job, sightings, now)) screen.write(`${line}\n`)
    return
  }
  const lines = bars(job, sightings, now, { columns: screen.columns, rows: screen.rows })
  const up = before === undefined ? "" : `\u001b[${lines.length}A`
  screen.write(`${up}${lines.map((line) => `\u001b[2K${line}\n`).join("")}`)
}

const follow = (baseUrl: string, first: JobView, screen: Screen) =>
  Effect.gen(function* () {
    const shown = yield* Ref.make<{ readonly job: JobView | undefined; readonly sightings: Sightings }>({
      job: undefined,
      sightings: new Map()
    })
    const show = (job: JobView) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { job: before, sightings } = yield* Ref.get(shown)
        const next = observe(sightings, job, now)
        yield* Effect.sync(() => draw(screen, before, job, next, now))
        yield* Ref.set(shown, { job, sightings: next })
      })
    yield* show(first)
    const until = watch(baseUrl, first.resource.id).pipe(
      Stream.takeUntil(isFinished),
      Stream.runForEach(show),
      Effect.zipRight(get(baseUrl, first.resource.id)), // the stream may end early, and a change may have been missed between two connections
      Effect.tap(show)
    )
    return yield* until.pipe(
      Effect.filterOrFail(
        isFinished,
        () => new DemoFailed({ message: "the event stream ended before the job did", exitCode: 1 })
      ),
      Effect.retry(Schedule.spaced("500 millis").pipe(Schedule.intersect(Schedule.recurs(20))))
    )
  })

/** what was asked for, in the words of a job body */
const asked = ({ collection, benchmarks }: DemoOptions): string =>
  benchmarks.length === 0
    ? `"collection":{"id":"${collection}"}`
    : `"benchmarks":[${benchmarks.map(({ id, providerId }) => `{"id":"${id}","provider_id":"${providerId}"}`).join(",")}]`

const headline = (options: DemoOptions, { name, url, isDemoModel }: Endpoint, { status }: JobView): string => {
  const count = status.benchmarks.length
  const what = `${options.benchmarks.length === 0 ? `collection ${options.collection}, ` : ""}${count} benchmark${count === 1 ? "" : "s"}`
  return `evaluating ${name} at ${url}${isDemoModel ? ` (the demo model: skill ${options.skill}, scores follow it)` : ""}\n${what}`
}

const nextSteps = (
  baseUrl: string,
  job: JobView,
  endpoint: Endpoint,
  options: DemoOptions,
  unitsFolder: string
): ReadonlyArray<string> => [
  "Logs (log/jobrun.log) and sample records (results/samples), one folder per benchmark:",
  `  ${unitsFolder}/${job.resource.id}`,
  "",
  ...(options.keep
    ? [
        "The server is still running. The same with curl:",
        `  curl -s ${baseUrl}/api/v1/evaluations/jobs -H 'Content-Type: application/json' \\`,
        `    -d '{"name":"mine","model":{"url":"${endpoint.url}","name":"${endpoint.name}"},${asked(options)}}'`,
        `  curl -s ${baseUrl}/api/v1/evaluations/jobs/${job.resource.id}`,
        `Pages: ${baseUrl}/   the API: ${baseUrl}/docs`,
        "Stop it with Ctrl-C."
      ]
    : ["The same with curl: start a server that stays with `npm run demo -- --keep`; it prints the calls."]),
  "Your own endpoint:",
  "  npm run demo -- --model-url URL --model-name NAME [--api-key-file FILE] [--collection ID | --benchmark ID …] [--max-tokens N]"
]

/** 0: every benchmark completed, whatever the verdict; 1: one did not; 11: they did, but a result can not be believed */
export const exitCodeOf = (job: JobView): number => (job.status.state !== "completed" ? 1 : isHollow(job) ? 11 : 0)

/** submits, follows and prints; `unitsFolder` is where the runtime keeps the folders of jobs; answers the exit code */
export const runDemo = (
  baseUrl: string,
  options: DemoOptions,
  endpoint: Endpoint,
  screen: Screen,
  unitsFolder: string
): Effect.Effect<number, DemoFailed> =>
  Effect.gen(function* () {
    const first = yield* submit(baseUrl, jobBody(options, endpoint))
    yield* Console.log(`${headline(options, endpoint, first)}\njob ${first.resource.id} on ${baseUrl}\n`)
    const job = yield* follow(baseUrl, first, screen)
    yield* Console.log(
      [
        "",
        ...resultTable(job, screen.columns),
        "",
        overall(job),
        ...failures(job),
        ...remarks(job),
        "",
        ...nextSteps(baseUrl, job, endpoint, options, unitsFolder)
      ].join("\n")
    )
    return exitCodeOf(job)
  })
