/** A server with benchmarks that have ended, that run and that wait; a backup taken meanwhile; and what a server makes of it later. */
import { assert } from "vitest"
import { type Running, until } from "../evald-process.ts"
import { isOver, livingUnits, recordingServers, type ServedJob } from "../recording-servers.ts"

const jobs = "/api/v1/evaluations/jobs"

const submit = async (server: Running, parameters: ReadonlyArray<{ readonly [name: string]: unknown }>) => {
  const answer = await fetch(server.url + jobs, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      name: "kept",
      model: { url: "http://127.0.0.1:9/v1", name: "none" },
      benchmarks: parameters.map((one) => ({ id: "b", provider_id: "recorder", parameters: one }))
    })
  })
  assert.strictEqual(answer.status, 202)
  return ((await answer.json()) as ServedJob).resource.id
}

const get = async (server: Running, id: string) =>
  (await (await fetch(`${server.url}${jobs}/${id}`)).json()) as ServedJob

const counts = ({ status }: ServedJob, state: string) =>
  status.benchmarks.filter((benchmark) => benchmark.status === state).length

/** benchmarks that run at once locally */
const workers = 5

/** `backUp` copies `url` under a running server and answers the URL of what was restored from the copy, once the server is gone */
export const backUpAndRestore = async (
  folder: string,
  driver: "sqlite" | "pgx",
  url: string,
  backUp: () => Promise<() => Promise<string>>
): Promise<void> => {
  const setup = recordingServers(folder, driver)
  const server = await setup.start(url)
  const done = await submit(server, [{ accuracy: 0.25 }])
  const finished = await until(() => get(server, done), isOver)
  const held = await submit(server, [
    ...Array.from({ length: workers }, () => ({ hold_millis: 60_000 })),
    { accuracy: 0.75 },
    { accuracy: 0.75 }
  ])
  await until(
    () => get(server, held),
    (job) => counts(job, "running") === workers
  )
  const restore = await backUp()
  // nobody noticed
  assert.deepStrictEqual(
    [counts(await get(server, held), "running"), counts(await get(server, held), "pending")],
    [workers, 2]
  )
  // what comes after the backup is lost with the machine
  const lost = await submit(server, [{}])
  await server.stop("SIGKILL")
  await until(
    async () => livingUnits(new Set([held])),
    (count) => count === 0
  )
  const restored = await setup.start(await restore())
  assert.deepStrictEqual(await get(restored, done), finished)
  assert.strictEqual((await fetch(`${restored.url}${jobs}/${lost}`)).status, 404)
  const ended = await until(() => get(restored, held), isOver)
  assert.deepStrictEqual(
    ended.status.benchmarks.map(({ status, error_message }) => [status, error_message?.message_code]),
    [
      ...Array.from({ length: workers }, () => ["failed", "runtime_object_lost"]),
      ["completed", undefined],
      ["completed", undefined]
    ]
  )
  const launches = setup.records("launches").filter(([unit]) => unit.startsWith(held))
  assert.deepStrictEqual(launches.map(([unit]) => unit.slice(unit.indexOf("/") + 1)).sort(), [..."0123456"])
  assert.strictEqual(await restored.stop(), 0)
}
