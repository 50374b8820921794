/** A server that is neither local nor has a cluster: it listens, says once an hour what is missing, and accepts nothing that can not run. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger, LogLevel, Option } from "effect"
import { load } from "../../../../config/load.ts"
import { HttpAddress } from "../../../../interfaces/http/server.ts"
import * as Server from "../../../../interfaces/main/compose/server-layer.ts"
import { at, collectionsPath, jobsPath, providersPath } from "../../../support/http-app.ts"
import { type Sent, send } from "../../../support/http-client.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "evald-no-cluster-"))
    copyFileSync("config/auth.yaml", join(path, "auth.yaml"))
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const plan = (config: string, local: boolean) =>
  Effect.gen(function* () {
    const configDir = yield* folder
    writeFileSync(join(configDir, "config.yaml"), config)
    const environment = { PORT: "0", EVALD_HOST: "127.0.0.1", HOME: configDir }
    return { settings: yield* load(configDir, environment), configDir, local, environment }
  })

/** every warning the server logs */
const recorded = () => {
  const warnings: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning)) warnings.push(String(message))
  })
  return { warnings, logging: Logger.replace(Logger.defaultLogger, logger) }
}

const job = {
  name: "job",
  model: { url: "https://model.example.com/v1", name: "m" },
  benchmarks: [{ id: "arith_basic", provider_id: "evald" }]
}

it.scoped(
  "trusted headers without a cluster: health and docs answer, reads work, a job that can never run is 503, not ready, one warning at start",
  () =>
    Effect.gen(function* () {
      const { warnings, logging } = recorded()
      const context = yield* Layer.build(
        Layer.provide(Server.layer(yield* plan("auth: {mode: trusted_headers}\n", false)), logging)
      )
      const { port } = yield* Effect.provide(HttpAddress, context)
      const ask = (method: string, path: string, sent: Sent = {}) =>
        send(port, method, path, { ...sent, headers: { "x-user": "carol", "x-tenant": "a" } })
      assert.lengthOf(warnings, 1)
      assert.match(warnings[0] ?? "", /no cluster access: .*POST jobs .*503 cluster_unavailable/)
      assert.notMatch(warnings[0] ?? "", /review_unavailable/)

      for (const path of [
        "/health",
        "/api/v1/health",
        "/docs",
        "/openapi.yaml",
        jobsPath,
        providersPath,
        `${collectionsPath}/quick-smoke`,
        `${collectionsPath}/absent`
      ])
        assert.strictEqual((yield* ask("GET", path)).status, path.endsWith("absent") ? 404 : 200, path)
      const ready = yield* ask("GET", "/api/v1/health/ready")
      assert.deepStrictEqual(
        [ready.status, at(ready.json, "dependencies.1.name"), at(ready.json, "dependencies.1.ok")],
        [503, "cluster", false]
      )
      const provider = { name: "mine", runtime: { k8s: { image: "registry.example/a:1" } }, benchmarks: [{ id: "b" }] }
      const providerId = at((yield* ask("POST", providersPath, { body: provider })).json, "resource.id")
      const body = { ...job, benchmarks: [{ id: "b", provider_id: providerId }] }
      for (const query of ["", "?dry_run=true"]) {
        const refused = yield* ask("POST", `${jobsPath}${query}`, { body })
        assert.deepStrictEqual(
          [refused.status, refused.code, refused.headers["retry-after"]],
          [503, "cluster_unavailable", "2"],
          refused.text
        )
      }
      assert.strictEqual(at((yield* ask("GET", jobsPath)).json, "total_count"), 0)

      // the two refused requests, and nothing besides
      assert.lengthOf(warnings, 3, warnings.join("\n"))
    })
)

it.scoped(
  "cluster mode without a cluster still says that guarded routes answer 503 review_unavailable, and they do",
  () =>
    Effect.gen(function* () {
      const { warnings, logging } = recorded()
      const context = yield* Layer.build(Layer.provide(Server.layer(yield* plan("", false)), logging))
      const { port } = yield* Effect.provide(HttpAddress, context)
      assert.isTrue(
        warnings.some((text) => /no cluster access: guarded routes answer 503 review_unavailable/.test(text))
      )
      const answer = yield* send(port, "GET", jobsPath, { headers: { authorization: "Bearer t", "x-tenant": "a" } })
      assert.deepStrictEqual([answer.status, answer.code], [503, "review_unavailable"])
      assert.strictEqual((yield* send(port, "GET", "/health")).status, 200)
    })
)

for (const mode of ["trusted_headers", "cluster"])
  it.scoped(`-local with auth.mode ${mode} is refused, and does not silently mean no authentication`, () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Layer.build(Server.layer(yield* plan(`auth: {mode: ${mode}}\n`, true))))
      const failure = exit._tag === "Failure" ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
      assert.strictEqual(failure?._tag, "PlanRefused")
      assert.match(failure?.message ?? "", new RegExp(`^[^\\n]*-local[^\\n]*auth\\.mode '${mode}'[^\\n]*$`))
    })
  )
