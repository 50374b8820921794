/**
 * Are the evaluation frameworks of local providers here, and do they work? The file is looked for at every submission, so that an
 * installation helps at once; whether it works is asked at start and, when it is new or did not work, every 60 s. Reference: providers-and-collections.md, "Framework wrappers"
 * "executable", "missing".
 */
import { execFile } from "node:child_process"
import { statSync } from "node:fs"
import { Effect, type Scope } from "effect"
import {
  FRAMEWORKS,
  type Framework,
  findExecutable,
  frameworkCommandVariable,
  frameworkOfCommand,
  installCommand,
  missingFramework
} from "../../providers/contract/frameworks.ts"
import { defined } from "../../values/defined.ts"

type Variables = { readonly [name: string]: string | undefined }

export interface ProbeOptions {
  /** setting `frameworks`: provider id → executable or virtual environment */
  readonly commands: { readonly [providerId: string]: { readonly command: string } }
  /** the server's own environment; PATH is searched */
  readonly environment: Variables
  /** put before PATH for adapters */
  readonly pathPrepend?: string
}

export interface FrameworkState {
  readonly id: string
  readonly executable: string
  /** absent: not found */
  readonly path?: string
  /** as the executable says, when it says one */
  readonly version?: string
  /** why it can not be used, with the way out; absent: it works, or was too slow to answer within 20 s */
  readonly problem?: string
}

/** a provider as far as its framework is concerned */
export interface LocalProvider {
  readonly id: string
  readonly command: string
  readonly env?: ReadonlyArray<{ readonly name: string; readonly value?: string }>
}

export interface FrameworkProbe {
  /** value of `EVALD_FRAMEWORK_COMMAND` for this provider's adapter */
  readonly commandOf: (provider: Pick<LocalProvider, "id" | "command">) => string | undefined
  /** why the provider can not run here; undefined for commands that drive no framework of ours */
  readonly problemOf: (provider: LocalProvider) => string | undefined
}

interface Answer {
  readonly works: "yes" | "no" | "unknown"
  readonly text: string
}

const limitMillis = 20_000

/** nothing but what a Python program needs to start */
const plainEnvironment = (environment: Variables): NodeJS.ProcessEnv =>
  Object.fromEntries(
    ["PATH", "HOME", "LANG", "LC_ALL", "VIRTUAL_ENV", "PYTHONPATH", "LD_LIBRARY_PATH"].map((name) => [
      name,
      environment[name]
    ])
  )

const ask = (path: string, { probe }: Framework, environment: Variables): Effect.Effect<Answer> =>
  Effect.async<Answer>((resume) => {
    const child = execFile(
      path,
      probe,
      { timeout: limitMillis, killSignal: "SIGKILL", env: plainEnvironment(environment), maxBuffer: 4 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const works = error === null ? "yes" : error.killed === true ? "unknown" : "no"
        resume(
          Effect.succeed({
            works,
            text: `${stdout}\n${stderr}\n${error === null || typeof error.code === "number" ? "" : error.message}`
          })
        )
      }
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const lastLine = (text: string) => text.trim().split("\n").at(-1)?.trim().slice(0, 300) ?? ""

const searchPath = ({ environment, pathPrepend }: ProbeOptions) =>
  [pathPrepend, environment["PATH"]].filter((part) => part !== undefined).join(":")

const brokenFramework = (framework: Framework, provider: string, path: string, text: string) =>
  `provider ${provider} needs the executable "${framework.executable}", and the one that was found does not work: ${lastLine(text).replaceAll(path, framework.executable)}. Install it with: ${installCommand(framework)}`

const stateOf = (framework: Framework, options: ProbeOptions): Effect.Effect<FrameworkState> =>
  Effect.gen(function* () {
    const { id, executable } = framework
    const command = options.commands[id]?.command
    const path = findExecutable(framework, command, searchPath(options))
    if (path === undefined) return { id, executable, problem: missingFramework(framework, id, command) }
    const { works, text } = yield* ask(path, framework, options.environment)
    if (works === "no") return { id, executable, path, problem: brokenFramework(framework, id, path, text) }
    const version = framework.probe.includes("--version") ? /\b\d+\.\d+[0-9a-z.]*/.exec(text)?.[0] : undefined
    return { id, executable, path, ...defined({ version }) }
  })

/** all known frameworks as they are now, one after the other: for a report to people */
export const frameworkStates = (options: ProbeOptions): Effect.Effect<ReadonlyArray<FrameworkState>> =>
  Effect.forEach(FRAMEWORKS, (framework) => stateOf(framework, options))

/** changes when the file is replaced by an installation */
const markOf = (path: string): string => {
  const { mtimeMs, size, ino } = statSync(path)
  return `${mtimeMs}:${size}:${ino}`
}

/** probes in the background until the scope closes */
export const make = (options: ProbeOptions): Effect.Effect<FrameworkProbe, never, Scope.Scope> =>
  Effect.gen(function* () {
    /** by path */
    const known = new Map<string, Answer & { readonly mark: string }>()

    const commandOf = ({ id, command }: Pick<LocalProvider, "id" | "command">) => {
      const framework = frameworkOfCommand(command)
      return (options.commands[id] ?? (framework === undefined ? undefined : options.commands[framework.id]))?.command
    }

    const probeOne = (framework: Framework, path: string) =>
      Effect.gen(function* () {
        const mark = markOf(path)
        const last = known.get(path)
        if (last?.mark === mark && last.works === "yes") return
        known.set(path, { ...(yield* ask(path, framework, options.environment)), mark })
      }).pipe(Effect.catchAllDefect(() => Effect.void)) // gone between two looks

    const probeAll = Effect.forEach(
      FRAMEWORKS,
      (framework) => {
        const path = findExecutable(framework, options.commands[framework.id]?.command, searchPath(options))
        return path === undefined ? Effect.void : probeOne(framework, path)
      },
      { discard: true }
    )
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(probeAll, Effect.sleep("60 seconds"))))

    return {
      commandOf,
      problemOf: ({ id, command, env = [] }) => {
        const framework = frameworkOfCommand(command)
        if (framework === undefined) return undefined
        const own = Object.fromEntries(env.map(({ name, value }) => [name, value]))
        const configured = commandOf({ id, command }) ?? own[frameworkCommandVariable]
        const path = findExecutable(framework, configured, own["PATH"] ?? searchPath(options))
        if (path === undefined) return missingFramework(framework, id, configured)
        const answer = known.get(path)
        return answer?.works === "no" && answer.mark === markOf(path)
          ? brokenFramework(framework, id, path, answer.text)
          : undefined
      }
    }
  })
