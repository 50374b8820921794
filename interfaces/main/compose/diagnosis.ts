/** Looks at everything that a server needs on this machine, changes nothing, and says what to do about what is missing. */
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { dirname, join, resolve } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Effect, Either, Redacted } from "effect"
import { load } from "../../../config/load.ts"
import type { Settings } from "../../../config/settings.ts"
import { describe } from "../../../domain/file-problem.ts"
import { straight } from "../../../domain/proxies.ts"
import { readDefinitions } from "../../../infrastructure/catalog/read-definitions.ts"
import * as KubeClient from "../../../infrastructure/kubernetes/client/client.ts"
import { findConnection } from "../../../infrastructure/kubernetes/kubeconfig/kubeconfig.ts"
import { frameworkStates } from "../../../infrastructure/local/framework-probe.ts"
import { find as findNamespace } from "../../../infrastructure/local/process/process-namespace.ts"
import { defined } from "../../../values/defined.ts"
import type { Check } from "../../cli/checklist.ts"
import { packagedConfig } from "../../cli/config-directory.ts"
import { databaseChecks } from "./database-check.ts"
import { shownProxies, wayOut } from "./way-out.ts"

type Environment = Readonly<Record<string, string | undefined>>

const ok = (name: string, detail: string): Check => ({ name, status: "ok", detail })
const problem = (name: string, detail: string, fix: string): Check => ({ name, status: "problem", detail, fix })
const note = (name: string, detail: string, fix: string): Check => ({ name, status: "note", detail, fix })

export const nodeCheck = (version: string): Check => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const enough = major > 20 || (major === 20 && minor >= 19)
  return enough
    ? ok("Node.js", version)
    : problem("Node.js", `${version} is too old`, "install Node.js 20.19 or later from https://nodejs.org")
}

const driverCheck: Effect.Effect<Check> = Effect.scoped(
  Effect.flatMap(SqliteClient.make({ filename: ":memory:" }), (sql) => sql.unsafe("SELECT 1"))
).pipe(
  Effect.provide(Reactivity.layer),
  Effect.as(ok("SQLite driver", "loads")),
  Effect.catchAllCause(() =>
    Effect.succeed(
      problem(
        "SQLite driver",
        "cannot be loaded",
        "npm rebuild better-sqlite3 (needs a prebuilt file for this Node.js, or a compiler and Python)"
      )
    )
  )
)

/** the nearest folder that exists decides whether the one asked for can be made */
const nearestExisting = (path: string): string => {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : nearestExisting(parent)
}

export const writableCheck = (name: string, path: string, setting: string): Check => {
  const at = nearestExisting(path)
  try {
    if (!statSync(at).isDirectory()) return problem(name, `${at} is not a folder`, `give another one in ${setting}`)
    accessSync(at, constants.W_OK | constants.X_OK)
    return ok(name, at === path ? path : `${path} (will be made)`)
  } catch {
    return problem(name, `${at} is not writable for this user`, `chown or chmod it, or give another one in ${setting}`)
  }
}

const databaseFolder = (settings: Settings): string | undefined => {
  const url = settings["database.url"]
  const text = url === undefined ? "" : Redacted.value(url)
  if (
    settings["database.driver"] !== "sqlite" ||
    text === "" ||
    text.includes(":memory:") ||
    text.includes("mode=memory")
  )
    return undefined
  return dirname(resolve(text.replace(/^(file|sqlite):(\/\/)?/, "").replace(/\?.*$/, "")))
}

