/** Records that an adapter left in its result folder, and what the sidecar does with them at its end. Reference: samples.md, "Upload". */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { eachLeftBatch, leftBytes } from "../../../../infrastructure/local/files/left-samples.ts"
import type { LeftSamples } from "../../../../interfaces/sidecar/left-samples.ts"
import { bodyOf, serve } from "../../../support/loopback-server.ts"
import { configOf, eventsPath, makeScope, startedSidecar } from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

const samplesPath = eventsPath.replace(/events$/, "benchmarks/0/samples")
const record = (index: number, response = "yes") =>
  JSON.stringify({ v: 1, sample_id: `s${index}`, task: "t", index, repeat: 0, verdict: "correct", response })

/** as `evald sidecar` looks for them */
const leftIn = (results: string, spool: string): LeftSamples => ({
  bytes: () => leftBytes(results),
  each: (use, signal) =>
    eachLeftBatch(
      { results, spool },
      ({ samples, unreadable }) => use({ lines: samples.map(({ document }) => JSON.stringify(document)), unreadable }),
      signal
    )
})

/** refuses calls with a record of these ids as the server does, and keeps the others */
const server = async (conflicting: ReadonlyArray<string> = [], code = "sample_conflict") => {
  const stored: Array<string> = []
  const calls: Array<number> = []
  const serving = await scope.keep(
    serve(async (request, response) => {
      const lines = (await bodyOf(request)).toString().trimEnd().split("\n")
      const ids = lines.map((line) => (JSON.parse(line) as { readonly sample_id: string }).sample_id)
      calls.push(ids.length)
      const refused = ids.some((id) => conflicting.includes(id))
      if (!refused) stored.push(...ids)
      response
        .writeHead(refused ? 409 : 200, { "content-type": "application/json" })
        .end(JSON.stringify(refused ? { message_code: code } : { stored: ids.length, replaced: 0, duplicate: 0 }))
    })
  )
  return { url: serving.url, stored, calls }
}

const started = async (url: string, files: { readonly [name: string]: string }) => {
  const place = scope.place()
  const results = place.path("data/results")
  mkdirSync(join(results, "samples"), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(results, "samples", name), text)
  symlinkSync("/etc/hostname", join(results, "samples", "link.ndjson"))
  const config = configOf(place, { server: { base_url: url }, timeouts: { event_wait_ms: 5000 } })
  const sidecar = await startedSidecar(config, { left: leftIn(results, config.spool.dir) })
  return { sidecar, place }
}
const stop = { serveMillis: 0, flushMillis: 10_000 }

describe("samples that an adapter left", () => {
  it("are sent at the end, without the lines that are no records and without links", async () => {
    const upstream = await server()
    const { sidecar } = await started(upstream.url, {
      "a.ndjson": `${record(0)}\n{"v":1}\n${record(1)}\n{"v":1,"sample`,
      "b.ndjson": `${record(2)}\n`,
      "c.txt": `${record(3)}\n`
    })
    await sidecar.stop(stop)
    assert.deepStrictEqual(upstream.stored, ["s0", "s1", "s2"])
    const told = sidecar.lines.find(({ message }) => message === "samples that the adapter left were sent")
    assert.deepStrictEqual(told?.fields, { sent: 3, refused: 0, unreadable: 3 })
  })

  it("are not sent again by a sidecar that took them all from the adapter itself", async () => {
    const upstream = await server()
    const lines = [0, 1].map((index) => `${record(index)}\n`)
    const { sidecar } = await started(upstream.url, { "a.ndjson": lines.join("") })
    for (const body of lines)
      await fetch(`${sidecar.url}${samplesPath}`, {
        method: "POST",
        body,
        headers: { "content-type": "application/x-ndjson" }
      })
    await sidecar.stop(stop)
    assert.deepStrictEqual(upstream.calls, [1, 1])
  })

  it("that contradict stored ones hold up no others", async () => {
    const upstream = await server(["s3", "s6"])
    const { sidecar } = await started(upstream.url, {
      "a.ndjson": Array.from({ length: 10 }, (_, index) => `${record(index)}\n`).join("")
    })
    await sidecar.stop(stop)
    assert.deepStrictEqual(
      upstream.stored,
      [0, 1, 2, 4, 5, 7, 8, 9].map((index) => `s${index}`)
    )
  })

  it("are given up when the benchmark takes none any more, and calls stay below what the server takes", async () => {
    const closed = await server(["s0"], "benchmark_can_not_be_updated")
    const late = await started(closed.url, {
      "a.ndjson": `${record(0)}\n${record(1)}\n`,
      "b.ndjson": `${record(2)}\n`
    })
    await late.sidecar.stop(stop)
    assert.deepStrictEqual([closed.calls, closed.stored], [[2], []])

    const open = await server()
    const large = await started(open.url, {
      "a.ndjson": Array.from({ length: 9 }, (_, index) => `${record(index, "x".repeat(900_000))}\n`).join("")
    })
    await large.sidecar.stop(stop)
    assert.deepStrictEqual([open.stored.length, open.calls], [9, [4, 4, 1]])
  })
})
