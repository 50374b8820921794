/** T1, case 31: what is secret is read nowhere but where it must be, and told to nobody. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel } from "effect"
import { layer as fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers } from "../../../../support/fake-kubernetes/faults.ts"
import { settledWith } from "../../../../support/fake-kubernetes/operating.ts"
import { at } from "../../../../support/http-app.ts"

const canary = (name: string) => `canary-${name}-7f3a91`

describe("secrets and the operator", () => {
  it.scoped(
    "case 31: planted canaries are in no log, event, status, metric or object; no Secret is read but the two of certificates",
    () => {
      const logged: Array<string> = []
      const collector = Logger.make(({ message, annotations, cause }) => {
        logged.push(JSON.stringify([message, [...annotations], String(cause)]))
      })
      return Effect.gen(function* () {
        const spec = {
          database: { type: "postgresql", secret: "db" },
          tracker: { uri: "https://tracker.example", auth: { type: "Secret", secret: "tracker" } }
        }
        const { cluster, watch, addInstance, setLabels, pass, until, resource } = yield* settledWith(
          ["team-a", "team-b"],
          spec
        )
        cluster.addSecret("team-services", "db", { "db-url": `postgres://u:${canary("database")}@db/evald` })
        cluster.addSecret("team-services", "tracker", { token: canary("tracker") })
        cluster.addSecret("team-a", "model", { key: canary("model") })
        // failures say more than successes
        cluster.faults.add({
          when: ({ method, namespace }) => method !== "GET" && namespace === "team-b",
          times: 20,
          fault: answers(500)
        })
        addInstance(undefined, { name: "other", namespace: "others" })
        yield* until("the other", () => at(resource("other"), "status.tenants.ready") === 2)
        setLabels("team-a", {})
        yield* pass(700, 5)
        const figures = yield* watch.figures(true)
        const keys = cluster.objects("secrets").flatMap(({ data }) =>
          Object.entries(data as Record<string, string>)
            .filter(([name]) => name === "tls.key")
            .map(([, text]) => text)
        )
        assert.isAtLeast(keys.length, 3)
        const bodies = keys.flatMap((text) => {
          const pem = Buffer.from(text, "base64").toString("utf8")
          const [, , line = ""] = pem.split("\n")
          assert.isAtLeast(line.length, 20)
          return [line, text.slice(100, 150)]
        })
        const secrets = [...["database", "tracker", "model"].map(canary), "test-token", ...bodies]
        const said = [
          ...logged,
          figures,
          ...cluster.kinds
            .filter(({ plural }) => plural !== "secrets")
            .flatMap((kind) => cluster.store.all(kind, undefined).map((object) => JSON.stringify(object)))
        ]
        assert.isNotEmpty(logged)
        assert.isNotEmpty(cluster.objects("events"))
        for (const secret of secrets)
          assert.deepStrictEqual(
            said.filter((text) => text.includes(secret)),
            [],
            secret
          )
        const reads = cluster.requests.filter(({ plural, method }) => plural === "secrets" && method === "GET")
        assert.deepStrictEqual(
          [...new Set(reads.map(({ verb, namespace, name }) => `${verb} ${namespace}/${name}`))].sort(),
          ["get evald-system/evald-operator-ca", "get others/other-tls", "get team-services/evald-tls"]
        )
      }).pipe(
        Effect.provide(Layer.merge(fake, Logger.replace(Logger.defaultLogger, collector))),
        Logger.withMinimumLogLevel(LogLevel.All)
      )
    }
  )
})
