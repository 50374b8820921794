/** Over HTTP: whatever the clock does, nothing ends before it begins, pages hold every job once, and changes come in order. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { layer as app, at, eventBody, HttpApp, idOf, jobBody, jobsPath } from "../../../support/http-app.ts"
import { hour, jumpingClock } from "../../../support/jumping-clock.ts"

interface Shown {
  readonly resource: { readonly id: string; readonly created_at: string; readonly updated_at: string }
  readonly status: {
    readonly state: string
    readonly benchmarks: ReadonlyArray<{ readonly started_at?: string; readonly completed_at?: string }>
  }
}

const completed = eventBody({ status: "completed", metrics: { acc: 0.5 } })
const failed = eventBody({ status: "failed", error_message: { message: "no", message_code: "no_samples_scored" } })

it.scopedLive("a clock set forward and back by an hour keeps records, pages and changes in order", () =>
  Effect.gen(function* () {
    const { clock, jump } = yield* jumpingClock
    const http = Context.get(yield* Effect.withClock(Layer.build(app()), clock), HttpApp)
    const ids: Array<string> = []
    const stream = yield* http.stream(`${jobsPath}?watch=true`)
    for (const [round, last] of [completed, failed, undefined, completed, failed, undefined].entries()) {
      const by = round % 2 === 0 ? -hour : hour
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody({ name: `job ${round}` }) }))
      ids.push(id)
      yield* jump(by)
      if (round < 3) yield* http.send("POST", `${jobsPath}/${id}/events`, { body: eventBody() })
      yield* jump(-by)
      yield* jump(-by)
      const ended =
        last === undefined
          ? yield* http.send("DELETE", `${jobsPath}/${id}`)
          : yield* http.send("POST", `${jobsPath}/${id}/events`, { body: last })
      assert.include([200, 204], ended.status)
      yield* jump(by)
      const record = (yield* http.send("GET", `${jobsPath}/${id}`)).json as Shown
      const [benchmark] = record.status.benchmarks
      const times = [
        record.resource.created_at,
        benchmark?.started_at ?? record.resource.created_at,
        benchmark?.completed_at ?? ""
      ]
      assert.deepStrictEqual(times, [...times].sort(), `round ${round}: created, started, completed`)
      assert.isAtLeast(Date.parse(record.resource.updated_at), Date.parse(record.resource.created_at))
      yield* jump(round === 3 ? -hour : 0)
    }
    const paged: Array<Shown> = []
    let next: string | undefined = `${jobsPath}?cursor=&limit=2`
    while (next !== undefined) {
      const page: { readonly json: unknown } = yield* http.send("GET", next)
      paged.push(...(at(page.json, "items") as ReadonlyArray<Shown>))
      next = at(page.json, "next.href") as string | undefined
    }
    assert.sameMembers(
      paged.map(({ resource }) => resource.id),
      ids
    )
    assert.strictEqual(paged.length, ids.length)
    const created = paged.map(({ resource }) => resource.created_at)
    assert.deepStrictEqual(created, [...created].sort().reverse())
    // the server did see its clock change
    assert.isAbove(Date.parse(created[0] ?? "") - Date.parse(created.at(-1) ?? ""), hour / 2)
    assert.deepStrictEqual(ids, [...ids].sort(), "ids follow the order of creation")
    const text = yield* stream.until(...ids)
    const numbers = [...text.matchAll(/^id: (\d+)/gm)].map(([, number]) => Number(number))
    assert.deepStrictEqual(
      numbers,
      [...numbers].sort((a, b) => a - b)
    )
    yield* stream.close
  })
)
