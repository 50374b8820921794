import { type ChildProcess, spawnSync } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type Execution, runCandidate } from "../../../../../providers/evald/code/sandbox.ts"
import { SANDBOX_PROGRAM } from "../../../../../providers/evald/code/sandbox-program.ts"
import type { AdapterError } from "../../../../../providers/sdk/adapter.ts"
import { untilTrue } from "../../../../support/until.ts"

const run = (
  code: string,
  calls: ReadonlyArray<ReadonlyArray<unknown>> = [[]]
): Effect.Effect<Execution, AdapterError> => runCandidate({ code, name: "f", calls })

const valueOfFirst = ({ outcomes }: Execution): unknown => {
  const [first] = outcomes
  return first?._tag === "Value" ? first.value : first?.message
}

describe("sandbox", () => {
  it.live("calls the function with each list of arguments", () =>
    Effect.gen(function* () {
      const sum = yield* run(
        "const f = (a, b) => { if (a === 9) throw new RangeError('nine'); return { sum: a + b } }",
        [
          [1, 2],
          [9, 0],
          ["x", "y"]
        ]
      )
      assert.deepStrictEqual(sum, {
        compiled: true,
        outcomes: [
          { _tag: "Value", value: { sum: 3 } },
          { _tag: "Threw", message: "RangeError: nine" },
          { _tag: "Value", value: { sum: "xy" } }
        ]
      })
    })
  )

  it.live("says when there is nothing to call", () =>
    Effect.gen(function* () {
      for (const code of [
        "function f( {",
        "const g = 1",
        "const f = 1",
        "throw new Error('at once')",
        "import fs from 'fs'; const f = () => 1"
      ]) {
        const execution = yield* run(code)
        assert.isFalse(execution.compiled, code)
        assert.isString(execution.problem)
      }
      const nothing = yield* run("function f() {}")
      assert.deepStrictEqual(nothing.outcomes, [{ _tag: "Threw", message: "no JSON value" }])
    })
  )

  it.live("offers no way out: no modules, no process, no code from strings", () =>
    Effect.gen(function* () {
      const globals =
        "['process','require','fetch','setTimeout','Buffer','global','WebSocket'].map((name) => typeof globalThis[name]).join()"
      assert.strictEqual(valueOfFirst(yield* run(`const f = () => ${globals}`)), Array(7).fill("undefined").join())
      for (const expression of [
        "Function('return process')()",
        "eval('1')",
        "f.constructor.constructor('return process')()",
        "this.constructor.constructor('return process')()",
        "globalThis.constructor.constructor('return process')().env",
        "(async () => {}).constructor('return 1')()"
      ]) {
        const execution = yield* run(`function f() { return String(typeof (${expression})) }`)
        assert.match(String(valueOfFirst(execution)), /Error/, expression)
      }
    })
  )

  it.live("a candidate that replaces built-ins does not change how results are read", () =>
    Effect.gen(function* () {
      const cheat = yield* run(
        "JSON.stringify = () => '42'; JSON.parse = () => [1]; Reflect.apply = () => 42; function f(a) { return a }",
        [[7]]
      )
      assert.strictEqual(valueOfFirst(cheat), 7)
    })
  )

  it("the process itself can open no connection", () => {
    const attempts = [
      "net.connect(9)",
      "net.createServer().listen(0)",
      "require('node:http').get('http://127.0.0.1:9')",
      "require('node:tls').connect(9)",
      "dns.lookup('localhost', () => {})",
      "dgram.createSocket('udp4').send('x', 9)",
      "fetch('http://127.0.0.1:9')"
    ]
    const report =
      "require('node:fs').writeSync(1, attempts.map((attempt) => { try { attempt(); return 'open' } catch (error) { return error.message } }).join())"
    const program = `${SANDBOX_PROGRAM};const attempts = [${attempts.map((attempt) => `() => ${attempt}`).join()}];${report};process.exit(0)`
    const { stdout } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8", env: {} })
    assert.deepStrictEqual(stdout.split(","), Array(attempts.length).fill("there is no network here"))
  })

  it.live("an interrupted run leaves no process behind", () =>
    Effect.gen(function* () {
      const started: Array<ChildProcess> = []
      const note = (message: unknown) => started.push((message as { readonly process: ChildProcess }).process)
      yield* Effect.acquireRelease(
        Effect.sync(() => subscribe("child_process", note)),
        () => Effect.sync(() => unsubscribe("child_process", note))
      )
      const running = yield* Effect.fork(run("function f() { for (;;) {} }"))
      yield* untilTrue(Effect.sync(() => started.length > 0))
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(
        started.map(({ signalCode }) => signalCode),
        ["SIGKILL"]
      )
    }).pipe(Effect.scoped)
  )
})
