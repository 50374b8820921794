/** Logs of 50 MB, jobs of a thousand benchmarks, a hundred thousand samples: commands and the tools of agents stay usable. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { piped } from "../../support/command-line/piped.ts"
import { run } from "../../support/evald-process.ts"
import { layer as app, eventBody, HttpApp, idleRuntime, idOf, jobBody, jobsPath } from "../../support/http-app.ts"
import { ask, connected } from "../mcp/agent.ts"
import { onTerminal } from "./on-terminal.ts"

const megabyte = 1_048_576
const logLine = `${"x".repeat(70)} \u001b[31mred\u001b[0m \r${"y".repeat(40)}\n`
const logPart = new TextEncoder().encode(logLine.repeat(Math.ceil(65_536 / logLine.length)))
const logParts = Math.ceil((50 * megabyte) / logPart.length)

const benchmarks = Array.from({ length: 1000 }, () => ({ id: "b", provider_id: "p" }))

/** jobs of each extreme, and a folder to write in */
class Extremes extends Context.Tag("evald/test/Extremes")<
  Extremes,
  { readonly home: string; readonly logged: string; readonly wide: string; readonly sampled: string }
>() {}

const samplesInAll = 100_000
const samplesAtOnce = 1000
const sampleLines = (from: number) =>
  Array.from(
    { length: samplesAtOnce },
    (_, at) =>
      `${JSON.stringify({ v: 1, sample_id: `s${from + at}`, task: "t", index: from + at, repeat: 0, verdict: at % 10 === 0 ? "incorrect" : "correct", score: at % 10 === 0 ? 0 : 1, prompt: "q", response: "a" })}\n`
  ).join("")

/** a few benchmarks run, a few have ended, and all the others wait */
const proceed = ({ send }: HttpApp["Type"], id: string) =>
  Effect.forEach(
    Array.from({ length: 30 }, (_, index) => index),
    (index) => {
      const progress = { completed_steps: 5, total_steps: 20 }
      const given =
        index % 2 === 0 ? { status: "completed", metrics: { acc: 0.5 } } : { status: "running", ...progress }
      return send("POST", `${jobsPath}/${id}/events`, { body: eventBody({ benchmark_index: index, ...given }) })
    },
    { discard: true }
  )

const extremes = Layer.scoped(
  Extremes,
  Effect.gen(function* () {
    const http = yield* HttpApp
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-extremes-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const submitted = (given: { readonly [member: string]: unknown }) =>
      Effect.map(http.send("POST", jobsPath, { body: jobBody(given) }), idOf)
    const [logged, wide, sampled] = [
      yield* submitted({ name: "logged" }),
      yield* submitted({ name: "wide", benchmarks }),
      yield* submitted({ name: "sampled" })
    ]
    yield* proceed(http, wide)
    yield* http.send("POST", `${jobsPath}/${sampled}/events`, { body: eventBody() })
    for (let from = 0; from < samplesInAll; from += samplesAtOnce) {
      const headers = { "content-type": "application/x-ndjson" }
      const sent = yield* http.send("POST", `${jobsPath}/${sampled}/benchmarks/0/samples`, {
        body: sampleLines(from),
        headers
      })
      assert.strictEqual(sent.status, 200, sent.text)
    }
    yield* http.send("POST", `${jobsPath}/${sampled}/events`, {
      body: eventBody({ status: "completed", metrics: { acc: 0.9 } })
    })
    return { home, logged, wide, sampled }
  })
)

const world = Layer.provideMerge(
  extremes,
  app({
    settings: { maxBodyBytes: 8 * megabyte, mcp: { content: false } },
    runtime: idleRuntime({
      // each benchmark of the job of many has a line, the others have all
      logs: ({ index }) =>
        Effect.succeed({
          text: index > 0 ? Stream.empty : Stream.map(Stream.range(1, logParts), () => logPart),
          source: "live"
        })
    })
  })
)

const typist = Effect.map(Effect.all([HttpApp, Extremes]), ([{ port }, { home }]) => {
  const environment = { HOME: home, EVALD_SERVER: `http://127.0.0.1:${port}` }
  // what passes through a command is not kept
  const small = { ...environment, NODE_OPTIONS: "--max-old-space-size=48" }
  return {
    evald: (...args: ReadonlyArray<string>) => Effect.promise(() => run(args, environment)),
    streaming: (...args: ReadonlyArray<string>) => Effect.promise(() => run(args, small)),
    firstLine: (words: string) => Effect.promise(() => piped(words, environment, "head -n 1")),
    onTerminal: (columns: number, ...args: ReadonlyArray<string>) =>
      Effect.promise(() => onTerminal(args, environment, columns))
  }
})

const linesOf = (text: string): ReadonlyArray<string> => text.trimEnd().split("\n")
const agentOf = Effect.flatMap(HttpApp, ({ port }) => connected(port))
const told = <A>(name: string, args: object) =>
  Effect.flatMap(agentOf, (agent) => Effect.promise(() => ask(agent, name, args) as Promise<A>))

