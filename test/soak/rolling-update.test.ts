/**
 * T1: three servers on one PostgreSQL and one cluster, replaced one after the other for ten minutes (`EVALD_SOAK_ROLL_MINUTES` scales it),
 * forward and back between the build of the last release and this one, while the schema of the next release comes in between. Jobs are
 * launched, reported and watched all the time: nothing that was acknowledged is lost or counts twice, and no client that tries again fails.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { KubeObject } from "../../infrastructure/kubernetes/client/resources.ts"
import { checkDatabase } from "../../infrastructure/sql/connection/check.ts"
import { layer as databaseLayer } from "../../infrastructure/sql/connection/open.ts"
import { listen, type Running, until } from "../support/evald-process.ts"
import { Fake } from "../support/fake-kubernetes/fake-kubernetes.ts"
import { kindOf } from "../support/fake-kubernetes/job-controller.ts"
import { at } from "../support/http-app.ts"
import { ownPostgres } from "../support/own-postgres.ts"
import { configOf } from "../support/postgres.ts"
import { earlierBuild } from "../support/releases/earlier-build.ts"
import { frozenReleases } from "../support/releases/frozen.ts"
import { toNextRelease } from "../support/releases/next-release.ts"

/** the schema of the next release, beside the servers */
const migrated = (url: string): Promise<unknown> => Effect.runPromise(toNextRelease(url))
const rollMillis = Number(process.env["EVALD_SOAK_ROLL_MINUTES"] ?? "10") * 60_000
const tenant = "team-a"
const jobsPath = "/api/v1/evaluations/jobs"
const clients = 4
/** a client rests so long between two jobs, a benchmark reports so often */
const restMillis = 400
/** an endpoint goes on being asked so long after its server was told to end, as where routing tables follow late */
const lateMillis = 300

type Build = "old" | "new"

/** another one for each job, known to whoever knows its id */
const scoreOf = (id: string): number => Number.parseInt(id.slice(-6), 16) / 0xff_ff_ff

interface Answer {
  readonly status: number
  readonly json: unknown
}

/** servers of both builds behind one balancer; every client of it tries again on a failed connection and on 5xx */
const fleet = (databaseUrl: string, clusterUrl: string, folder: string) => {
  const image = "registry.example/evald:1"
  const config = {
    service: { host: "127.0.0.1" },
    database: { driver: "pgx" },
    providers: { images: { evald: image } },
    runtime: { k8s: { image, callback_url: "https://evald.evald-system.svc:8443", namespace: "evald-system" } }
  }
  const earlier = earlierBuild(frozenReleases.at(-1) ?? "")
  const homes = { old: join(earlier, "../.."), new: process.cwd() }
  for (const build of ["old", "new"] as const) {
    const home = join(folder, build)
    mkdirSync(home, { recursive: true })
    cpSync(join(homes[build], "config"), join(home, "config"), { recursive: true })
    writeFileSync(join(home, "config", "config.yaml"), JSON.stringify(config))
    const kubeconfig = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
      clusters: [{ name: "c", cluster: { server: clusterUrl } }],
      // by the token the cluster knows which build asks
      users: [{ name: "c", user: { token: build } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "c" } }]
    }
    writeFileSync(join(home, "kubeconfig"), JSON.stringify(kubeconfig))
  }
  const endpoints: Array<string> = []
  const answered = { old: 0, new: 0 }
  const buildOf = new Map<string, Build>()
  const codes: Array<number | null> = []
  let turns = 0
  let retries = 0

  const start = async (build: Build) => {
    const home = join(folder, build)
    const server = await listen(
      ["server", "-configdir", join(home, "config")],
      { PORT: "0", DB_URL: databaseUrl, KUBECONFIG: join(home, "kubeconfig"), EVALD_LOG_FORMAT: "json" },
      build === "old" ? earlier : undefined
    )
    const isReady = () => fetch(`${server.url}/api/v1/health/ready`).then(({ status }) => status === 200)
    await until(isReady, (ready) => ready, 60_000)
    buildOf.set(server.url, build)
    endpoints.push(server.url)
    return server
  }
  const stop = async (server: Running) => {
    const gone = server.stop("SIGTERM")
    await pause(lateMillis)
    endpoints.splice(endpoints.indexOf(server.url), 1)
    codes.push(await gone)
  }
  const send = async (method: string, path: string, body?: unknown, headers: object = {}): Promise<Answer> => {
    for (let tries = 0; tries < 100; tries++) {
      const url = endpoints[turns++ % endpoints.length] ?? ""
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...{ authorization: "Bearer alice", "x-tenant": tenant },
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => undefined)
      if (answer !== undefined && answer.status < 500) {
        answered[buildOf.get(url) ?? "new"] += 1
        return { status: answer.status, json: answer.text === "" ? undefined : JSON.parse(answer.text) }
      }
      retries += 1
      await pause(50)
    }
    throw new Error(`${method} ${path} failed a hundred times`)
  }
  return { start, stop, send, endpoints, answered, codes, retries: () => retries }
}

