/** The commands of the page on signing, as they stand there, against a server with a key of its own. */
import { spawnSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { listen, run, until } from "../../support/evald-process.ts"
import { tempDir } from "../../support/temp-dir.ts"

const page = readFileSync("docs/reference/signing.md", "utf8")
const blockOf = (heading: string): string => {
  const [, section = ""] = page.split(`## ${heading}\n`)
  return /```sh\n(.*?)```/s.exec(section)?.[1] ?? assert.fail(`${heading} has no commands`)
}

/** a job that has ended, and one of its samples */
const endedJob = async (server: string, model: string): Promise<readonly [string, string]> => {
  const jobs = `${server}/api/v1/evaluations/jobs`
  const benchmarks = [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 5 } }]
  const response = await fetch(jobs, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "signed", model: { url: model, name: "evald-demo" }, benchmarks })
  })
  assert.strictEqual(response.status, 202, await response.clone().text())
  const { resource } = (await response.json()) as { readonly resource: { readonly id: string } }
  const get = async (path: string) => (await fetch(`${jobs}/${resource.id}${path}`)).json()
  await until(
    async () => (await get("")) as { readonly status: { readonly state: string } },
    ({ status }) => status.state === "completed"
  )
  const { items } = (await get("/samples?limit=1")) as { items: ReadonlyArray<{ readonly sample_id: string }> }
  return [resource.id, items[0]?.sample_id ?? assert.fail("no sample")]
}

describe("signed results", () => {
  it.scopedLive(
    "are made and checked by the commands of the page; a changed file, another key and a wrong key are told apart",
    () =>
      Effect.gen(function* () {
        const dir = yield* tempDir
        // only Node is sure to be there
        for (const [name, file] of [
          ["evald", "dist/evald.mjs"],
          ["curl", "test/support/curl.mjs"],
          ["openssl", "test/support/openssl.mjs"]
        ] as const) {
          writeFileSync(join(dir, name), `#!/bin/sh\nexec "${process.execPath}" "${resolve(file)}" "$@"\n`)
          chmodSync(join(dir, name), 0o755)
        }
        const shell = (script: string, env: Record<string, string> = {}) =>
          spawnSync("sh", ["-euc", script], {
            cwd: dir,
            encoding: "utf8",
            env: { PATH: `${dir}:${process.env["PATH"]}`, HOME: dir, ...env }
          })
        const made = shell(blockOf("Keys"))
        assert.strictEqual(made.status, 0, made.stderr)
        const started = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
          Effect.acquireRelease(
            Effect.promise(() => listen(args, env)),
            ({ stop }) => Effect.promise(() => stop())
          )
        const model = yield* started(["demo-model", "--port", "0"])
        const key = join(dir, "evald.pub.pem")
        const server = yield* started(["server", "-local"], {
          ...{ EVALD_SIGNING_KEY_FILE: join(dir, "evald.pem"), PORT: "0", TMPDIR: dir }
        })
        const [job, sample] = yield* Effect.promise(() => endedJob(server.url, model.url))
        const done = shell(blockOf("Verifying"), { EVALD_URL: server.url, JOB: job, SAMPLE: sample })
        assert.strictEqual(done.status, 0, done.stderr)
        assert.include(done.stdout, `verified job/${job}`)
        assert.match(done.stdout, /samples {2}0 arith_basic: 5, root [0-9a-f]{64}/)
        assert.match(done.stdout, /sample {3}0 \S+: (in)?correct/)
        assert.notInclude(server.output(), "PRIVATE KEY")

        const file = join(dir, "results.json")
        const bytes = readFileSync(file)
        bytes.writeUInt8(bytes.readUInt8(99) ^ 1, 99)
        writeFileSync(join(dir, "changed.json"), bytes)
        const changed = yield* Effect.promise(() => run(["verify", "--key", key, join(dir, "changed.json")]))
        assert.deepStrictEqual([changed.code, changed.stdout], [1, ""])
        assert.include(changed.stderr, "is NOT what was signed: the signature does not fit")
        shell(
          "openssl genpkey -algorithm ed25519 -out other.pem && openssl pkey -in other.pem -pubout -out other.pub.pem"
        )
        const other = join(dir, "other.pub.pem")
        const untrusted = yield* Effect.promise(() => run(["verify", "--key", other, file]))
        assert.deepStrictEqual([untrusted.code, untrusted.stdout], [1, ""])
        assert.include(untrusted.stderr, "signed with a key that was not given")
        const rotated = yield* Effect.promise(() => run(["verify", "--key", other, "--key", key, file]))
        assert.strictEqual(rotated.code, 0, rotated.stderr)
        const wrong = yield* Effect.promise(() => run(["verify", "--key", file, file]))
        assert.deepStrictEqual([wrong.code, wrong.stdout], [1, ""])
        assert.include(wrong.stderr, "no Ed25519 key in PEM form")
      })
  )

  it("a server with a key that can not be used does not start, and keeps its text to itself", async () => {
    const { code, stdout, stderr } = await run(["server", "-local"], { EVALD_SIGNING_KEY: "not-a-key-text", PORT: "0" })
    assert.strictEqual(code, 78)
    assert.include(stderr, "signing.key: it is no Ed25519 key in PEM form")
    assert.notInclude(stdout + stderr, "not-a-key-text")
  })
})
