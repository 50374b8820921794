/**
 * T2: a server process whose way to the real API server is cut and restored: callers are refused with 503 meanwhile, whoever they are and
 * whatever they ask, and what was accepted is launched afterwards. Reference: cluster-objects.md, "Reviews".
 */
import { connect, createServer, type Socket } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { jobs } from "../../infrastructure/kubernetes/client/resources.ts"
import { apiRoutes } from "../../interfaces/http/api.ts"
import { at } from "../support/http-app.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { deployment } from "./support/running-server.ts"

const live = { excludeTestServices: true, timeout: "120 seconds" } as const

/** a way to another port of this machine that can be cut */
const relayTo = (target: URL) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly url: string; readonly cut: (off: boolean) => void; readonly close: () => void }>(
          (resolve) => {
            const open = new Set<Socket>()
            let isCut = false
            const server = createServer((near) => {
              if (isCut) return void near.destroy()
              const far = connect(Number(target.port), target.hostname)
              for (const [socket, other] of [
                [near, far],
                [far, near]
              ] as const) {
                open.add(socket)
                socket.on("error", () => {})
                socket.once("close", () => {
                  open.delete(socket)
                  other.destroy()
                })
                socket.pipe(other)
              }
            })
            const drop = () => {
              for (const socket of open) socket.destroy()
            }
            server.listen(0, "127.0.0.1", () => {
              const address = server.address()
              const port = typeof address === "object" && address !== null ? address.port : 0
              resolve({
                url: `${target.protocol}//127.0.0.1:${port}`,
                cut: (off) => {
                  isCut = off
                  if (off) drop()
                },
                close: () => {
                  drop()
                  server.close()
                }
              })
            })
          }
        )
    ),
    ({ close }) => Effect.sync(close)
  )

describe.skipIf(noControlPlane)("T2: an API server out of reach", () => {
  layer(cluster, live)("of a server process", (it) => {
    it.scoped("every principal on every route gets 503 with Retry-After, and all is as before once it is back", () =>
      Effect.gen(function* () {
        const { connectionAs } = yield* Cluster
        const relay = yield* relayTo(new URL(connectionAs("").server))
        // nothing is remembered: each request asks
        const made = yield* deployment({ server: relay.url, settings: { auth: { cache: { allow_seconds: 0 } } } })
        const server = yield* made.start
        const tenant = yield* made.tenant
        const id = yield* tenant.submit(server)
        yield* eventually("launched", tenant.inTenant(jobs), ({ length }) => length === 1)
        relay.cut(true)
        const routes = apiRoutes().filter(({ path }) => path.startsWith("/api/v1/evaluations"))
        const principals = {
          user: tenant.asUser,
          runner: tenant.asRunner,
          nobody: { token: "made-up", tenant: tenant.name },
          elsewhere: { ...tenant.asUser, tenant: "other" }
        }
        for (const [who, as] of Object.entries(principals))
          for (const { method, path } of routes) {
            const answer = yield* Effect.promise(() =>
              fetch(`${server.url}${path.replace(/:id|\{id\}/, id).replaceAll(/:\w+|\{\w+\}/g, "0")}`, {
                method,
                headers: { authorization: `Bearer ${as.token}`, "x-tenant": as.tenant }
              })
            )
            const body = yield* Effect.promise(() => answer.text())
            const found = [
              answer.status,
              answer.headers.get("retry-after"),
              method === "HEAD" ? "review_unavailable" : at(JSON.parse(body), "message_code")
            ]
            assert.deepStrictEqual(found, [503, "5", "review_unavailable"], `${who} ${method} ${path}`)
          }
        const health = yield* Effect.promise(() => fetch(`${server.url}/api/v1/health`))
        assert.strictEqual(health.status, 200)
        relay.cut(false)
        const again = yield* eventually(
          "let in again",
          tenant.call(server, "GET", `jobs/${id}`),
          ({ status }) => status === 200
        )
        assert.strictEqual(at(again.json, "status.state"), "pending")
        yield* tenant.submit(server)
        yield* eventually("both launched", tenant.inTenant(jobs), ({ length }) => length === 2)
      })
    )
  })
})
