/** Blocks of the pages for operators, on a server with a job that has ended. */
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { blocksRunBy } from "../support/docs/page-blocks.ts"
import { listen, type Running, run } from "../support/evald-process.ts"

let home = ""
let server: Running
let model: Running
let job = ""

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "evald-pages-"))
  writeFileSync(join(home, "evald"), `#!/bin/sh\nexec "${process.execPath}" "${resolve("dist/evald.mjs")}" "$@"\n`)
  chmodSync(join(home, "evald"), 0o755)
  server = await listen(["server", "-local"], {
    PORT: "0",
    HOME: home,
    TMPDIR: home,
    DB_URL: `file:${join(home, "evald.db")}`
  })
  model = await listen(["demo-model", "--port", "0", "--skill", "0.5"])
  const target = ["--model", model.url, "--name", "evald-demo", "--benchmark", "arith_basic", "--num-examples", "20"]
  const made = await run(["run", ...target, "--wait", "-o", "name"], { HOME: home, EVALD_SERVER: server.url })
  assert.strictEqual(made.code, 0, made.stdout + made.stderr)
  job = made.stdout.trim().replace("job/", "")
})
afterAll(async () => {
  await Promise.all([server.stop(), model.stop()])
  rmSync(home, { recursive: true, force: true })
})

/** a block as somebody types it who has the id of the job in `job` */
const typed = (script: string) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((done) => {
    const child = spawn("sh", ["-e", "-c", script], {
      cwd: home,
      env: {
        PATH: `${home}:${process.env["PATH"] ?? ""}`,
        HOME: home,
        TMPDIR: home,
        EVALD_SERVER: server.url,
        PORT: "0",
        job
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    child.once("close", (code) => done({ code, output }))
  })

describe("blocks of the pages", () => {
  it.each([
    ["docs/troubleshooting.md", [/completed/, /arith_basic/, /incorrect/, /"findings":\[/, /"status":"ready"/]],
    ["docs/operate.md", [/the database is sound/]]
  ] as const)("of %s, typed after a job", async (page, shown) => {
    const blocks = blocksRunBy("test/faces/pages.test.ts", page)
    assert.isNotEmpty(blocks)
    const { code, output } = await typed(blocks.join("\n"))
    assert.strictEqual(code, 0, output)
    for (const text of shown) assert.match(output, text)
  })
})
