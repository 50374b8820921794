/** The whole HTTP interface on a free port, over a database in memory and a runtime that starts nothing. */
import { readFileSync } from "node:fs"
import { Context, Effect, Either, Layer, Logger, LogLevel, Stream } from "effect"
import { parse } from "yaml"
import { NotFound } from "../../application/errors.ts"
import { Catalog, type CatalogSnapshot } from "../../application/ports/catalog.ts"
import { Notifier } from "../../application/ports/notifier.ts"
import { Runtime } from "../../application/ports/runtime.ts"
import type { JobStore } from "../../application/ports/stores/job-store.ts"
import * as ValidityOf from "../../application/validity/validity-of.ts"
import { defaultLimits } from "../../domain/validity/limits.ts"
import type { AccessTable } from "../../interfaces/http/access/access-table.ts"
import { readAccessTable } from "../../interfaces/http/access/read-table.ts"
import type { ResultTraffic } from "../../interfaces/http/gateway/result-traffic.ts"
import * as Metrics from "../../interfaces/http/metrics/metrics.ts"
import * as Authentication from "../../interfaces/http/middleware/authentication.ts"
import * as Server from "../../interfaces/http/server.ts"
import {
  type Answered,
  type ContractBroken,
  type OpenStream,
  openStream,
  type Sent,
  send,
  sendRaw
} from "./http-client.ts"
import { sampleCollection, sampleProvider } from "./sample-definitions.ts"
import { type StorageLayer, sqliteMemory } from "./storage.ts"

export const accessTable: AccessTable = Either.getOrThrowWith(
  readAccessTable(parse(readFileSync(new URL("../../config/auth.yaml", import.meta.url), "utf8"))),
  (problems) => new Error(problems.join("\n"))
)

export const sampleCatalog: CatalogSnapshot = {
  providers: [
    sampleProvider({
      benchmarks: [
        ...sampleProvider().benchmarks,
        { id: "later", name: "later", category: "other", metrics: [], requirements: { flags: ["unavailable"] } }
      ]
    })
  ],
  collections: [sampleCollection(), sampleCollection({ id: "empty", name: "empty", benchmarks: [] })],
  errors: [],
  version: "1"
}

/** knows no unit and checks nothing; a test replaces the members it is about */
export const idleRuntime = (given: Partial<Runtime["Type"]> = {}): Layer.Layer<Runtime> =>
  Layer.succeed(Runtime, {
    kind: "local",
    check: () => Effect.succeed([]),
    freeSlots: Effect.succeed(0),
    awaitSlot: Effect.never,
    backingName: () => undefined,
    launch: () => Effect.succeed(undefined),
    stop: () => Effect.void,
    stopJob: () => Effect.void,
    facts: Stream.never,
    observe: (units) => Effect.succeed(units.map((unit) => ({ unit, status: "Gone" }))),
    logs: ({ jobId }) => Effect.fail(new NotFound({ kind: "log", id: jobId })),
    ping: Effect.void,
    ...given
  })

export interface AppOptions {
  readonly storage?: StorageLayer
  readonly runtime?: Layer.Layer<Runtime>
  readonly catalog?: CatalogSnapshot
  /** instead of `catalog`: one that changes while the server runs */
  readonly changingCatalog?: Layer.Layer<Catalog>
  readonly authentication?: Layer.Layer<Authentication.Authentication>
  /** what serves results of units on their way out; default nothing */
  /** what sends messages; by default each of them is received */
  readonly notifier?: Layer.Layer<never>
  readonly results?: Layer.Layer<ResultTraffic, never, JobStore>
  readonly server?: Partial<Omit<Server.ServerOptions, "settings">>
  readonly settings?: Partial<Server.ServerOptions["settings"]>
}

export class HttpApp extends Context.Tag("evald/test/HttpApp")<
  HttpApp,
  {
    readonly port: number
    readonly send: (method: string, path: string, sent?: Sent) => Effect.Effect<Answered, ContractBroken>
    readonly raw: (bytes: string | Buffer) => Effect.Effect<string>
    readonly stream: (path: string, headers?: { readonly [name: string]: string }) => Effect.Effect<OpenStream>
  }
>() {}

const serverOptions = ({ server = {}, settings = {} }: AppOptions): Server.ServerOptions => ({
  port: 0,
  host: "127.0.0.1",
  grace: "2 seconds",
  maxHeadBytes: 32_768,
  maxConnections: 5000,
  streams: { all: 2000, perTenant: 1500 },
  access: accessTable,
  local: true,
  ...server,
  settings: {
    maxBodyBytes: 1_048_576,
    stallMillis: 30_000,
    lenient: false,
    reporting: { secretOnly: false },
    metricsEnabled: true,
    build: { version: "0.0.0-test", gitHash: "none" },
    about: { mode: "local" },
    ...settings
  }
})

const client = Layer.effect(
  HttpApp,
  Effect.map(Server.HttpAddress, ({ port }) => ({
    port,
    send: (method: string, path: string, sent?: Sent) => send(port, method, path, sent),
    raw: (bytes: string | Buffer) => sendRaw(port, bytes),
    stream: (path: string, headers?: { readonly [name: string]: string }) => openStream(port, path, headers)
  }))
)

const receiving = Layer.succeed(Notifier, {
  rules: { allowHttp: false },
  ofTenant: () => [],
  send: () => Effect.succeed({ status: 204 })
})

/** the client, and every storage port behind the server for looking inside */
export const layer = (options: AppOptions = {}) =>
  client.pipe(
    Layer.provide(Server.layer(serverOptions(options))),
    Layer.provide([
      options.runtime ?? idleRuntime(),
      options.changingCatalog ?? Layer.succeed(Catalog, { current: Effect.succeed(options.catalog ?? sampleCatalog) }),
      options.authentication ?? Authentication.layerNone({}),
      Metrics.Metrics.layer,
      options.results ?? Layer.empty,
      options.notifier ?? receiving
    ]),
    Layer.provide(ValidityOf.layer(defaultLimits)),
    Layer.provideMerge(options.storage ?? sqliteMemory),
    Layer.provide(Logger.minimumLogLevel(LogLevel.None))
  )

export const jobsPath = "/api/v1/evaluations/jobs"
export const providersPath = "/api/v1/evaluations/providers"
export const collectionsPath = "/api/v1/evaluations/collections"

/** the smallest job body */
export const jobBody = (given: { readonly [member: string]: unknown } = {}) => ({
  name: "job",
  model: { url: "http://model.example.com/v1", name: "m" },
  benchmarks: [{ id: "b", provider_id: "p" }],
  ...given
})

export const eventBody = (given: { readonly [member: string]: unknown } = {}) => ({
  benchmark_status_event: { id: "b", provider_id: "p", benchmark_index: 0, status: "running", ...given }
})

/** value of a member on the way `a.b.0.c` */
export const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (node, part) =>
        typeof node === "object" && node !== null ? (node as { readonly [name: string]: unknown })[part] : undefined,
      value
    )

export const idOf = (answer: Answered): string => String(at(answer.json, "resource.id"))
