/** An adapter as a real process: signals, and death at the worst moment. Reference: adapter-contract.md, "Exit". */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { renderJobSpec } from "../../../../providers/contract/job-spec.ts"
import { hang, type PeerRequest, reply, startPeer } from "../../../support/http-peer.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const bundle = (dir: string) =>
  Effect.promise(async () => {
    const outfile = join(dir, "adapter.mjs")
    const banner = {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
    }
    const entry = fileURLToPath(new URL("../../../support/waiting-adapter.ts", import.meta.url))
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
      banner
    })
    return outfile
  })

const launch = (url: string, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const dir = yield* tempDir
    const script = yield* bundle(dir)
    const path = join(dir, "meta", "job.json")
    mkdirSync(join(dir, "meta"))
    const model = { url: "http://127.0.0.1:9/v1", name: "m" }
    const job = {
      id: "j",
      provider_id: "p",
      benchmark_id: "b",
      benchmark_index: 0,
      model,
      parameters: {},
      callback_url: url,
      output_dir: join(dir, "results")
    }
    writeFileSync(path, renderJobSpec(job))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [script], {
          env: { ...env, EVALD_MODE: "local", EVALD_JOB_SPEC_PATH: path },
          stdio: ["ignore", "pipe", "pipe"]
        })
      ),
      (running) => Effect.sync(() => running.kill("SIGKILL"))
    )
    return { dir, child }
  })

const ended = (child: ChildProcess) =>
  Effect.async<{ readonly code: number | null; readonly signal: string | null; readonly output: string }>((resume) => {
    let output = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.once("close", (code, signal) => resume(Effect.succeed({ code, signal, output })))
  })

const statusOf = ({ json }: PeerRequest) =>
  (json["benchmark_status_event"] as { readonly status?: string; readonly phase?: string } | undefined) ?? {}

describe("an adapter process", () => {
  it.scopedLive("SIGTERM: cleans up, exits with 143, reports no end", () =>
    Effect.gen(function* () {
      const working = yield* Effect.makeLatch(false)
      const peer = yield* startPeer((_, request) => {
        if (statusOf(request).phase === "running_evaluation") working.unsafeOpen()
        return reply(200, {})
      })
      const { child } = yield* launch(peer.url)
      const end = yield* Effect.fork(ended(child))
      yield* working.await
      child.kill("SIGTERM")
      const { code, output } = yield* end.await.pipe(Effect.flatten)
      assert.deepStrictEqual([code, output], [143, "initializing\nrunning_evaluation\ncleaned up\n"])
      assert.isTrue(peer.requests.every((request) => statusOf(request).status === "running"))
    })
  )

  it.scopedLive("kill -9 while the terminal event is on its way: it lies in the spool", () =>
    Effect.gen(function* () {
      const sending = yield* Effect.makeLatch(false)
      const peer = yield* startPeer((_, request) => {
        if (statusOf(request).status !== "completed") return reply(200, {})
        sending.unsafeOpen()
        return hang
      })
      const { child, dir } = yield* launch(peer.url, { FINISH: "1" })
      const end = yield* Effect.fork(ended(child))
      yield* sending.await
      child.kill("SIGKILL")
      assert.strictEqual((yield* end.await.pipe(Effect.flatten)).signal, "SIGKILL")
      const names = readdirSync(join(dir, "spool"))
      assert.lengthOf(names, 1)
      assert.strictEqual(readFileSync(join(dir, "spool", names[0] ?? ""), "utf8"), peer.requests.at(-1)?.body)
    })
  )
})
