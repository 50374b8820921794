/** Jobs that have ended with samples of which so many are right, for what compares and judges them. */
import { Effect } from "effect"
import { eventBody, HttpApp, idOf, jobBody, jobsPath } from "../../../../support/http-app.ts"

const hash = (index: number, words = "a") => `${words.repeat(58)}${String(index).padStart(6, "0")}`

export interface Run {
  readonly right: number
  readonly of?: number
  readonly words?: string
  readonly value?: number
  readonly model?: string
  readonly gate?: unknown
  readonly headers?: { readonly [name: string]: string }
}

/** its id: a finished job whose first `right` of its items are right */
export const ended = ({ right, of = 200, words = "a", value = right / of, model = "m", gate, headers = {} }: Run) =>
  Effect.gen(function* () {
    const http = yield* HttpApp
    const made = yield* http.send("POST", jobsPath, {
      headers,
      body: jobBody({
        model: { url: "http://model.example.com/v1", name: model },
        ...(gate === undefined ? {} : { gate })
      })
    })
    const id = idOf(made)
    const records = Array.from({ length: of }, (_, index) =>
      JSON.stringify({
        ...{ v: 1, sample_id: `t:${index}`, task: "t", index, repeat: 0, prompt_sha256: hash(index, words) },
        verdict: index < right ? "correct" : "incorrect"
      })
    )
    yield* http.send("POST", `${jobsPath}/${id}/benchmarks/0/samples`, {
      headers: { ...headers, "content-type": "application/x-ndjson" },
      body: records.join("\n")
    })
    yield* http.send("POST", `${jobsPath}/${id}/events`, {
      headers,
      body: eventBody({ status: "completed", metrics: { acc: value } })
    })
    return id
  })
