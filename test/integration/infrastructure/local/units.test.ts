/** What a unit finds when it starts, how launches are refused, and what several servers on one directory see of each other. */
import { type ChildProcess, spawn } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Chunk, Context, Effect, Exit, Fiber, Layer, Scope, Stream, TestClock } from "effect"
import { Runtime, type Unit } from "../../../../application/ports/runtime.ts"
import type { Benchmark } from "../../../../domain/job/job.ts"
import * as Identifiers from "../../../../infrastructure/in-process/identifiers.ts"
import { sweep } from "../../../../infrastructure/local/files/retention.ts"
import type { LocalRuntimeOptions } from "../../../../infrastructure/local/local-options.ts"
import { readJobSpec } from "../../../../providers/contract/job-spec.ts"
import {
  BaseDir,
  eventually,
  layerAlone,
  layerBaseDir,
  layerRuntime,
  layerSecrets,
  run,
  runs,
  unitRunning,
  written
} from "../../../support/local-units.ts"

const rootOf = (unit: Unit) => Effect.map(BaseDir, (baseDir) => join(baseDir, "test", unit.jobId, "0-bench-0"))

const logOf = (unit: Unit) => Effect.map(rootOf(unit), (root) => readFileSync(join(root, "log", "jobrun.log"), "utf8"))

const id = (number: number) => `66666666-0000-7000-8000-${String(number).padStart(12, "0")}`

describe("a unit", () => {
  it.scopedLive("starts in its own directory, without input, with files for its user alone", () =>
    Effect.gen(function* () {
      const unit = unitRunning(id(1), "pwd; umask; readlink /proc/self/fd/0; cat; ls -A; ps -o sid=,pgid=,pid= -p $$")
      yield* run(unit)
      const root = yield* rootOf(unit)
      const [cwd, umask, input, ids = ""] = (yield* logOf(unit)).split("\n")
      assert.deepStrictEqual([cwd, umask, input], [join(root, "work"), "0077", "/dev/null"])
      const [session, group, pid] = ids.trim().split(/\s+/)
      assert.deepStrictEqual([session, group], [pid, pid])
      for (const name of readdirSync(root)) assert.strictEqual(statSync(join(root, name)).mode & 0o077, 0, name)
      assert.strictEqual(statSync(join(root, "meta", "job.json")).mode & 0o777, 0o600)
      const spec = readJobSpec(readFileSync(join(root, "meta", "job.json"), "utf8"))
      assert.isTrue(spec._tag === "Right" && spec.right.output_dir === join(root, "results"))
    }).pipe(Effect.provide(layerAlone()))
  )

  const inherited = {
    PATH: process.env["PATH"],
    DB_URL: "canary-1",
    AWS_SECRET_ACCESS_KEY: "canary-2",
    OPENAI_API_KEY: "canary-3",
    MY_FLAG: "wanted"
  }
  it.scopedLive("sees no variable of the server but those it may", () =>
    Effect.gen(function* () {
      const unit = unitRunning(id(2), "env")
      yield* run(unit)
      const text = yield* logOf(unit)
      assert.notInclude(text, "canary")
      assert.include(text, "MY_FLAG=wanted\n")
      const names = text.split("\n").flatMap((line) => /^([A-Za-z_]+)=/.exec(line)?.[1] ?? [])
      const shells = ["PWD", "OLDPWD", "SHLVL", "_"]
      assert.deepStrictEqual(
        names.filter((name) => !/^(EVALD_|EVALHUB_)/.test(name) && !shells.includes(name)).toSorted(),
        ["MY_FLAG", "NO_COLOR", "NO_PROXY", "PATH", "PYTHONUNBUFFERED", "TMPDIR", "no_proxy"]
      )
    }).pipe(
      Effect.provide(
        layerAlone({
          environment: { inherited, allow: ["MY_FLAG"], adapterEnv: true, tracked: false, ociInsecure: false }
        })
      )
    )
  )

  it.scopedLive("is held to the limits that are set", () =>
    Effect.gen(function* () {
      const unit = unitRunning(id(3), "ulimit -n; ulimit -f; ulimit -v; head -c 100000 /dev/zero > big")
      const end = yield* run(unit)
      assert.deepStrictEqual((yield* logOf(unit)).split("\n").slice(0, 3), ["64", "16", "1000000"])
      assert.notStrictEqual(end.exitCode, 0)
      assert.isAtMost(statSync(join(yield* rootOf(unit), "work", "big")).size, 8192)
    }).pipe(
      Effect.provide(
        layerAlone({
          limits: { openFiles: 64, fileSizeBytes: 8192, addressSpaceBytes: 1_024_000_000, processes: 10_000 }
        })
      )
    )
  )

  it.scopedLive("does not start under a limit that can not be set", () =>
    Effect.gen(function* () {
      const end = yield* run(unitRunning(id(4), "echo ran"))
      assert.deepStrictEqual([end.code, end.exitCode], ["adapter_failed_to_start", 126])
    }).pipe(Effect.provide(layerAlone({ limits: { openFiles: 999_999_999 } })))
  )

  it.scopedLive("has its test data and its credentials before it starts", () =>
    Effect.gen(function* () {
      const bare = unitRunning(id(5), "cat $TEST_DATA_DIR/a $EVALD_MODEL_AUTH_DIR/api-key")
      const entry = { ...bare.benchmark.entry, testData: { s3: { bucket: "b", key: "k", secretRef: "s" } } }
      const model = { url: "http://h/v1", name: "m", auth: { secretRef: "s" } }
      yield* run({ ...bare, benchmark: { ...bare.benchmark, entry }, request: { ...bare.request, model } })
      assert.strictEqual(yield* logOf(bare), "data http://127.0.0.1:9/cb/***/model\n")
    }).pipe(
      Effect.provide(
        layerAlone({
          testData: (_, directory) =>
            Effect.sync(() => {
              mkdirSync(directory)
              writeFileSync(join(directory, "a"), "data ")
            }),
          modelAuth: ({ directory, gateway }) =>
            Effect.as(
              Effect.sync(() => writeFileSync(join(directory, "api-key"), gateway)),
              []
            )
        })
      )
    )
  )
})

