/** A provider of the tenant of which one benchmark may stop early, and jobs of it. */
import { Effect } from "effect"
import { HttpApp, idOf, jobBody, jobsPath } from "../../../../support/http-app.ts"

/** its id: benchmark `b` may stop early and `c` may not */
export const stoppableProvider = Effect.gen(function* () {
  const http = yield* HttpApp
  const row = { primary_score: { metric: "acc" }, metrics: ["acc", "f1"] }
  const body = {
    name: "own",
    runtime: { local: { command: "true" } },
    benchmarks: [
      { id: "b", ...row, requirements: { flags: ["stoppable"] } },
      { id: "c", ...row }
    ]
  }
  return idOf(yield* http.send("POST", "/api/v1/evaluations/providers", { body }))
})

export interface Submitted {
  readonly model?: string
  readonly parameters?: object
}

/** the answer to a job of both benchmarks with these members */
export const submitted = (providerId: string, given: object = {}, { model = "m", parameters = {} }: Submitted = {}) =>
  Effect.flatMap(HttpApp, (http) =>
    http.send("POST", jobsPath, {
      body: jobBody({
        model: { url: "http://model.example.com/v1", name: model },
        benchmarks: ["b", "c"].map((id) => ({ id, provider_id: providerId, parameters })),
        ...given
      })
    })
  )
