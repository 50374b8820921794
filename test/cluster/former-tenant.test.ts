/** T2: a namespace that is a tenant no more, as the operator leaves it behind: its users read nothing of it until it is one again. Reference: api.md, "Tenants". */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { roleBindings } from "../../infrastructure/kubernetes/operator/kinds.ts"
import { at } from "../support/http-app.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { deployment } from "./support/running-server.ts"

const live = { excludeTestServices: true, timeout: "120 seconds" } as const
const lane = "launch" as const

describe.skipIf(noControlPlane)("T2: a former tenant", () => {
  layer(cluster, live)("on a real control plane", (it) => {
    it.scoped("old jobs can not be read once jobs have no rights there, and can be when they have them again", () =>
      Effect.gen(function* () {
        const { admin } = yield* Cluster
        const made = yield* deployment({ settings: { auth: { cache: { allow_seconds: 0 } } } })
        const server = yield* made.start
        const tenant = yield* made.tenant
        const id = yield* tenant.submit(server)
        const read = tenant.call(server, "GET", `jobs/${id}`)
        assert.strictEqual((yield* read).status, 200)
        const bindings = yield* tenant.inTenant(roleBindings)
        const access = bindings.find((one) => String(at(one, "roleRef.name")).endsWith("job-access"))
        if (access === undefined) return assert.fail("jobs have no rights to begin with")
        const { name } = access.metadata
        yield* admin.remove(
          { resource: roleBindings, namespace: tenant.name, name, lane },
          { propagation: "Background" }
        )
        const refused = yield* eventually("refused", read, ({ status }) => status === 403)
        assert.include(String(at(refused.json, "message")), `namespace '${tenant.name}' is no tenant`)
        yield* admin.create(
          { resource: roleBindings, namespace: tenant.name, lane },
          { ...access, metadata: { name, namespace: tenant.name } }
        )
        const again = yield* eventually("read again", read, ({ status }) => status === 200)
        assert.strictEqual(at(again.json, "resource.id"), id)
      })
    )
  })
})
