/** Names with control characters on terminals, wide and narrow, and outputs that nobody takes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { commands } from "../../../interfaces/cli/commands.ts"
import { piped } from "../../support/command-line/piped.ts"
import { run } from "../../support/evald-process.ts"
import {
  layer as app,
  eventBody,
  HttpApp,
  idleRuntime,
  idOf,
  jobBody,
  jobsPath,
  sampleCatalog
} from "../../support/http-app.ts"
import { sampleProvider } from "../../support/sample-definitions.ts"
import { onTerminal } from "./on-terminal.ts"

/** clears the screen, sets the title, writes backwards, begins a new line */
const hostile = "a\u001b[2Jb\u009b31mc\u202ed\u001b]0;title\u0007e\r\nf"
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not come through
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
/** without what a pseudo-terminal ends lines with, and what a command draws again with */
// biome-ignore lint/suspicious/noControlCharactersInRegex: evald's own
const bare = (text: string): string => text.replace(/\r+\n/g, "\n").replace(/\u001b\[(\d+A|2K)/g, "")

class Hostile extends Context.Tag("evald/test/Hostile")<
  Hostile,
  { readonly home: string; readonly id: string; readonly open: string; readonly policy: string; readonly named: string }
>() {}

const prepared = Layer.scoped(
  Hostile,
  Effect.gen(function* () {
    const { send } = yield* HttpApp
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-hostile-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const benchmarks = ["b", "h"].map((id) => ({ id, provider_id: "p" }))
    const body = jobBody({ name: "plain", description: hostile, benchmarks })
    const stored = Effect.map(send("POST", jobsPath, { body }), idOf)
    const [id, open] = [yield* stored, yield* stored]
    const event = (job: string, given: object) =>
      Effect.tap(send("POST", `${jobsPath}/${job}/events`, { body: eventBody({ ...given }) }), ({ status, text }) =>
        assert.strictEqual(status, 200, text)
      )
    for (const job of [id, open]) {
      yield* event(job, { status: "running" })
      const error = { message: hostile, message_code: "evaluation_failed" }
      yield* event(job, {
        ...{ id: "h", benchmark_index: 1, status: "failed" },
        ...{ error_message: error, warning_message: error }
      })
    }
    const sample = {
      ...{ v: 1, sample_id: "s", task: "t", index: 0, repeat: 0, verdict: "incorrect", score: 0 },
      ...{ prompt: hostile, response: hostile, extracted: hostile }
    }
    const sent = yield* send("POST", `${jobsPath}/${id}/benchmarks/0/samples`, {
      body: `${JSON.stringify(sample)}\n`,
      headers: { "content-type": "application/x-ndjson" }
    })
    assert.strictEqual(sent.status, 200, sent.text)
    yield* event(id, {
      ...{ status: "completed", metrics: { acc: 0.1, best: hostile } },
      additional_info: { notes: [hostile] }
    })
    const policy = join(home, "policy.json")
    writeFileSync(policy, JSON.stringify({ criteria: [{ benchmark: "b", kind: "absolute", threshold: 0.9 }] }))
    const named = join(home, "named.json")
    writeFileSync(named, JSON.stringify(jobBody({ name: hostile })))
    return { home, id, open, policy, named }
  })
)

const world = Layer.provideMerge(
  prepared,
  app({
    // as a server might have them that refuses no name
    catalog: {
      ...sampleCatalog,
      providers: [
        sampleProvider({
          name: hostile,
          description: hostile,
          benchmarks: [
            ...sampleProvider().benchmarks,
            { id: "h", name: hostile, description: hostile, category: hostile, metrics: [] }
          ]
        })
      ]
    },
    runtime: idleRuntime({
      logs: () => Effect.succeed({ text: Stream.make(new TextEncoder().encode(`${hostile}\n`)), source: "live" })
    })
  })
)

const environmentOf = Effect.map(Effect.all([HttpApp, Hostile]), ([{ port }, { home }]) => ({
  HOME: home,
  EVALD_SERVER: `http://127.0.0.1:${port}`
}))

/** every command that shows what others have named */
const showing = Effect.map(
  Hostile,
  ({ id, open, policy, named }): ReadonlyArray<ReadonlyArray<string>> => [
    ...["table", "wide", "json", "yaml", "jsonl", "csv", "name", "jsonpath={.items[0].name}"].map((format) => [
      "get",
      "jobs",
      "-o",
      format
    ]),
    ["get", "jobs", id],
    ["get", "providers", "-o", "wide"],
    ["get", "benchmarks", "-o", "wide"],
    ["describe", "job", id],
    ["describe", "job", open],
    ["watch", id],
    ["watch", open, "--timeout", "1"],
    ["wait", id],
    ["logs", id],
    ["samples", id],
    ["samples", id, "--content", "-o", "wide"],
    ["compare", id, id],
    ["gate", id, "--policy", policy],
    ...["junit", "md", "csv", "jsonl"].map((format) => ["export", id, "-o", format]),
    ["api", "GET", `${jobsPath}/${id}`],
    ["run", "-f", named]
  ]
)

layer(world, { excludeTestServices: true, timeout: "120 seconds" })("names with control characters", (it) => {
  it.effect("move nothing on a terminal, in no command and no output, at 100 columns and at 40", () =>
    Effect.gen(function* () {
      const environment = yield* environmentOf
      const found: Array<string> = []
      for (const columns of [100, 40])
        for (const args of yield* showing) {
          const { text } = yield* Effect.promise(() => onTerminal(args, environment, columns))
          const [hit] = control.exec(bare(text)) ?? []
          if (hit !== undefined) found.push(`${args.join(" ")}: ${JSON.stringify(hit)}`)
        }
      assert.deepStrictEqual(found, [])
    })
  )

  it.effect("come through a pipe in formats for programs alone, which escape them or quote them", () =>
    Effect.gen(function* () {
      const environment = yield* environmentOf
      const { id } = yield* Hostile
      const evald = (...args: ReadonlyArray<string>) => Effect.promise(() => run(args, environment))
      for (const args of [
        ["get", "jobs"],
        ["get", "jobs", "-o", "csv"],
        ["describe", "job", id],
        ["watch", id],
        ["logs", id],
        ["samples", id],
        ...["junit", "md", "csv"].map((format) => ["export", id, "-o", format])
      ]) {
        const { stdout, stderr } = yield* evald(...args)
        assert.notMatch(bare(stdout + stderr), control, args.join(" "))
      }
      const { stdout } = yield* evald("samples", id, "--content", "-o", "json")
      assert.strictEqual(JSON.parse(stdout).items[0].record.response, hostile)
      const [line = ""] = (yield* evald("export", id, "-o", "jsonl")).stdout.split("\n")
      assert.strictEqual(JSON.parse(line).record.response, hostile)
    })
  )

  it.effect("on 40 columns a job's identifier is whole, for it is what is typed next, and so is its state", () =>
    Effect.gen(function* () {
      const environment = yield* environmentOf
      const { id } = yield* Hostile
      for (const columns of [80, 40])
        for (const args of [
          ["get", "jobs"],
          ["get", "jobs", id]
        ]) {
          const { text } = yield* Effect.promise(() => onTerminal(args, environment, columns))
          assert.include(text, id)
          assert.include(text, "parti")
          for (const line of text.split(/\r?\n/)) assert.isAtMost([...line].length, columns, args.join(" "))
        }
      const { text } = yield* Effect.promise(() => onTerminal(["describe", "job", id], environment, 40))
      const result = text.split(/\r?\n/).filter((line) => /^ {2}b {2}|^ {4}/.test(line))
      assert.isAtLeast(result.length, 3)
      for (const line of result) assert.isAtMost([...line].length, 40)
    })
  )
})

layer(world, { excludeTestServices: true, timeout: "120 seconds" })("an output that nobody takes", (it) => {
  it.effect("leaves a command its own exit code", () =>
    Effect.gen(function* () {
      const environment = yield* environmentOf
      const { id, policy } = yield* Hostile
      for (const line of [
        ["gate", id, "--policy", policy, "-q"],
        ["watch", id, "-q"],
        ["wait", id, "-q"]
      ]) {
        const { code } = yield* Effect.promise(() => run(line, environment))
        assert.isAbove(code ?? 0, 0, line.join(" "))
        const ended = yield* Effect.promise(() => piped(line.join(" "), environment))
        assert.deepStrictEqual([ended.code, ended.stderr], [code, ""], line.join(" "))
      }
    })
  )

  it.effect("ends every command's help without a word, and those without a server too", () =>
    Effect.gen(function* () {
      const environment = yield* environmentOf
      const lines = [
        ...commands.map(({ name }) => `${name} --help`),
        ...["help", "version --client", "completion bash", "__complete get ''", "validate --schema job-spec"]
      ]
      const found: Array<string> = []
      yield* Effect.forEach(
        lines,
        (words) =>
          Effect.map(
            Effect.promise(() => piped(words, environment)),
            ({ code, stderr }) => {
              if (code !== 0 || stderr !== "") found.push(`${words}: ${code}: ${stderr.slice(0, 200)}`)
            }
          ),
        { concurrency: 2, discard: true }
      )
      assert.deepStrictEqual(found, [])
    })
  )

  it.effect("is said in a sentence where the disk is full, with exit code 1 (it was a stack)", () =>
    Effect.gen(function* () {
      const environment = yield* environmentOf
      const { id } = yield* Hostile
      for (const words of [`get jobs`, `export ${id} -o jsonl`, "validate --schema job-spec", "help"]) {
        const { code, stderr } = yield* Effect.promise(() => piped(`${words} >/dev/full`, environment))
        assert.strictEqual(code, 1, words)
        assert.match(stderr, /^evald: the output can not be written: .*ENOSPC.*\n$/, words)
      }
    })
  )
})