describe("a launch", () => {
  it.scopedLive(
    "is refused for a provider without a command, and for credentials that do not exist; both leave the slot free",
    () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const unit = unitRunning(id(10), "true")
        const clusterOnly: Unit = {
          ...unit,
          benchmark: { ...unit.benchmark, snapshot: { ...unit.benchmark.snapshot, runtime: {} } }
        }
        const withAuth: Unit = {
          ...unit,
          request: { ...unit.request, model: { url: "http://h", name: "m", auth: { secretRef: "s" } } }
        }
        for (const [one, code] of [
          [clusterOnly, "launch_failed"],
          [withAuth, "secret_not_found"]
        ] as const) {
          const refusal = yield* Effect.flip(runtime.launch(one))
          assert.strictEqual(refusal._tag === "LaunchRefused" ? refusal.code : refusal._tag, code)
        }
        assert.strictEqual(yield* runtime.freeSlots, 5)
        yield* runtime.launch(unit)
      }).pipe(
        Effect.provide(
          layerAlone({
            modelAuth: () => Effect.fail({ _tag: "LaunchRefused", code: "secret_not_found", message: "no" })
          })
        )
      )
  )

  it.scopedLive(
    "with an environment or a command that the system does not take is refused with the reason, and not as a cluster that is away",
    () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const large = "x".repeat(4 * 1024 * 1024)
        const bare = unitRunning(id(14), "true")
        const local = { command: "true", env: [{ name: "LARGE", value: large }] }
        const environment: Unit = {
          ...bare,
          benchmark: { ...bare.benchmark, snapshot: { ...bare.benchmark.snapshot, runtime: { local } } }
        }
        for (const unit of [environment, unitRunning(id(15), `: ${large}`)]) {
          const refusal = yield* Effect.flip(runtime.launch(unit))
          assert.match(
            refusal._tag === "LaunchRefused" ? refusal.message : refusal._tag,
            /larger than the system takes \(E2BIG\)/
          )
        }
        assert.strictEqual(yield* runtime.freeSlots, 5)
      }).pipe(Effect.provide(layerAlone()))
  )

  it.scopedLive("that is interrupted while it prepares leaves nothing, and can be made again", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const unit = unitRunning(id(11), "echo ran")
      const withData: Unit = {
        ...unit,
        benchmark: {
          ...unit.benchmark,
          entry: { ...unit.benchmark.entry, testData: { s3: { bucket: "b", key: "k", secretRef: "s" } } }
        }
      }
      const launching = yield* Effect.fork(runtime.launch(withData))
      yield* eventually(Effect.map(runtime.observe([unit]), ([one]) => (one?.status === "Alive" ? one : undefined)))
      yield* Fiber.interrupt(launching)
      assert.deepStrictEqual([yield* runtime.freeSlots, (yield* runtime.observe([unit]))[0]?.status], [5, "Gone"])
      yield* run(unit)
      assert.strictEqual(yield* logOf(unit), "ran\n")
    }).pipe(Effect.provide(layerAlone({ testData: () => Effect.never })))
  )

  it.scopedLive("of a unit that ran and is forgotten is not made twice", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const unit = unitRunning(id(12), "echo ran")
      yield* run(unit)
      yield* runtime.launch(unit)
      yield* eventually(Effect.map(runtime.observe([unit]), ([one]) => (one?.status === "Gone" ? one : undefined)))
      const refusal = yield* Effect.flip(runtime.launch(unit))
      assert.strictEqual(refusal._tag === "LaunchRefused" ? refusal.code : refusal._tag, "runtime_object_lost")
      assert.strictEqual(yield* logOf(unit), "ran\n")
    }).pipe(Effect.provide(layerAlone({ settleMillis: 100 })))
  )

  it.scopedLive("is foreseen at submission: a provider must have a local command, test data a way to be fetched", () =>
    Effect.gen(function* () {
      const { check } = yield* Runtime
      const { benchmark } = unitRunning(id(13), "true")
      const none: Benchmark = {
        ...benchmark,
        index: 3,
        snapshot: { ...benchmark.snapshot, runtime: { k8s: { image: "i" } } }
      }
      const data: Benchmark = {
        ...benchmark,
        index: 4,
        entry: { ...benchmark.entry, testData: { s3: { bucket: "b", key: "k", secretRef: "s" } } }
      }
      assert.deepStrictEqual(
        (yield* check([benchmark, none, data])).map(({ path, code }) => [path, code]),
        [
          [["benchmarks", 3], "local_runtime_unavailable"],
          [["benchmarks", 4, "testData"], "invalid_value"]
        ]
      )
    }).pipe(Effect.provide(layerAlone()))
  )
})

