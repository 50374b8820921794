/**
 * Three servers on one PostgreSQL are replaced one after the other, twice, under load, while the schema of the next release comes in between: old
 * and new ones work on the same jobs. Clients and senders of events that try again see no failure, and everything that was acknowledged counts once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { checkDatabase } from "../../../infrastructure/sql/connection/check.ts"
import { Database } from "../../../infrastructure/sql/connection/client.ts"
import { layer as databaseLayer } from "../../../infrastructure/sql/connection/open.ts"
import { layer as app, eventBody, HttpApp, jobBody, jobsPath } from "../../support/http-app.ts"
import { configOf, freshSchema, postgresAt } from "../../support/postgres.ts"
import { toNextRelease } from "../../support/releases/next-release.ts"

const clients = 6
const rounds = 2
/** jobs that are done between two replacements, so that every server has had its part of each */
const jobsBetween = 12

interface Answer {
  readonly status: number
  readonly text: string
}

/** the fleet behind a balancer that knows who is there, a little late */
const fleet = (url: string) => {
  const ports: Array<number> = []
  let turns = 0
  let retries = 0
  const start = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(app({ storage: postgresAt(url) }), scope)
    const { port } = Context.get(context, HttpApp)
    ports.push(port)
    return {
      stop: Effect.suspend(() => {
        // still asked for a moment: requests meet a server that goes away
        const leaving = Scope.close(scope, Exit.void)
        return Effect.ensuring(
          leaving,
          Effect.sync(() => void ports.splice(ports.indexOf(port), 1))
        )
      })
    }
  })
  const once = async (method: string, path: string, body: object | undefined, headers: object): Promise<Answer> => {
    const port = ports[turns++ % ports.length]
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: answer.status, text: await answer.text() }
  }
  const ask = (method: string, path: string, body?: object, headers: object = {}): Effect.Effect<Answer> =>
    Effect.promise(async () => {
      for (let tries = 0; tries < 100; tries++) {
        const answer = await once(method, path, body, headers).catch(() => undefined)
        if (answer !== undefined && answer.status < 500) return answer
        retries++
        await new Promise((wake) => setTimeout(wake, 20))
      }
      throw new Error(`${method} ${path} failed a hundred times`)
    })
  return { start, ask, retries: () => retries }
}

describe("a rolling update", () => {
  it.scopedLive("loses no event and fails no client that tries again; old and new servers share the work", () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      const { start, ask, retries } = fleet(url)
      const members = yield* Effect.all([start, start, start])
      const finished = new Map<string, number>()
      let isOver = false
      const client = (name: number) =>
        Effect.gen(function* () {
          for (let round = 0; !isOver; round++) {
            const submitted = yield* ask("POST", jobsPath, jobBody({ name: `${name}-${round}` }), {
              "idempotency-key": `${name}-${round}`
            })
            assert.strictEqual(submitted.status, 202, submitted.text)
            const { id } = (JSON.parse(submitted.text) as { readonly resource: { readonly id: string } }).resource
            const events = `${jobsPath}/${id}/events`
            const running = yield* ask("POST", events, eventBody())
            assert.strictEqual(running.status, 200, running.text)
            const value = (name * 1000 + round) / 1_000_000
            const done = yield* ask("POST", events, eventBody({ status: "completed", metrics: { acc: value } }))
            // 409: the answer to the same event was lost on its way
            assert.include([200, 409], done.status, done.text)
            finished.set(id, value)
          }
        })
      const jobsMore = (from: number) =>
        Effect.promise(async () => {
          while (finished.size < from + jobsBetween) await new Promise((wake) => setTimeout(wake, 20))
        })
      const roll = Effect.gen(function* () {
        for (let round = 0; round < rounds; round++)
          for (const [place, member] of members.entries()) {
            yield* jobsMore(finished.size)
            // the next one is ready before the last one goes
            members[place] = yield* start
            yield* member.stop
            if (round === 0 && place === 0) yield* toNextRelease(url)
          }
        yield* jobsMore(finished.size)
        isOver = true
      })
      yield* Effect.all([roll, ...Array.from({ length: clients }, (_, name) => client(name))], {
        concurrency: "unbounded",
        discard: true
      })

      const list = yield* ask("GET", `${jobsPath}?limit=1`)
      assert.strictEqual((JSON.parse(list.text) as { readonly total_count: number }).total_count, finished.size)
      assert.isAtLeast(finished.size, jobsBetween * (3 * rounds + 1))
      for (const [id, value] of finished) {
        const { text } = yield* ask("GET", `${jobsPath}/${id}`)
        const record = JSON.parse(text) as {
          readonly status: { readonly state: string }
          readonly results: { readonly benchmarks: ReadonlyArray<{ readonly metrics: unknown }> }
        }
        assert.strictEqual(record.status.state, "completed", id)
        assert.deepStrictEqual(
          record.results.benchmarks.map(({ metrics }) => metrics),
          [{ acc: value }]
        )
      }
      // the log of changes: each job came once, ran once and ended once
      const inDatabase = Effect.flatMap(Database, (database) =>
        database.read("test", (session) =>
          session.query<{ kind: string; least: number; most: number; jobs: number }>(
            `SELECT kind, min(n)::int AS least, max(n)::int AS most, count(*)::int AS jobs
             FROM (SELECT kind, job_id, count(*) AS n FROM changes GROUP BY kind, job_id) c GROUP BY kind ORDER BY kind`,
            []
          )
        )
      )
      assert.deepStrictEqual(yield* Effect.provide(inDatabase, databaseLayer(configOf(url))), [
        { kind: "created", least: 1, most: 1, jobs: finished.size },
        { kind: "updated", least: 2, most: 2, jobs: finished.size }
      ])
      assert.deepStrictEqual(yield* Effect.provide(checkDatabase, databaseLayer(configOf(url))), [])
      yield* Effect.logDebug(`${finished.size} jobs, ${retries()} requests were sent again`)
      yield* Effect.forEach(members, ({ stop }) => stop, { concurrency: "unbounded", discard: true })
    })
  )
})