export const portCheck = (port: number, host: string | undefined, setting: string): Effect.Effect<Check> =>
  Effect.async<Check>((resume) => {
    const server = createServer()
    server.once("error", ({ code }: NodeJS.ErrnoException) =>
      resume(
        Effect.succeed(
          code === "EACCES"
            ? problem(`port ${port}`, "may not be used by this user", `choose one above 1023 with ${setting}`)
            : problem(
                `port ${port}`,
                code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${code ?? "unknown"})`,
                `choose another one with ${setting}`
              )
        )
      )
    )
    server.listen({ port, ...defined({ host }) }, () =>
      server.close(() => resume(Effect.succeed(ok(`port ${port === 0 ? "(any)" : port}`, "is free"))))
    )
  })

const catalogCheck = (configDir: string, shipped: boolean): Check => {
  const { providers, collections, problems } = readDefinitions({
    configDir,
    images: {},
    ...(shipped ? { shippedDir: packagedConfig } : {})
  })
  const errors = problems.filter(({ severity }) => severity === "error")
  const [first] = errors
  return first === undefined
    ? ok(
        "catalogue",
        `${providers.length} providers, ${collections.length} collections in ${configDir}${shipped ? " and shipped" : ""}`
      )
    : problem(
        "catalogue",
        `${errors.length} errors, the first: ${describe(first)}`,
        `evald validate ${configDir} shows all of them`
      )
}

const frameworkChecks = (settings: Settings, environment: Environment): Effect.Effect<ReadonlyArray<Check>> =>
  Effect.map(frameworkStates({ commands: settings.frameworks, environment }), (states) =>
    states.map(({ id, executable, path, version, problem: wrong }) =>
      wrong === undefined
        ? ok(`framework ${id}`, `${path ?? executable}${version === undefined ? "" : ` ${version}`}`)
        : note(
            `framework ${id}`,
            path === undefined ? `"${executable}" is not installed` : `${path} does not work`,
            wrong
          )
    )
  )

const namespaceCheck = (settings: Settings, environment: Environment): Effect.Effect<Check> =>
  settings["local.process_namespace"] === "off"
    ? Effect.succeed(
        note(
          "process namespace",
          "local.process_namespace is off",
          "auto keeps everything a local benchmark starts together"
        )
      )
    : Effect.map(
        findNamespace(environment["PATH"] ?? ""),
        Either.match({
          onRight: () => ok("process namespace", "nothing that a local benchmark starts outlives it"),
          onLeft: (reason) =>
            note(
              "process namespace",
              `not available (${reason}): a local benchmark that hides a process may leave it behind`,
              "install util-linux 2.36 or later and allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0)"
            )
        })
      )

const proxyCheck = (settings: Settings, environment: Environment): Check =>
  Either.match(wayOut(settings, environment), {
    onLeft: (detail) => problem("proxies", detail, "correct or unset the variable or setting"),
    onRight: (way) => ok("proxies", shownProxies(way))
  })

const clusterCheck = (settings: Settings, environment: Environment): Effect.Effect<Check> =>
  Effect.gen(function* () {
    const connection = yield* findConnection({ environment })
    if (connection === undefined) {
      return note(
        "cluster",
        "no access is configured",
        "not needed with -local; else set KUBECONFIG, or run the server in a pod with a service account"
      )
    }
    const way = Either.getOrElse(wayOut(settings, environment), () => straight)
    const version = yield* Effect.flatMap(KubeClient.KubeClient, (client) =>
      client.send({ method: "GET", path: "/version" }, "review")
    ).pipe(Effect.provide(KubeClient.layer({ connection: { ...connection, way }, qps: 10, burst: 10 })), Effect.either)
    return version._tag === "Right"
      ? ok("cluster", `${connection.server} answers`)
      : problem(
          "cluster",
          `${connection.server} does not answer as expected: ${version.left.message}`,
          "check the address and the credentials: kubectl version must work with the same KUBECONFIG"
        )
  }).pipe(
    Effect.catchTag("KubeConfigUnusable", ({ message }) =>
      Effect.succeed(problem("cluster", message, "correct the file, or unset KUBECONFIG"))
    )
  )

/** every check, in the order in which a start would meet them */
export const diagnose = (configDir: string, environment: Environment): Effect.Effect<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const machine = [nodeCheck(process.versions.node), yield* driverCheck]
    const loaded = yield* Effect.either(load(configDir, environment))
    if (loaded._tag === "Left")
      return [
        ...machine,
        problem(
          "configuration",
          loaded.left.message,
          `correct ${join(configDir, "config.yaml")} or the named variables`
        )
      ]
    const settings = loaded.right
    const database = databaseFolder(settings)
    return [
      ...machine,
      ok("configuration", configDir),
      proxyCheck(settings, environment),
      catalogCheck(configDir, settings["catalog.shipped"]),
      writableCheck(
        "folder of local benchmarks",
        resolve(settings["local.base_dir"] ?? join(tmpdir(), `evald-${userInfo().uid}`)),
        "local.base_dir"
      ),
      ...(database === undefined ? [] : [writableCheck("folder of the database", database, "database.url (DB_URL)")]),
      ...(yield* databaseChecks(settings)),
      yield* portCheck(settings["service.port"], settings["service.host"], "PORT or service.port"),
      yield* namespaceCheck(settings, environment),
      yield* clusterCheck(settings, environment),
      ...(yield* frameworkChecks(settings, environment))
    ]
  })
