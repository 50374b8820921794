/**
 * The init container of a pod: fetches the test data named by init.json and says in one small document how it went, so that the observer
 * can tell a missing folder from a refused key. Reference: gateway.md, "Test data".
 */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Console, Effect, Either, Redacted } from "effect"
import type {
  FetchTestData,
  TestDataFailed,
  TestDataReason,
  TestDataSummary
} from "../../application/ports/test-data.ts"
import { type EgressPolicy, parseCidr } from "../../domain/egress.ts"
import { type InitConfig, readInitConfig } from "../../providers/contract/init-config.ts"
import { wayOutOf } from "../gateway/pod-proxies.ts"

/** the observer maps 11 to `test_data_not_found` and the others to `init_failed` */
const initExits: { readonly [Reason in TestDataReason]: number } = {
  configuration: 10,
  not_found: 11,
  denied: 12,
  unreachable: 13,
  too_large: 14,
  unsafe_key: 15,
  volume_full: 16
}

export interface InitEnd {
  readonly exitCode: number
  /** termination message, JSON */
  readonly message: string
}

export interface InitOptions {
  readonly fetch: FetchTestData
  /** address of the cluster's API server, which no test data comes from */
  readonly apiServer: string | undefined
}

const maxMessage = 1_024
const maxKeyBytes = 1024 * 1024

type Problem = { readonly reason: TestDataReason; readonly message: string; readonly listed?: TestDataSummary }

const configuration = (message: string): Problem => ({ reason: "configuration", message })

const readConfig = (path: string): Either.Either<InitConfig, Problem> =>
  Either.try({
    try: (): unknown => JSON.parse(readFileSync(path, "utf8")),
    catch: (error) =>
      configuration(
        `${path} ${error instanceof SyntaxError ? `is no JSON: ${error.message}` : `cannot be read: ${(error as NodeJS.ErrnoException).code ?? "failed"}`}`
      )
  }).pipe(
    Either.flatMap((value) =>
      Either.mapLeft(readInitConfig(value), (problems) => configuration(`${path} is invalid: ${problems.join("; ")}`))
    )
  )

const readKey = (path: string): string | undefined => {
  const file = openSync(path, "r")
  try {
    const status = fstatSync(file)
    return status.isFile() && status.size <= maxKeyBytes ? readFileSync(file, "utf8") : undefined
  } finally {
    closeSync(file)
  }
}

/** a mounted secret shows each key as a link to a file; names that begin with a dot belong to the mount */
const readSecret = (directory: string): Either.Either<ReadonlyMap<string, Redacted.Redacted>, Problem> =>
  Either.try({
    try: () =>
      new Map(
        readdirSync(directory)
          .filter((name) => !name.startsWith("."))
          .flatMap((name): ReadonlyArray<readonly [string, Redacted.Redacted]> => {
            const text = readKey(join(directory, name))
            return text === undefined ? [] : [[name, Redacted.make(text)]]
          })
      ),
    catch: (error) =>
      configuration(
        `the test data secret in ${directory} cannot be read: ${(error as NodeJS.ErrnoException).code ?? "failed"}`
      )
  })

const egressOf = ({ egress }: InitConfig, apiServer: string | undefined): Either.Either<EgressPolicy, Problem> => {
  const ranges = (texts: ReadonlyArray<string>) => Either.all(texts.map(parseCidr))
  return Either.all({
    denied: ranges([...egress.deny_cidrs, ...(apiServer === undefined ? [] : [apiServer])]),
    allowed: ranges(egress.allow_cidrs)
  }).pipe(
    Either.mapBoth({
      onLeft: (problem) => configuration(`egress: ${problem}`),
      onRight: (lists) => ({
        ...lists,
        hosts: egress.allow_hosts.map((host) => host.toLowerCase()),
        trustProxy: egress.trust_proxy === true
      })
    })
  )
}

const documentOf = (
  code: string,
  message: string,
  config: InitConfig | undefined,
  summary: TestDataSummary | undefined
): string =>
  JSON.stringify({
    v: 1,
    code,
    message: message.slice(0, maxMessage),
    ...(config === undefined ? {} : { bucket: config.s3.bucket, prefix: config.s3.key }),
    objects: summary?.objects ?? 0,
    bytes: summary?.bytes ?? 0
  })

const failed = (config: InitConfig | undefined, { reason, message, listed }: Problem): InitEnd => ({
  exitCode: initExits[reason],
  message: documentOf(reason === "not_found" ? "test_data_not_found" : "init_failed", message, config, listed)
})

const fetchWith = (
  config: InitConfig,
  options: InitOptions
): Effect.Effect<TestDataSummary, Problem | TestDataFailed> =>
  Effect.gen(function* () {
    const secret = yield* readSecret(config.secret_dir)
    const egress = yield* egressOf(config, options.apiServer)
    const way = yield* Either.mapLeft(wayOutOf(config.proxy), configuration)
    return yield* options.fetch({
      bucket: config.s3.bucket,
      key: config.s3.key,
      secret,
      target: config.target,
      staging: join(config.target, ".evald-part"),
      maxBytes: config.max_bytes,
      maxObjects: config.max_objects,
      parallel: config.parallel,
      timeoutSeconds: config.timeout_seconds,
      egress,
      way,
      requireTls: config.egress.require_tls_for_credentials
    })
  })

/** never fails; interruption passes through. The last log line says how much was fetched, or why nothing was. */
export const runInit = (configPath: string, options: InitOptions): Effect.Effect<InitEnd> =>
  Effect.gen(function* () {
    const started = performance.now()
    const config = readConfig(configPath)
    if (Either.isLeft(config)) {
      yield* Console.error(config.left.message)
      return failed(undefined, config.left)
    }
    const { s3 } = config.right
    yield* Console.log(`test data: bucket ${JSON.stringify(s3.bucket)}, prefix ${JSON.stringify(s3.key)}`)
    const fetched = yield* Effect.either(fetchWith(config.right, options))
    if (Either.isLeft(fetched)) {
      const end = failed(config.right, fetched.left)
      yield* Console.error(`${fetched.left.message} (exit ${end.exitCode})`)
      return end
    }
    const { objects, bytes } = fetched.right
    const said = `${objects} objects, ${bytes} bytes, ${((performance.now() - started) / 1000).toFixed(1)} s`
    yield* Console.log(said)
    return { exitCode: 0, message: documentOf("completed", said, config.right, fetched.right) }
  })
