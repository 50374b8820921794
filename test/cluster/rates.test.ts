/**
 * T2: how fast a server process launches and takes events on a real API server, and how many calls of the API that takes. The figures are
 * printed; only the number of calls is asserted, because it does not depend on the machine.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { configMaps } from "../../infrastructure/kubernetes/client/resources.ts"
import { layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { deployment } from "./support/running-server.ts"

const live = { excludeTestServices: true, timeout: "240 seconds" } as const
const benchmarks = 150
const events = 600
const senders = 8

const say = (text: string) => process.stderr.write(`T2 figure: ${text}\n`)

describe.skipIf(noControlPlane)("T2: rates", () => {
  layer(cluster, live)("against a real API server", (it) => {
    it.scoped("launching: at most five calls for each benchmark; events: none", () =>
      Effect.gen(function* () {
        const made = yield* deployment({ k8s: { client: { qps: 1000, burst: 1000 } } })
        const server = yield* made.start
        const tenant = yield* made.tenant
        const metric = (pattern: RegExp) =>
          Effect.promise(async () => {
            const text = await (await fetch(`${server.url}/metrics`)).text()
            return [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0)
          })
        const launchCalls = metric(/^evald_cluster_calls_total\{lane="launch"[^}]*\} (\d+)$/gm)
        const allCalls = metric(/^evald_cluster_calls_total\{[^}]*\} (\d+)$/gm)
        // the first job waits for the bindings, and warms everything up
        yield* tenant.submit(server)
        const specs = Effect.map(
          tenant.inTenant(configMaps),
          (all) => all.filter(({ metadata }) => metadata.name.endsWith("-spec")).length
        )
        yield* eventually("the first", specs, (found) => found === 1)

        const [callsBefore, began] = [yield* launchCalls, performance.now()]
        const id = yield* tenant.submit(server, benchmarks)
        yield* eventually("all launched", specs, (found) => found === benchmarks + 1)
        const launchSeconds = (performance.now() - began) / 1000
        const calls = (yield* launchCalls) - callsBefore
        say(
          `${(benchmarks / launchSeconds).toFixed(0)} benchmarks launched per second, ${(calls / benchmarks).toFixed(2)} API calls each (limit of calls per second: 1,000)`
        )
        assert.isAtMost(calls / benchmarks, 5)

        const eventsBegan = performance.now()
        const reviewCalls = metric(/^evald_cluster_calls_total\{lane="review"[^}]*\} (\d+)$/gm)
        yield* tenant.report(server, id, { status: "running" })
        const reviewsBefore = yield* reviewCalls
        const others = (yield* allCalls) - reviewsBefore
        yield* Effect.forEach(
          Array.from({ length: events }, (_, number) => number),
          (number) =>
            Effect.map(
              tenant.report(server, id, {
                status: "running",
                progress: { completed_steps: number, total_steps: events }
              }),
              ({ status }) => assert.strictEqual(status, 200)
            ),
          { concurrency: senders, discard: true }
        )
        const seconds = (performance.now() - eventsBegan) / 1000
        const reviews = (yield* reviewCalls) - reviewsBefore
        const more = (yield* allCalls) - (yield* reviewCalls) - others
        say(
          `${(events / seconds).toFixed(0)} events per second from ${senders} senders, ${reviews} reviews and ${more} other API calls for all ${events}`
        )
        // reviews are remembered; signals and watches go on beside
        assert.isAtMost(reviews, 10)
        assert.isBelow(more, events)
      })
    )
  })
})
