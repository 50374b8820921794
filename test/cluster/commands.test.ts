/** T2: every command against a server whose callers the real control plane reviews, typed with the role that is shipped for users. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { commandsWithServer, everyCommand, loggingRuntime } from "../support/command-line/every-command.ts"
import { eventBody, HttpApp, jobsPath } from "../support/http-app.ts"
import { temporaryFolder } from "../support/storage.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { reviewedApp } from "./support/reviewed-app.ts"

describe.skipIf(noControlPlane)("T2: the command line", () => {
  const setUp = Layer.unwrapEffect(
    Effect.gen(function* () {
      const { addApiAccount } = yield* Cluster
      return reviewedApp({ api: yield* addApiAccount, runtime: loggingRuntime })
    })
  )
  layer(setUp.pipe(Layer.provideMerge(cluster)), { excludeTestServices: true, timeout: "120 seconds" })(
    "of a user that the cluster reviews",
    (it) => {
      it.scoped("does with every command what it is for", () =>
        Effect.gen(function* () {
          const { addNamespace, addAccount, grant, tokenOf } = yield* Cluster
          const { port, send } = yield* HttpApp
          const tenant = yield* addNamespace("team")
          const member = (name: string, role: string) =>
            Effect.gen(function* () {
              const account = yield* addAccount(tenant, name)
              yield* grant(tenant, role, { kind: "ServiceAccount", ...account })
              return yield* tokenOf(account)
            })
          const [userToken, adapterToken] = [yield* member("user", "tenant-user"), yield* member("job", "job-access")]
          const statusAs = (token: string, method: string, path: string) => {
            const headers = { authorization: `Bearer ${token}`, "x-tenant": tenant }
            const body = method === "GET" ? {} : { body: eventBody() }
            return Effect.map(send(method, path, { headers, ...body }), ({ status }) => status)
          }
          for (const look of [
            statusAs(userToken, "GET", jobsPath),
            statusAs(adapterToken, "POST", `${jobsPath}/absent/events`)
          ])
            yield* eventually("the binding", look, (status) => status !== 403)
          const server = `http://127.0.0.1:${port}`
          const folder = yield* temporaryFolder
          const typed = yield* Effect.promise(() =>
            everyCommand({ server, adapterToken, userToken, tenant, folder, environment: { EVALD_SERVER: server } })
          )
          assert.sameMembers([...typed], [...commandsWithServer])
        })
      )
    }
  )
})