layer(world, { excludeTestServices: true, timeout: "120 seconds" })("at the limits", (it) => {
  it.scoped("a log of 50 MB goes through a command as it comes, and an agent is told its end", () =>
    Effect.gen(function* () {
      const { logged } = yield* Extremes
      const { streaming, firstLine } = yield* typist
      for (const line of [
        ["logs", logged],
        ["logs", logged, "-b", "0"]
      ]) {
        const { code, stdout, stderr } = yield* streaming(...line)
        assert.strictEqual(code, 0, stderr)
        assert.isAtLeast(stdout.length, 50 * megabyte)
        for (const code of ["\u001b", "\r"]) assert.notInclude(stdout, code)
      }
      const first = yield* firstLine(`logs ${logged} -b 0`)
      assert.deepStrictEqual([first.code, first.stderr], [0, ""])
      assert.include(first.read, "red")
      const { cut, lines } = yield* told<{ readonly cut: boolean; readonly lines: ReadonlyArray<string> }>("get_logs", {
        id: logged,
        benchmark: 0
      })
      assert.isTrue(cut)
      assert.isAtMost(lines.join("\n").length, 32_768)
      assert.strictEqual(lines.at(-2), `${"x".repeat(70)} red ${"y".repeat(40)}`)
    })
  )

  it.scoped("a job of a thousand benchmarks is read, followed on a terminal without losing its place, and ended", () =>
    Effect.gen(function* () {
      const { wide } = yield* Extremes
      const { evald, onTerminal: shown } = yield* typist
      const reading: ReadonlyArray<readonly [line: ReadonlyArray<string>, exit: number, has: RegExp, lines: number]> = [
        [["get", "jobs"], 0, /\t15\/1000\t/, 4],
        [["get", "jobs", wide, "-o", "json"], 0, /"benchmark_index": 999/, 1000],
        [["describe", "job", wide], 0, /running/, 1000],
        [["export", wide, "-o", "junit"], 0, /tests="1000"/, 3000],
        [["export", wide, "-o", "md"], 0, /\| p\/b \|/, 1000],
        [["export", wide, "-o", "csv"], 0, /p\/b,/, 1000],
        [["wait", wide, "--for", "state=running"], 0, /^running\t/, 1],
        [["watch", wide, "--timeout", "1"], 124, /^$/, 0]
      ]
      for (const [line, exit, has, lines] of reading) {
        const { code, stdout, stderr } = yield* evald(...line)
        assert.strictEqual(code, exit, `${line.join(" ")}: ${stderr}`)
        assert.match(stdout, has, line.join(" "))
        assert.isAtLeast(linesOf(stdout).length, lines, line.join(" "))
      }
      // a thousand lines can not be drawn again where forty are seen
      for (const columns of [80, 40]) {
        const { code, text } = yield* shown(columns, "watch", wide, "--timeout", "1")
        assert.strictEqual(code, 124, text)
        assert.match(text, /5\/20/)
        assert.match(text, /and 963 more: 15 completed, 948 pen/)
        const drawn = text.split(/\r?\n/)
        assert.isAtMost(drawn.length, 80)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the cursor goes up
        for (const [, up] of text.matchAll(/\u001b\[(\d+)A/g)) assert.isBelow(Number(up), 40)
        for (const line of drawn.filter((one) => /[█░]/.test(one)))
          assert.isBelow([...line.replace("\u001b[2K", "")].length, columns)
      }
      const state = yield* told<{ readonly counts: object; readonly benchmarks: ReadonlyArray<object> }>("get_job", {
        id: wide,
        offset: 990
      })
      assert.deepInclude(state, { counts: { completed: 15, running: 15, pending: 970 } })
      assert.lengthOf(state.benchmarks, 10)
      const results = yield* told<{ readonly benchmarks_in_all: number }>("get_results", { id: wide, limit: 100 })
      assert.strictEqual(results.benchmarks_in_all, 15)
      assert.strictEqual((yield* evald("cancel", wide)).code, 0)
      const again = yield* evald("rerun", wide, "--failed")
      assert.strictEqual(again.code, 0, again.stderr)
      const compared = yield* evald("compare", wide, wide)
      assert.include([0, 1], compared.code, compared.stderr)
    })
  )

  it.scoped("a hundred thousand samples are listed, passed on as they come, and left when the reader has enough", () =>
    Effect.gen(function* () {
      const { sampled } = yield* Extremes
      const { evald, streaming, firstLine, onTerminal: shown } = yield* typist
      const few = yield* evald("samples", sampled, "--verdict", "incorrect")
      assert.lengthOf(linesOf(few.stdout), 51)
      assert.include(few.stderr, "the first 50 are shown")
      const all = yield* streaming("samples", sampled, "--limit", "200000", "-o", "jsonl")
      assert.strictEqual(all.code, 0, all.stderr)
      assert.lengthOf(linesOf(all.stdout), samplesInAll)
      for (const words of [`export ${sampled} -o jsonl`, `samples ${sampled} --limit 100000 -o name`]) {
        const first = yield* firstLine(words)
        assert.deepStrictEqual([first.code, first.stderr], [0, ""], words)
      }
      const narrow = yield* shown(40, "samples", sampled)
      for (const line of narrow.text.split(/\r?\n/))
        if (!line.startsWith("the first 50")) assert.isAtMost(line.length, 40)
      const page = yield* told<{
        readonly total?: number
        readonly next?: string
        readonly samples: ReadonlyArray<object>
      }>("list_samples", { id: sampled, limit: 100 })
      assert.lengthOf(page.samples, 100)
      assert.isString(page.next)
    })
  )
})
