/** P11: a server with a thousand live benchmarks is killed; how long until a new one shows what is true. */
import { type BenchServer, startServer } from "./bench-server.ts"
import { type Kind, newDatabase } from "./databases.ts"
import { jobsPath } from "./job-bodies.ts"
import { makeClient, wait } from "./load.ts"
import { atMost, type Measure } from "./measure.ts"

const [jobCount, each] = [10, 100]
const workers = 5

/** says that it runs, and then does nothing for long */
const report = [
  'url=$(sed -n "s/.*\\"callback_url\\": \\"\\(.*\\)\\",/\\1/p" "$EVALD_JOB_SPEC_PATH")',
  'curl -s -o /dev/null -H "content-type: application/json" -d "{\\"benchmark_status_event\\":{\\"id\\":\\"b\\",\\"provider_id\\":\\"sleeper\\",\\"benchmark_index\\":$EVALD_BENCHMARK_INDEX,\\"status\\":\\"running\\"}}" "$url/api/v1/evaluations/jobs/$EVALD_JOB_ID/events"',
  "exec sleep 600"
].join("; ")
const sleeper = `id: sleeper
type: builtin
name: sleeper
runtime:
  local:
    command: ${JSON.stringify(report)}
benchmarks:
  - {id: b, name: B, category: bench, metrics: [acc], primary_score: {metric: acc}}
`

interface Shown {
  readonly status: {
    readonly benchmarks: ReadonlyArray<{
      readonly status: string
      readonly error_message?: { readonly message_code: string }
    }>
  }
}

const submitAll = async ({ url }: BenchServer): Promise<ReadonlyArray<string>> => {
  const client = makeClient(url, 1)
  const benchmarks = Array.from({ length: each }, () => ({ id: "b", provider_id: "sleeper" }))
  const ids: Array<string> = []
  for (let job = 0; job < jobCount; job++) {
    const body = JSON.stringify({
      name: `sleepers ${job}`,
      model: { url: "http://127.0.0.1:9", name: "m" },
      benchmarks
    })
    const { status, text } = await client.send({ method: "POST", path: jobsPath, body })
    if (status !== 202) throw new Error(`POST ${jobsPath}: ${status} ${text}`)
    ids.push((JSON.parse(text) as { readonly resource: { readonly id: string } }).resource.id)
  }
  client.close()
  return ids
}

/** names of the benchmarks in each state */
const statesOf = async (
  { url }: BenchServer,
  ids: ReadonlyArray<string>
): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const client = makeClient(url, 1)
  const states = new Map<string, Array<string>>()
  for (const id of ids) {
    const { text } = await client.send({ method: "GET", path: `${jobsPath}/${id}` })
    for (const [index, { status }] of (JSON.parse(text) as Shown).status.benchmarks.entries()) {
      states.set(status, [...(states.get(status) ?? []), `${id} ${index}`])
    }
  }
  client.close()
  return states
}

const until = async (
  server: BenchServer,
  ids: ReadonlyArray<string>,
  done: (states: ReadonlyMap<string, ReadonlyArray<string>>) => boolean
): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  for (let tries = 0; tries < 600; tries++) {
    const states = await statesOf(server, ids)
    if (done(states)) return states
    await wait(50)
  }
  throw new Error("the benchmarks did not come into the expected states within 30 s")
}

const count = (states: ReadonlyMap<string, ReadonlyArray<string>>, state: string): number =>
  states.get(state)?.length ?? 0

export const restart = async (kind: Kind): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase(kind)
  const options = {
    local: true,
    config: "log: {level: info}\n",
    database,
    files: { "providers/sleeper.yaml": sleeper }
  }
  const first = await startServer(options)
  const ids = await submitAll(first)
  const before = await until(first, ids, (states) => count(states, "running") === workers)
  const lost = new Set(before.get("running") ?? [])
  await first.stop("SIGKILL")

  const begin = performance.now()
  const second = await startServer({ ...options, folder: first.folder })
  try {
    // those that ran are over, the others wait or run: as many as before, and none of the lost ones
    await until(
      second,
      ids,
      (states) =>
        (states.get("failed") ?? []).filter((name) => lost.has(name)).length === workers &&
        count(states, "running") === workers &&
        count(states, "pending") === jobCount * each - 2 * workers
    )
    const seconds = (performance.now() - begin) / 1000
    const beside = `listening after ${(second.startMillis / 1000).toFixed(2)} s`
    return [
      atMost(
        "P11",
        "kill -9 with 1,000 live benchmarks: start to true states and five new ones running",
        seconds,
        "s",
        5,
        {
          database: database.label,
          beside
        }
      )
    ]
  } finally {
    await second.stop()
  }
}
