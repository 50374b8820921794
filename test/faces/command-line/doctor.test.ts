/** `evald doctor` on whole configurations: every check of a machine, the cluster and the frameworks included. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { renderChecklist } from "../../../interfaces/cli/checklist.ts"
import { diagnose } from "../../../interfaces/main/compose/diagnosis.ts"
import { simpleKubeconfig } from "../../support/kubeconfigs.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-doctor-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("evald doctor", () => {
  it.scoped("names the proxies without their passwords, and one that is none", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "config.yaml"), "")
      const checked = (https_proxy: string) =>
        Effect.map(diagnose(path, { PORT: "0", HOME: path, https_proxy }), (checks) =>
          checks.find(({ name }) => name === "proxies")
        )
      assert.deepStrictEqual(yield* checked("http://me:s3cret@proxy.test:3128"), {
        name: "proxies",
        status: "ok",
        detail: "https by http://proxy.test:3128"
      })
      const wrong = yield* checked("socks5://me:s3cret@proxy.test")
      assert.strictEqual(wrong?.status, "problem")
      assert.notMatch(JSON.stringify(wrong), /s3cret/)
    })
  )

  it.scoped("says whether what a local benchmark starts is kept together: switched off, had, or not to be had", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const checked = (config: string, tools: string) => {
        writeFileSync(join(path, "config.yaml"), config)
        return Effect.map(diagnose(path, { PORT: "0", HOME: path, PATH: tools }), (checks) =>
          checks.find(({ name }) => name === "process namespace")
        )
      }
      const off = yield* checked("local: {process_namespace: off}\n", path)
      assert.deepStrictEqual([off?.status, off?.detail], ["note", "local.process_namespace is off"])
      // what there is depends on the system: it is told either way, and what is missing with its remedy
      const there = yield* checked("", process.env["PATH"] ?? "")
      if (there?.status === "ok") assert.include(there.detail, "nothing that a local benchmark starts outlives it")
      else assert.include(there?.fix, "util-linux")
    })
  )

  it.scopedLive("looks at the whole of a configuration, and everything it finds wrong has a fix", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const environment = {
        PORT: "0",
        EVALD_HOST: "127.0.0.1",
        DB_URL: `file:${join(path, "evald.db")}`,
        PATH: path,
        HOME: path
      }
      const checks = yield* diagnose("config", environment)
      assert.includeMembers(
        checks.map(({ name }) => name),
        [
          "Node.js",
          "SQLite driver",
          "configuration",
          "catalogue",
          "folder of the database",
          "port (any)",
          "cluster",
          "framework lm_evaluation_harness"
        ]
      )
      assert.deepStrictEqual(
        checks.filter(({ status }) => status === "problem"),
        []
      )
      assert.isTrue(checks.every(({ status, fix }) => (status === "ok") === (fix === undefined)))
      assert.strictEqual(checks.find(({ name }) => name === "framework lm_evaluation_harness")?.status, "note")
      const broken = yield* diagnose("config", { ...environment, PORT: "many", KUBECONFIG: join(path, "absent") })
      assert.match(
        renderChecklist(broken),
        /PROBLEM configuration: [\s\S]*service\.port[\s\S]*fix: correct[\s\S]*1 problem$/
      )
      const unreachable = yield* diagnose("config", { ...environment, KUBECONFIG: join(path, "absent") })
      assert.strictEqual(unreachable.find(({ name }) => name === "cluster")?.status, "problem")
      const user = { exec: { command: join(path, "log-in") } }
      const loggedOut = yield* diagnose("config", {
        ...environment,
        KUBECONFIG: simpleKubeconfig(path, { server: "http://127.0.0.1:9" }, user)
      })
      assert.match(
        loggedOut.find(({ name }) => name === "cluster")?.detail ?? "",
        /the log-in program '.*\/log-in' of user 'u' failed: it is not installed/
      )
    })
  )
})
