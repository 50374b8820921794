import { assert, layer } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { Unavailable } from "../../../../application/errors.ts"
import { HardwareProfiles } from "../../../../application/ports/hardware-profiles.ts"
import { violation } from "../../../../domain/violation.ts"
import { eventCorpus } from "../../../support/event-corpus.ts"
import { layer as app, HttpApp, idleRuntime, idOf, jobBody, jobsPath } from "../../../support/http-app.ts"
import { sqliteMemory } from "../../../support/storage.ts"

const live = { excludeTestServices: true } as const

eventCorpus("SQLite", sqliteMemory)

const refusal = (code: string) => Effect.succeed(Either.left([violation([], `the profile is ${code}`, code)]))
const profiles = Layer.succeed(HardwareProfiles, {
  find: (name: string) =>
    name === "away"
      ? new Unavailable({ peer: "cluster", operation: "getProfile" })
      : refusal(name === "off" ? "hardware_profile_disabled" : "hardware_profile_invalid")
})
const cluster = idleRuntime({ kind: "cluster", logs: () => new Unavailable({ peer: "cluster", operation: "logs" }) })

layer(app({ runtime: cluster }).pipe(Layer.provide(profiles)), live)("answers that only a cluster gives", (it) => {
  it.effect("profiles that cannot be used, and a cluster that does not answer", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const submit = (name: string) =>
        http.send("POST", jobsPath, { body: jobBody({ hardware_config: { hardware_profile_name: name } }) })
      assert.deepStrictEqual(
        [(yield* submit("off")).code, (yield* submit("odd")).code],
        ["hardware_profile_disabled", "hardware_profile_invalid"]
      )
      const away = yield* submit("away")
      assert.deepStrictEqual([away.status, away.code, away.headers["retry-after"]], [503, "cluster_unavailable", "2"])
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      assert.strictEqual((yield* http.send("GET", `${jobsPath}/${id}/benchmarks/0/logs`)).code, "cluster_unavailable")
    })
  )
})