/** a runtime whose life the test decides */
const server = (given: Partial<LocalRuntimeOptions> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(
      Layer.provide(layerRuntime(given), [layerSecrets, Identifiers.layer]),
      scope
    )
    return { runtime: Context.get(context, Runtime), close: Scope.close(scope, Exit.void) }
  })

describe("servers that share a directory", () => {
  it.scopedLive("launch a unit once, see each other's units, and can stop them", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* server(), yield* server()]
      const unit = unitRunning(id(20), "echo $$ >> pid; exec sleep 60")
      yield* Effect.all([a.runtime.launch(unit), b.runtime.launch(unit)], { concurrency: 2 })
      const pids = (yield* written(join(yield* rootOf(unit), "work", "pid"))).trim().split("\n").map(Number)
      assert.strictEqual(pids.length, 1)
      for (const { runtime } of [a, b]) assert.strictEqual((yield* runtime.observe([unit]))[0]?.status, "Alive")
      const other = (yield* a.runtime.freeSlots) === 5 ? a : b
      yield* other.runtime.stop(unit, { discard: false })
      assert.deepStrictEqual(pids.map(runs), [false])
      yield* Effect.all([a.close, b.close], { concurrency: 2 })
    }).pipe(Effect.provide(layerBaseDir))
  )

  it.scopedLive("end their own units when they stop, and nobody else's", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* server(), yield* server()]
      const [first, second] = [
        unitRunning(id(21), "trap 'exit 0' TERM; echo $$ > pid; while :; do sleep 0.05; done"),
        unitRunning(id(22), "echo $$ > pid; exec sleep 60")
      ]
      yield* a.runtime.launch(first)
      yield* b.runtime.launch(second)
      const pidOf = (unit: Unit) =>
        Effect.flatMap(rootOf(unit), (root) => Effect.map(written(join(root, "work", "pid")), Number))
      const [firstPid, secondPid] = [yield* pidOf(first), yield* pidOf(second)]
      yield* a.close
      assert.deepStrictEqual([runs(firstPid), runs(secondPid)], [false, true])
      yield* b.close
      assert.isFalse(runs(secondPid))
    }).pipe(Effect.provide(layerBaseDir))
  )
})

