/** The shell blocks of README and docs do what they say: each page's blocks run in order, in an empty folder and home, against real processes. */
import { spawn } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Block, blocksOf } from "../support/docs/page-blocks.ts"
import { listen, type Running } from "../support/evald-process.ts"
import { freePort } from "../support/free-port.ts"

const pages = [".", "docs", "docs/reference", "deploy", "interfaces/ui"]
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => path.endsWith(".md"))

const blocks = pages.flatMap(blocksOf)
/** a line that somebody would type into a shell */
const command =
  /^(?:\$ |(?:[A-Z_]+=\S+ )*(?:evald|curl|npm|npx|node|kubectl|helm|docker|git|crane|pip|python3?|openssl|source) \S)/m
const isRun = ({ language, mark }: Block): boolean => language === "sh" && !/^(not run|run by): /.test(mark)
const runnable = pages.filter((page) => blocks.some((block) => block.page === page && isRun(block)))

let model: Running
let root = ""
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "evald-pages-"))
  model = await listen(["demo-model", "--port", "0"])
})
afterAll(async () => {
  await model.stop()
  rmSync(root, { recursive: true, force: true })
})

/** a folder with what a clone has that the blocks name, and programs of the blocks on the path */
const prepared = (page: string): { readonly folder: string; readonly path: string } => {
  const folder = mkdtempSync(join(root, "page-"))
  const bin = join(folder, ".bin")
  mkdirSync(bin)
  for (const [name, run] of [
    ["evald", `exec "${process.execPath}" "${resolve("dist/evald.mjs")}" "$@"`],
    ["curl", `exec "${process.execPath}" "${resolve("test/support/curl.mjs")}" "$@"`],
    ["node", `exec "${process.execPath}" "$@"`]
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${run}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  symlinkSync(resolve("dist"), join(folder, "dist"))
  for (const { mark } of blocksOf(page)) {
    const [, from, to] = /^run with: (\S+) as (\S+)$/.exec(mark) ?? []
    if (from === undefined || to === undefined) continue
    mkdirSync(dirname(join(folder, to)), { recursive: true })
    copyFileSync(from, join(folder, to))
  }
  return { folder, path: `${bin}:${process.env["PATH"] ?? ""}` }
}

/** runs in a process group of its own, which ends with it: what a block leaves in the background too */
const shell = (script: string, folder: string, environment: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((done) => {
    const child = spawn("sh", ["-e", "-c", script], {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    child.once("exit", (code) => {
      if (child.pid !== undefined)
        try {
          process.kill(-child.pid, "SIGTERM")
        } catch {
          // the group is empty
        }
      child.once("close", () => done({ code, output }))
    })
  })

describe("blocks of the pages", () => {
  it("all say what they are, and why when they do not run", () => {
    assert.isAbove(blocks.length, 8)
    const wrong = blocks.filter(
      ({ language, mark, text }) =>
        language === "" ||
        (language !== "sh" && command.test(text)) ||
        (mark !== "" && language === "sh" && !/^(not run: .{15,}|run by: \S+|run with: \S+ as \S+)$/.test(mark))
    )
    assert.deepStrictEqual(
      wrong.map(({ page, line }) => `${page}:${line}`),
      []
    )
    assert.includeMembers(runnable, ["README.md", "docs/adapters.md", "docs/custom-data.md"])
  })

  it("that another file runs are named there", () => {
    const elsewhere = blocks.flatMap(({ page, mark }) => {
      const [, file] = /^run by: (\S+)$/.exec(mark) ?? []
      return file === undefined ? [] : [{ page, file }]
    })
    assert.isAbove(elsewhere.length, 5)
    assert.deepStrictEqual(
      elsewhere.filter(({ page, file }) => !existsSync(file) || !readFileSync(file, "utf8").includes(`"${page}"`)),
      []
    )
  })

  it.each(runnable)("of %s run to their end", async (page) => {
    const { folder, path } = prepared(page)
    const port = await freePort()
    const ports = [`8080=${port}`, `11434=${new URL(model.url).port}`].join(",")
    const script = blocks
      .filter((block) => block.page === page && isRun(block))
      .map(({ text }) => text)
      .join("\n")
    const { code, output } = await shell(script, folder, {
      PATH: path,
      HOME: folder,
      TMPDIR: folder,
      PORT: String(port),
      EVALD_TEST_PORTS: ports
    })
    assert.strictEqual(code, 0, output)
    assert.notMatch(output, /^curl: \S* \S+ [45]\d\d$/m)
    if (page === "README.md") assert.match(output, /"state":"completed"/)
  })
})
