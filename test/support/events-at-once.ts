/** Final events, deletions and repetitions at the same moment, sent to several servers on one database in turn. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { at, eventBody, type HttpApp, idOf, jobBody, jobsPath } from "./http-app.ts"
import type { Answered } from "./http-client.ts"

type App = typeof HttpApp.Service

const completed = eventBody({ status: "completed", metrics: { acc: 0.5 } })
const failed = eventBody({ status: "failed", error_message: { message: "no", message_code: "no_samples_scored" } })
const twoBenchmarks = [
  { id: "b", provider_id: "p" },
  { id: "plain", provider_id: "p" }
]

const rounds = Array.from({ length: 24 }, (_, number) => number)
const atOnce = { concurrency: "unbounded" } as const

/** runs everything; `servers` share a database */
export const eventsAtOnce = (servers: readonly [App, App]) =>
  Effect.gen(function* () {
    const turn = (number: number): App => servers[number % 2 === 0 ? 0 : 1]
    const create = (number: number, benchmarks: ReadonlyArray<object> = [{ id: "b", provider_id: "p" }]) =>
      Effect.map(turn(number).send("POST", jobsPath, { body: jobBody({ benchmarks }) }), idOf)
    const post = (number: number, id: string, body: object) =>
      turn(number).send("POST", `${jobsPath}/${id}/events`, { body })
    const recordOf = (number: number, id: string) => turn(number).send("GET", `${jobsPath}/${id}`)
    const statusOf = (answer: Answered) => at(answer.json, "status.benchmarks.0.status")

    // two different final events: one is taken, and it is the one that is shown
    for (const number of rounds) {
      const id = yield* create(number)
      const answers = yield* Effect.all([post(number, id, completed), post(number + 1, id, failed)], atOnce)
      const taken = answers.map(({ status }) => status)
      assert.sameMembers(taken, [200, 409])
      const record = yield* recordOf(number, id)
      assert.strictEqual(statusOf(record), taken[0] === 200 ? "completed" : "failed")
      assert.strictEqual(at(record.json, "status.state"), taken[0] === 200 ? "completed" : "failed")
      assert.deepStrictEqual(
        at(record.json, "results.benchmarks.0.metrics"),
        taken[0] === 200 ? { acc: 0.5 } : undefined,
        record.text
      )
    }
    // a cancel and the last event: whoever is first decides, and the other one is told
    for (const number of rounds) {
      const id = yield* create(number)
      const [event, cancel] = yield* Effect.all(
        [post(number, id, completed), turn(number + 1).send("DELETE", `${jobsPath}/${id}`)],
        atOnce
      )
      const state = at((yield* recordOf(number, id)).json, "status.state")
      assert.deepStrictEqual(
        [event.status, cancel.status, state],
        event.status === 200 ? [200, 409, "completed"] : [409, 204, "cancelled"]
      )
    }
    // a hard delete and the last event: the record is gone either way, and nothing comes back
    for (const number of rounds) {
      const id = yield* create(number)
      const [event, removal] = yield* Effect.all(
        [post(number, id, completed), turn(number + 1).send("DELETE", `${jobsPath}/${id}?hard_delete=true`)],
        atOnce
      )
      assert.include([200, 404], event.status)
      assert.deepStrictEqual(
        [removal.status, (yield* recordOf(number, id)).status, (yield* post(number, id, completed)).status],
        [204, 404, 404]
      )
    }
    // the same final event a hundred times: taken once, acknowledged always
    const id = yield* create(0, twoBenchmarks)
    const repeated = yield* Effect.forEach(
      Array.from({ length: 100 }, (_, number) => number),
      (number) => post(number, id, completed),
      { concurrency: 20 }
    )
    assert.deepStrictEqual([...new Set(repeated.map(({ status }) => status))], [200])
    assert.strictEqual(repeated.filter(({ json }) => at(json, "applied") === true).length, 1)
    const record = yield* recordOf(0, id)
    assert.deepStrictEqual([at(record.json, "status.state"), statusOf(record)], ["running", "completed"])
    // and two cancels at once are one
    const cancels = yield* Effect.all(
      [0, 1].map((number) => turn(number).send("DELETE", `${jobsPath}/${id}`)),
      atOnce
    )
    assert.deepStrictEqual(
      cancels.map(({ status }) => status),
      [204, 204]
    )
    assert.strictEqual(at((yield* recordOf(0, id)).json, "status.state"), "cancelled")
  })