type Fleet = ReturnType<typeof fleet>

/** a watcher that goes on where it was at whichever server is there: positions that came, and jobs that it saw end */
const watching = ({ endpoints }: Fleet, isOver: () => boolean) => {
  const positions: Array<string> = []
  const ended = new Set<string>()
  const told = new Set<string>()
  let connections = 0
  const record = (event: ReadonlyMap<string, string>) => {
    const [name = "", id, data = ""] = [event.get("event"), event.get("id"), event.get("data")]
    told.add(name)
    if (id !== undefined) positions.push(id)
    if (name !== "created" && name !== "updated") return
    const job: unknown = JSON.parse(data)
    if (at(job, "status.state") === "completed") ended.add(String(at(job, "resource.id")))
  }
  const follow = async (url: string) => {
    const last = positions.at(-1)
    const response = await fetch(`${url}${jobsPath}?watch=true`, {
      headers: {
        ...{ authorization: "Bearer alice", "x-tenant": tenant },
        ...(last === undefined ? {} : { "last-event-id": last })
      }
    })
    if (response.status !== 200 || response.body === null) return
    connections += 1
    let text = ""
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const blocks = text.split("\n\n")
      text = blocks.pop() ?? ""
      for (const block of blocks) {
        const members = block.split("\n").flatMap((line) => {
          const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
          return name === undefined || value === undefined ? [] : [[name, value] as const]
        })
        if (members.some(([name]) => name === "data")) record(new Map(members))
      }
      if (isOver()) return
    }
  }
  const done = (async () => {
    for (let turn = 0; !isOver(); turn++) {
      await follow(endpoints[turn % endpoints.length] ?? "").catch(() => undefined)
      await pause(100)
    }
  })()
  return { positions, ended, told, done, connections: () => connections }
}

/** what pods do: each Job that appears runs, reports, and is removed a while after its end */
const kubelet = (fake: typeof Fake.Service, { send }: Fleet, isOver: () => boolean) => {
  const uids = new Map<string, Set<string>>()
  const applied = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const report = async (job: KubeObject, id: string, event: object) => {
    const index = Number(job.metadata.labels?.["evald.internal/benchmark-index"])
    const { status, json } = await send("POST", `${jobsPath}/${id}/events`, {
      benchmark_status_event: { id: "arith_basic", provider_id: "evald", benchmark_index: index, ...event }
    })
    // 409: the answer to the same terminal event was lost on its way
    assert.include([200, 409], status, JSON.stringify(json))
    const key = `${id}/${index} ${JSON.stringify(event)}`
    if (status === 200 && at(json, "applied") === true) applied.set(key, (applied.get(key) ?? 0) + 1)
  }
  const run = async (job: KubeObject, id: string) => {
    const { name } = job.metadata
    fake.setPodStatus(tenant, name, {
      phase: "Running",
      containers: { adapter: { running: { startedAt: fake.now() } } }
    })
    await report(job, id, { status: "running" })
    await pause(restMillis)
    await report(job, id, { status: "completed", metrics: { acc: scoreOf(id) } })
    fake.setPodStatus(tenant, name, { phase: "Succeeded" })
    await pause(20_000)
    for (const plural of ["jobs", "configmaps"])
      for (const { metadata } of fake.objects(plural, tenant))
        if (metadata.name === name || metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true)
          fake.store.remove(kindOf(plural), tenant, metadata.name, { propagation: "Background" })
  }
  const done = (async () => {
    while (!isOver()) {
      for (const job of fake.objects("jobs", tenant)) {
        const { name, uid = "", annotations = {} } = job.metadata
        const seen = uids.get(name) ?? new Set()
        if (seen.has(uid) || job.metadata.deletionTimestamp !== undefined) continue
        if (!fake.objects("pods", tenant).some(({ metadata }) => metadata.labels?.["job-name"] === name)) continue
        uids.set(name, seen.add(uid))
        const work = run(job, annotations["evald.internal/job-id"] ?? "")
        running.add(work)
      }
      await pause(50)
    }
    await Promise.all(running)
  })()
  return { uids, applied, done }
}

