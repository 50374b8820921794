/**
 * What somebody put where the local runtime keeps its own while no server ran: pipes that nobody writes to, links to endless files, folders
 * and garbage. The next server waits for none of it, reads none of it, and brings its job to a true end.
 */
import { execFileSync } from "node:child_process"
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dyingServers, pidIn, workOf } from "../support/dying-servers.ts"
import { eventually, runs, spoolCompleted } from "../support/local-units.ts"
import { jobId } from "../support/stored-jobs.ts"

const { restarted } = dyingServers()

const namedPipe = (path: string): void => {
  rmSync(path, { recursive: true, force: true })
  execFileSync("mkfifo", [path])
}
const link = (path: string, target: string): void => {
  rmSync(path, { recursive: true, force: true })
  symlinkSync(target, path)
}

/** things that are nobody's, in every folder that the runtime looks through at its start */
const plantStrangers = (baseDir: string): void => {
  const [own, live] = [join(baseDir, "test"), join(baseDir, "test", "live")]
  for (const folder of [baseDir, own, live]) {
    namedPipe(join(folder, "pipe"))
    link(join(folder, "endless"), "/dev/zero")
    mkdirSync(join(folder, "folder", "within"), { recursive: true })
    writeFileSync(join(folder, "garbage"), "\\0garbage")
  }
  namedPipe(join(live, "pipe.json"))
  namedPipe(join(live, "pipe.json.new"))
  link(join(live, "endless.json"), "/dev/zero")
  link(join(live, "elsewhere.json"), "/etc/passwd")
  mkdirSync(join(live, "folder.json", "within"), { recursive: true })
  writeFileSync(join(live, "garbage.json"), '{"jobId":')
  writeFileSync(join(live, "large.json"), "x".repeat(2 * 1024 * 1024))
}

/** the runtime's own files of a unit, each replaced by something else */
const plantInUnit = (unit: string, put: (path: string) => void): void => {
  for (const name of [
    ...[".exit", "output", "line", "log/jobrun.log", "log/jobrun.log.times", "log/jobrun.log.dropped"],
    ...["spool/0-a.json", "meta/job.json"]
  ])
    put(join(unit, name))
}

const stubborn = "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"
const patient = "echo $$ > pid; while [ ! -e ../go ]; do sleep 0.05; done; exit 7"

const unitOf = (baseDir: string, index: number) => join(workOf(baseDir, index), "..")

describe.concurrent("a server that starts over planted files", () => {
  for (const [what, put] of [
    ["pipes without a writer", namedPipe],
    ["links to an endless file", (path: string) => link(path, "/dev/zero")]
  ] as const)
    it.live(`ends its job and takes what is nobody's for nothing: ${what}`, () =>
      Effect.gen(function* () {
        const commands = [stubborn, `${spoolCompleted(1)}; ${stubborn}`, spoolCompleted(2)]
        const { baseDir, again } = yield* restarted(
          `planted-${put === namedPipe ? "pipes" : "links"}`,
          commands,
          (dir) => Effect.zipRight(pidIn(dir, 0), Effect.asVoid(pidIn(dir, 1)))
        )
        plantStrangers(baseDir)
        plantInUnit(unitOf(baseDir, 0), put)
        plantInUnit(unitOf(baseDir, 1), put)
        const benchmarks = yield* again
        assert.deepStrictEqual(
          benchmarks.map(({ state, error }) => [state, error?.code]),
          [
            ["failed", "runtime_object_lost"],
            ["completed", undefined],
            ["completed", undefined]
          ]
        )
        // entries that are none of a server's are taken away; everything else is not the runtime's to touch
        const live = join(baseDir, "test", "live")
        assert.deepStrictEqual(
          readdirSync(live).filter((name) => name.endsWith(".json") && !name.startsWith(jobId(1))),
          []
        )
        assert.isTrue(lstatSync(join(live, "pipe")).isFIFO())
        assert.isTrue(existsSync(join(baseDir, "folder", "within")))
      })
    )

  it.live("with local.adopt, a running unit whose pipe and files were replaced is ended and told as lost", () =>
    Effect.gen(function* () {
      const { baseDir, again } = yield* restarted("planted-adopted", [patient], (dir) => Effect.asVoid(pidIn(dir, 0)), {
        adopt: true
      })
      const pid = yield* pidIn(baseDir, 0)
      assert.isTrue(runs(pid))
      plantStrangers(baseDir)
      plantInUnit(unitOf(baseDir, 0), (path) => link(path, "/dev/zero"))
      const [benchmark] = yield* again
      assert.deepStrictEqual([benchmark?.state, benchmark?.error?.code], ["failed", "runtime_object_lost"])
      yield* eventually(Effect.sync(() => (runs(pid) ? undefined : true)))
    })
  )
})