describe("what a server left that died", () => {
  const entryOf = (unit: Unit, root: string, more: object) => ({
    ...{ tenant: unit.tenant, jobId: unit.jobId, index: 0, attempt: 1, runId: `dead-${unit.jobId}`, root },
    // an id that no process has
    ...{ server: { pid: 2 ** 30, startTicks: "1" }, ...more }
  })
  it.scoped("is taken over by another one: events it holds, then its end as far as it is known", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const live = join(yield* BaseDir, "test", "live")
      const [lost, known, preparing] = [
        unitRunning(id(30), "true"),
        unitRunning(id(31), "true"),
        unitRunning(id(32), "true")
      ]
      const leader = { leader: { pid: 2 ** 30 + 1, startTicks: "1" } }
      const ended = {
        ended: {
          at: "2026-08-17T10:00:00.000Z",
          code: "adapter_exited_without_result",
          message: "The adapter exited with code 9.",
          exitCode: 9
        }
      }
      const spool = join(yield* rootOf(lost), "spool")
      mkdirSync(spool, { recursive: true })
      writeFileSync(
        join(spool, "1-a.json"),
        JSON.stringify({ benchmark_status_event: { id: "bench-0", status: "completed" } })
      )
      for (const [unit, more] of [
        [lost, leader],
        [known, { ...leader, ...ended }],
        [preparing, {}]
      ] as const)
        writeFileSync(join(live, `${unit.jobId}-0-1.json`), JSON.stringify(entryOf(unit, yield* rootOf(unit), more)))
      writeFileSync(join(live, `${id(33)}-0-1.json`), '{"torn')
      assert.deepStrictEqual(
        (yield* runtime.observe([lost, known])).map(({ status }) => status),
        ["Alive", "Alive"]
      )
      yield* TestClock.adjust("5 seconds")
      const facts = yield* Stream.runCollect(Stream.take(runtime.facts, 3))
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(facts).map((fact) => [
          fact._tag,
          fact.unit.jobId,
          fact._tag === "Ended" ? [fact.code, fact.exitCode] : []
        ]),
        [
          ["Spooled", lost.jobId, []],
          ["Ended", lost.jobId, ["runtime_object_lost", undefined]],
          ["Ended", known.jobId, ["adapter_exited_without_result", 9]]
        ]
      )
      assert.deepStrictEqual(readdirSync(live), [`${lost.jobId}-0-1.json`, `${known.jobId}-0-1.json`])
    }).pipe(Effect.provide(layerAlone()))
  )
})

describe("the lifeline", () => {
  const watchdogOf = (): number | undefined => {
    const own = readdirSync("/proc").filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "latin1")
        return (
          stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] === String(process.pid) &&
          readFileSync(`/proc/${name}/cmdline`, "latin1").includes("trap '' HUP INT TERM")
        )
      } catch {
        return false
      }
    })
    return own[0] === undefined ? undefined : Number(own[0])
  }
  it.scopedLive("is restored when somebody cuts it", () =>
    Effect.gen(function* () {
      const before = yield* eventually(Effect.sync(watchdogOf))
      process.kill(before, "SIGKILL")
      const after = yield* eventually(Effect.sync(() => (watchdogOf() === before ? undefined : watchdogOf())))
      assert.notStrictEqual(after, before)
    }).pipe(Effect.provide(layerAlone()))
  )
  it.scopedLive("goes with a server that stops in order", () =>
    Effect.gen(function* () {
      const { close } = yield* server()
      const pid = yield* eventually(Effect.sync(watchdogOf))
      yield* close
      yield* eventually(Effect.sync(() => (runs(pid) ? undefined : true)))
    }).pipe(Effect.provide(layerBaseDir))
  )
})

