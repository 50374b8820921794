/** A sidecar on free ports with upstreams and files of the test's own, in one temporary directory. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type RunningSidecar, type SidecarEnvironment, startSidecar } from "../../interfaces/sidecar/sidecar.ts"
import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"

const jobId = "0197a3f2-6c1e-7b40-9d2a-3f5e8c1b7a90"
export const eventsPath = `/api/v1/evaluations/jobs/${jobId}/events`

type Part<K extends keyof SidecarConfig> = Partial<SidecarConfig[K]>
export interface Overrides {
  readonly mode?: SidecarConfig["mode"]
  readonly identity?: Part<"identity">
  readonly server?: Part<"server">
  readonly model?: Part<"model">
  readonly egress?: Part<"egress">
  readonly timeouts?: Part<"timeouts">
  readonly spool?: Part<"spool">
  readonly tracker?: SidecarConfig["tracker"]
  readonly registry?: SidecarConfig["registry"]
  readonly metrics?: boolean
  readonly request_log?: SidecarConfig["request_log"]
  readonly budget?: SidecarConfig["budget"]
  readonly price?: SidecarConfig["price"]
}

/** a port nobody listens on */
const nowhere = "http://127.0.0.1:9"

export interface Place {
  readonly root: string
  readonly path: (name: string) => string
  /** writes a file below the root and answers with its path */
  readonly file: (name: string, content: string) => string
  readonly remove: () => void
}

const makePlace = (): Place => {
  const root = mkdtempSync(join(tmpdir(), "evald-sidecar-"))
  const path = (name: string) => join(root, name)
  const file = (name: string, content: string) => {
    mkdirSync(join(path(name), ".."), { recursive: true })
    writeFileSync(path(name), content)
    return path(name)
  }
  file("token", "callback-token\n")
  file("model-token", "pod-token\n")
  return { root, path, file, remove: () => rmSync(root, { recursive: true, force: true }) }
}

export const configOf = (place: Place, given: Overrides = {}): SidecarConfig => ({
  version: 1,
  mode: given.mode ?? "native",
  listen: { port: 0, health_port: 0 },
  grace_seconds: 120,
  log_level: "info",
  identity: {
    job_id: jobId,
    benchmark_index: 0,
    attempt: 1,
    provider_id: "p",
    benchmark_id: "b",
    tenant: "team-a",
    ...given.identity
  },
  server: { base_url: nowhere, token_path: place.path("token"), ca_path: place.path("ca.crt"), ...given.server },
  model: {
    url: nowhere,
    sa_token_path: place.path("model-token"),
    sa_token_injection: "always",
    sa_token_hosts: [],
    ref_headers: [],
    ...given.model
  },
  egress: {
    deny_cidrs: [],
    allow_cidrs: ["127.0.0.1/32"],
    allow_hosts: [],
    require_tls_for_credentials: false,
    ...given.egress
  },
  timeouts: { connect_ms: 5_000, idle_ms: 60_000, event_wait_ms: 300, ...given.timeouts },
  spool: { dir: place.path("data/spool"), max_files: 100, max_bytes: 1_000_000, ...given.spool },
  ...(given.tracker === undefined ? {} : { tracker: given.tracker }),
  ...(given.registry === undefined ? {} : { registry: given.registry }),
  ...(given.request_log === undefined ? {} : { request_log: given.request_log }),
  ...(given.budget === undefined ? {} : { budget: given.budget }),
  ...(given.price === undefined ? {} : { price: given.price }),
  ...(given.metrics === undefined ? {} : { metrics: given.metrics })
})

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: { readonly [name: string]: unknown }
}

export interface Sidecar extends RunningSidecar {
  readonly url: string
  readonly lines: ReadonlyArray<LogLine>
  readonly close: () => Promise<unknown>
}

/** `random` is a constant, so that pauses between attempts are the same in every run */
export const startedSidecar = async (
  config: SidecarConfig,
  given: Partial<SidecarEnvironment> = {}
): Promise<Sidecar> => {
  const lines: Array<LogLine> = []
  let ids = 0
  const running = await startSidecar(config, {
    log: (level, message, fields) => void lines.push({ level, message, fields }),
    newId: () => {
      ids += 1
      return `id-${ids}`
    },
    random: () => 0.5,
    apiServer: undefined,
    onDone: () => {},
    tuning: { backoff: { firstMillis: 4, maxMillis: 20 }, forbiddenMillis: 50 },
    ...given
  })
  return {
    ...running,
    url: `http://127.0.0.1:${running.port}`,
    lines,
    close: () => running.stop({ serveMillis: 0, flushMillis: 0 })
  }
}

/** ends what a test began, last first */
export const makeScope = () => {
  const ends: Array<() => unknown> = []
  return {
    keep: async <A extends { readonly close: () => unknown }>(one: A | Promise<A>): Promise<A> => {
      const started = await one
      ends.push(() => started.close())
      return started
    },
    place: (): Place => {
      const made = makePlace()
      ends.push(made.remove)
      return made
    },
    end: async () => {
      for (const end of ends.splice(0).reverse()) await end()
    }
  }
}
