/**
 * Runs code that a model wrote: in a process of its own, without environment, with node's permission model where there is one (no files,
 * no processes, no workers), without network, for five seconds and within 128 MiB at most. Reference: providers-and-collections.md, "Embedded benchmarks".
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { Effect } from "effect"
import { AdapterError } from "../../sdk/adapter.ts"
import { notSupported } from "../../sdk/failures.ts"
import { SANDBOX_PROGRAM } from "./sandbox-program.ts"

const TIME_LIMIT_MS = 5000
const MEMORY_LIMIT_MIB = 128
/** the heap leaves room for the process around it */
const HEAP_MIB = 64
const MEMORY_CHECK_MS = 25
const OUTPUT_LIMIT = 1024 * 1024

export interface Candidate {
  readonly code: string
  /** function to call */
  readonly name: string
  /** one list of arguments for each call */
  readonly calls: ReadonlyArray<ReadonlyArray<unknown>>
}

export type CallOutcome =
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Threw"; readonly message: string }

export interface Execution {
  /** the code was read without an error and defines the function */
  readonly compiled: boolean
  /** one for each call; empty when nothing could be called */
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** why there are no outcomes */
  readonly problem?: string
}

const permissionFlag = ["--permission", "--experimental-permission"].find((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag)
)

/** what protects this machine, for the record of the result */
export const sandboxDescription = {
  permission_model: permissionFlag !== undefined,
  network: "closed in the process",
  time_limit_ms: TIME_LIMIT_MS,
  memory_limit_mib: MEMORY_LIMIT_MIB
}

const nodeArguments = [
  ...(permissionFlag === undefined ? [] : [permissionFlag]),
  "--no-warnings",
  "--no-addons",
  "--disable-proto=throw",
  "--disallow-code-generation-from-strings",
  `--max-old-space-size=${HEAP_MIB}`,
  "-e",
  SANDBOX_PROGRAM
]

/** resident memory in MiB; undefined where the system does not tell: there only the heap limit holds */
const residentMib = (pid: number): number | undefined => {
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    return kib === undefined ? undefined : Number(kib) / 1024
  } catch {
    return undefined
  }
}

const failed = (problem: string, compiled = true): Execution => ({ compiled, outcomes: [], problem })

const readOutcome = (text: string): CallOutcome =>
  text.startsWith("v")
    ? { _tag: "Value", value: JSON.parse(text.slice(1)) as unknown }
    : { _tag: "Threw", message: text.slice(1) }

const readOutput = (output: string): Execution => {
  try {
    const { compiled, error, outputs } = JSON.parse(output) as {
      readonly compiled: boolean
      readonly error?: string
      readonly outputs: ReadonlyArray<string>
    }
    return compiled ? { compiled: true, outcomes: outputs.map(readOutcome) } : failed(error ?? "not compiled", false)
  } catch {
    return failed("the process wrote no result")
  }
}

const launch = () =>
  spawn(process.execPath, nodeArguments, {
    cwd: tmpdir(),
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true
  })

/** what stops a process before its own end: time, memory, too much output */
const watch = (child: ChildProcess, stop: (problem: string) => void) => {
  const time = setTimeout(() => stop(`took longer than ${TIME_LIMIT_MS / 1000} s`), TIME_LIMIT_MS)
  const memory = setInterval(() => {
    if (child.pid !== undefined && (residentMib(child.pid) ?? 0) > MEMORY_LIMIT_MIB)
      stop(`used more than ${MEMORY_LIMIT_MIB} MiB`)
  }, MEMORY_CHECK_MS)
  return () => {
    clearTimeout(time)
    clearInterval(memory)
  }
}

const inProcess = (candidate: Candidate): Effect.Effect<Execution, AdapterError> =>
  Effect.async<Execution, AdapterError>((resume) => {
    const child = launch()
    let output = ""
    let problem: string | undefined
    const stop = (why: string) => {
      problem ??= why
      child.kill("SIGKILL")
    }
    const unwatch = watch(child, stop)
    const settle = (execution: Execution) => {
      unwatch()
      resume(Effect.succeed(execution))
    }
    child.once("error", (error) => {
      unwatch()
      const message = `the sandbox process could not be started: ${error.message}`
      resume(new AdapterError({ code: "adapter_internal_error", message, retryable: true }))
    })
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (chunk: string) => {
      output += chunk
      if (output.length > OUTPUT_LIMIT) stop(`wrote more than ${OUTPUT_LIMIT} characters`)
    })
    // a process that ended early cannot take its input; its end says why
    child.stdin.on("error", () => undefined)
    child.once("close", (code, signal) => {
      if (problem !== undefined) return settle(failed(problem))
      settle(
        code === 0
          ? readOutput(output)
          : failed(`the process ended with ${signal ?? `status ${code}`}, probably out of memory`)
      )
    })
    child.stdin.end(
      JSON.stringify({
        code: candidate.code,
        name: candidate.name,
        calls: candidate.calls.map((args) => JSON.stringify(args))
      })
    )
    // an interrupted run ends when its process has ended
    return Effect.async<void>((ended) => {
      unwatch()
      child.once("close", () => ended(Effect.void))
      if (!child.kill("SIGKILL")) ended(Effect.void)
    })
  })

/**
 * Outcomes of all calls of a candidate; fails only when no process can be started, which is never the candidate's fault. Code that imports is not run: an import is the one construct that hands objects of the
 * outer realm to the candidate, and a pure function needs none.
 */
export const runCandidate = (candidate: Candidate): Effect.Effect<Execution, AdapterError> =>
  /\bimport\b/.test(candidate.code) ? Effect.succeed(failed("import is not available", false)) : inProcess(candidate)

/** one harmless call: a sandbox that does not work here fails the benchmark instead of every item */
export const checkSandbox: Effect.Effect<void, AdapterError> = Effect.flatMap(
  runCandidate({ code: "const f = (a) => a + 1", name: "f", calls: [[41]] }),
  ({ outcomes, problem }) =>
    outcomes[0]?._tag === "Value" && outcomes[0].value === 42
      ? Effect.void
      : notSupported(
          `benchmark code_js_small needs a sandbox process, which does not work on this machine: ${problem ?? "it gave a wrong result"}`
        )
)