describe("the base directory", () => {
  const refusal = (prepare: (path: string) => void) =>
    Effect.gen(function* () {
      const baseDir = join(yield* BaseDir, "given")
      prepare(baseDir)
      const exit = yield* Effect.exit(
        Effect.scoped(Layer.build(Layer.provide(layerRuntime({ baseDir }), [layerSecrets, Identifiers.layer])))
      )
      return Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    })
  const traps: ReadonlyArray<readonly [string, (path: string) => void]> = [
    ["a file", (path) => writeFileSync(path, "")],
    [
      "a link",
      (path) => {
        mkdirSync(`${path}-target`)
        symlinkSync(`${path}-target`, path)
      }
    ]
  ]
  for (const [name, prepare] of traps)
    it.scopedLive(`is refused with a message when it is ${name}`, () =>
      Effect.gen(function* () {
        const problem = yield* refusal(prepare)
        assert.match(String(problem), /can not hold the files of local benchmarks: .*Set local\.base_dir/)
      }).pipe(Effect.provide(layerBaseDir))
    )
  it.scopedLive("is made private", () =>
    Effect.gen(function* () {
      let path = ""
      const none = yield* refusal((given) => {
        path = given
        mkdirSync(given)
        chmodSync(given, 0o777)
      })
      assert.strictEqual(none, undefined)
      assert.strictEqual(statSync(path).mode & 0o777, 0o700)
    }).pipe(Effect.provide(layerBaseDir))
  )
})

describe("retention", () => {
  it.scopedLive("removes what ended long ago and instances without a server, and nothing else", () =>
    Effect.gen(function* () {
      const baseDir = yield* BaseDir
      const old = new Date("2020-01-01T00:00:00Z")
      const unit = (path: string, endedAt: Date | undefined) => {
        mkdirSync(join(baseDir, path, "log"), { recursive: true })
        if (endedAt === undefined) return
        writeFileSync(join(baseDir, path, ".ended"), "")
        utimesSync(join(baseDir, path, ".ended"), endedAt, endedAt)
      }
      unit("own/job-1/0-a", old)
      unit("own/job-1/1-b", undefined)
      unit("own/job-2/0-a", old)
      unit("own/job-3/0-a", new Date(8_640_000_000_000))
      unit("dead/job-4/0-a", old)
      unit("young/job-5/0-a", old)
      unit("alive/job-6/0-a", old)
      const living: ChildProcess = spawn("sleep", ["60"])
      mkdirSync(join(baseDir, "alive", "live"))
      const entry = {
        tenant: "t",
        jobId: "job-6",
        index: 0,
        attempt: 1,
        runId: "r",
        root: "/r",
        server: { pid: living.pid }
      }
      writeFileSync(join(baseDir, "alive", "live", "job-6-0-1.json"), JSON.stringify(entry))
      for (const name of ["dead", "alive"]) utimesSync(join(baseDir, name), old, old)
      yield* sweep({ baseDir, instance: "own", retainSeconds: 3600 })
      living.kill("SIGKILL")
      assert.deepStrictEqual(
        ["own/job-1/0-a", "own/job-1/1-b", "own/job-2", "own/job-3/0-a", "dead", "young", "alive"].map((path) =>
          existsSync(join(baseDir, path))
        ),
        [false, true, false, true, false, true, true]
      )
    }).pipe(Effect.provide(layerBaseDir))
  )

  it.effect(
    "files that take too much go in the order in which their benchmarks ended, those of running ones never",
    () =>
      Effect.gen(function* () {
        const baseDir = yield* BaseDir
        const unit = (path: string, bytes: number, endedAt: number | undefined) => {
          mkdirSync(join(baseDir, "own", path, "work"), { recursive: true })
          writeFileSync(join(baseDir, "own", path, "work", "out"), Buffer.alloc(bytes))
          symlinkSync(process.execPath, join(baseDir, "own", path, "work", "link"))
          if (endedAt === undefined) return
          writeFileSync(join(baseDir, "own", path, ".ended"), "")
          utimesSync(join(baseDir, "own", path, ".ended"), new Date(endedAt), new Date(endedAt))
        }
        unit("job-1/0-a", 40_000, 3000)
        unit("job-1/1-b", 40_000, undefined)
        unit("job-2/0-a", 40_000, 1000)
        unit("job-3/0-a", 40_000, 2000)
        const left = () =>
          ["job-1/0-a", "job-1/1-b", "job-2", "job-3"].filter((path) => existsSync(join(baseDir, "own", path)))
        const retention = { baseDir, instance: "own", retainSeconds: 3600 }
        yield* sweep({ ...retention, maxBytes: 200_000 })
        assert.lengthOf(left(), 4)
        yield* sweep({ ...retention, maxBytes: 100_000 })
        assert.deepStrictEqual(left(), ["job-1/0-a", "job-1/1-b"])
        yield* sweep({ ...retention, maxBytes: 1000 })
        assert.deepStrictEqual(left(), ["job-1/1-b"])
      }).pipe(Effect.provide(layerBaseDir))
  )
})