layer(Fake.Default, { excludeTestServices: true, timeout: "60 seconds" })(
  "T1: a rolling update of ten minutes",
  (it) => {
    it.scoped(
      "two builds work on one queue: no event is lost or doubled, and no client that tries again fails",
      () =>
        Effect.gen(function* () {
          const fake = yield* Fake
          fake.reviews.token = () => ({ authenticated: true, user: { username: "alice", groups: [] } })
          fake.reviews.access = () => ({ allowed: true })
          fake.addNamespace(tenant)
          const postgres = yield* Effect.acquireRelease(
            Effect.promise(() => ownPostgres(true)),
            ({ remove }) => Effect.promise(remove)
          )
          const folder = yield* Effect.acquireRelease(
            Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-roll-"))),
            (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
          )
          const all = fleet(postgres.url, fake.url, folder)
          const members: Array<Running> = []
          yield* Effect.addFinalizer(() =>
            Effect.promise(() => Promise.all(members.map(({ stop }) => stop("SIGKILL"))))
          )
          // the first one prepares the database
          for (let count = 0; count < 3; count++) members.push(yield* Effect.promise(() => all.start("old")))

          const accepted = new Set<string>()
          let isOver = false
          const pods = kubelet(fake, all, () => isOver)
          const watcher = watching(all, () => isOver)
          const stateOf = async (id: string) => (await all.send("GET", `${jobsPath}/${id}`)).json
          const isEnded = (job: unknown) => at(job, "status.state") === "completed"
          const finished = new Set<string>()
          let isRolled = false
          const client = async (name: number) => {
            for (let round = 0; !isRolled; round++) {
              const body = {
                name: `${name}-${round}`,
                model: { url: "https://m.example/v1", name: "m" },
                benchmarks: [{ id: "arith_basic", provider_id: "evald" }]
              }
              const { status, json } = await all.send("POST", jobsPath, body, {
                "idempotency-key": `roll-${body.name}`
              })
              assert.strictEqual(status, 202, JSON.stringify(json))
              const id = String(at(json, "resource.id"))
              accepted.add(id)
              do await pause(restMillis)
              while (!isEnded(await stateOf(id)))
              finished.add(id)
            }
          }
          const roll = async () => {
            const end = performance.now() + rollMillis
            let replaced = 0
            let jobsBefore = 0
            for (let build: Build = "new"; performance.now() < end; build = build === "new" ? "old" : "new") {
              for (const [place, member] of members.entries()) {
                // every server has its part of the work before the next one goes
                await until(
                  async () => finished.size,
                  (count) => count >= jobsBefore + 12,
                  120_000
                )
                jobsBefore = finished.size
                members[place] = await all.start(build)
                await all.stop(member)
                replaced += 1
                if (replaced === 2) await migrated(postgres.url)
              }
            }
            isRolled = true
            return replaced
          }
          const [replaced] = yield* Effect.promise(() =>
            Promise.all([roll(), ...Array.from({ length: clients }, (_, name) => client(name))])
          )
          yield* Effect.promise(() =>
            until(
              async () => [...accepted].filter((id) => !watcher.ended.has(id)).length,
              (missing) => missing === 0
            )
          )
          isOver = true
          const { total_count: total } = (yield* Effect.promise(() => all.send("GET", `${jobsPath}?limit=1`))).json as {
            readonly total_count: number
          }
          for (const id of accepted) {
            const record = yield* Effect.promise(() => stateOf(id))
            assert.strictEqual(at(record, "status.state"), "completed", id)
            assert.deepStrictEqual(at(record, "results.benchmarks.0.metrics"), { acc: scoreOf(id) }, id)
          }
          yield* Effect.promise(() => Promise.all(members.splice(0).map(all.stop)))
          yield* Effect.promise(() => Promise.all([pods.done, watcher.done]))

          const made = fake.requests.filter(({ verb, plural }) => verb === "create" && plural === "jobs")
          const by = (build: Build) => made.filter(({ token }) => token === build).length
          console.info(
            `${accepted.size} jobs, ${replaced} servers replaced, ${all.retries()} requests sent again, ${watcher.connections()} streams; ` +
              `answers old ${all.answered.old}, new ${all.answered.new}; Jobs made by old ${by("old")}, by new ${by("new")}`
          )
          assert.strictEqual(total, accepted.size)
          assert.strictEqual(finished.size, accepted.size)
          assert.isAtLeast(replaced, 6)
          assert.isAbove(Math.min(by("old"), by("new"), all.answered.old, all.answered.new), 0)
          // each benchmark was started once, and each event counted once
          assert.strictEqual(pods.uids.size, accepted.size)
          for (const [name, seen] of pods.uids) assert.strictEqual(seen.size, 1, name)
          assert.deepStrictEqual(
            [...pods.applied].filter(([, times]) => times !== 1),
            []
          )
          // nobody had to begin anew, and no position came twice
          assert.deepStrictEqual([...watcher.told].sort(), ["created", "updated"])
          assert.strictEqual(new Set(watcher.positions).size, watcher.positions.length)
          assert.deepStrictEqual([...new Set(all.codes)], [0])
          assert.deepStrictEqual(yield* Effect.provide(checkDatabase, databaseLayer(configOf(postgres.url))), [])
        }),
      rollMillis + 600_000
    )
  }
)
