/** Answers that a sidecar keeps on a volume, and those that the sidecar of a later pod gives again. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, describe, it } from "@effect/vitest"
import type { SidecarConfig } from "../../../../providers/contract/sidecar-config.ts"
import { bodyOf, serve } from "../../../support/loopback-server.ts"
import { configOf, makeScope, type Place, type Sidecar, startedSidecar } from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

/** a model that numbers its answers */
const model = async () => {
  let asked = 0
  const server = await scope.keep(
    serve(async (request, response) => {
      const size = (await bodyOf(request)).length
      asked += 1
      const choices = [{ index: 0, text: `answer ${asked}`, finish_reason: "stop" }]
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ size, choices }))
    })
  )
  return { url: `${server.url}/v1`, asked: () => asked }
}

const logIn = (place: Place, given: Partial<NonNullable<SidecarConfig["request_log"]>> = {}) => ({
  dir: place.path("volume"),
  job_id: "first-job",
  benchmark_index: 3,
  max_bytes: 1_000_000,
  retention_days: 7,
  ...given
})

/** `pod`: names its working volume */
const sidecar = (place: Place, url: string, pod: string, log = logIn(place)) =>
  scope.keep(
    startedSidecar(configOf(place, { model: { url }, spool: { dir: place.path(`${pod}/spool`) }, request_log: log }))
  )

const ask = async (running: Sidecar, prompt: string) => {
  const body = JSON.stringify({ model: "m", prompt, max_tokens: 100 })
  const answer = await fetch(`${running.url}/v1/completions`, { method: "POST", body })
  return { text: await answer.text(), replayed: answer.headers.get("x-evald-replayed") === "true" }
}

const filesIn = (place: Place): ReadonlyArray<string> => {
  const folder = place.path("volume/team-a/first-job/3")
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** answers are written after they were delivered */
const kept = async (place: Place, count: number) => {
  while (filesIn(place).filter((name) => !name.includes(".")).length < count)
    await new Promise((resolve) => setImmediate(resolve))
}

describe("the request log of a pod", () => {
  it("is read by the sidecar of a later pod: what was answered is given again, the rest is asked", async () => {
    const place = scope.place()
    const { url, asked } = await model()
    const first = await sidecar(place, url, "pod-1")
    const before = [await ask(first, "a"), await ask(first, "b")]
    await kept(place, 2)
    const second = await sidecar(place, url, "pod-2")
    const after = [await ask(second, "a"), await ask(second, "b"), await ask(second, "c")]
    assert.deepStrictEqual(
      after.map(({ text, replayed }) => [text, replayed]),
      [...before.map(({ text }) => [text, true]), [after[2]?.text, false]]
    )
    assert.strictEqual(asked(), 3)
  })

  it("has every answer that was given when the sidecar has stopped (the last ones were lost)", async () => {
    const place = scope.place()
    const { url } = await model()
    const running = await sidecar(place, url, "pod-1")
    await ask(running, "a")
    await running.stop({ serveMillis: 0, flushMillis: 0 })
    assert.strictEqual(filesIn(place).length, 1)
  })

  it("is left alone by a sidecar that starts again in its pod (a second sample got the first one's answer)", async () => {
    const place = scope.place()
    const { url, asked } = await model()
    const first = await sidecar(place, url, "pod-1")
    await ask(first, "a")
    await kept(place, 1)
    const again = await sidecar(place, url, "pod-1")
    assert.isFalse((await ask(again, "a")).replayed)
    assert.strictEqual(asked(), 2)
    assert.isTrue(again.lines.some(({ message }) => message.startsWith("no answers of the model are kept")))
  })

  it("is encrypted with the key of the secret, and keeps nothing when that can not be read", async () => {
    const place = scope.place()
    const { url } = await model()
    const key = logIn(place, { key_path: place.path("key") })
    assert.isFalse((await ask(await sidecar(place, url, "pod-1", key), "a")).replayed)
    assert.deepStrictEqual(filesIn(place), [])
    place.file("key", "a long secret\n")
    const first = await sidecar(place, url, "pod-2", key)
    const { text } = await ask(first, "a")
    await kept(place, 1)
    for (const file of filesIn(place)) assert.notInclude(readFileSync(file, "latin1"), "answer")
    assert.deepStrictEqual(await ask(await sidecar(place, url, "pod-3", key), "a"), { text, replayed: true })
  })

  it("lets a question by that is longer than it reads, and of unknown length (it was refused with 413)", async () => {
    const place = scope.place()
    const { url } = await model()
    const running = await sidecar(place, url, "pod-1")
    const parts = Array.from({ length: 80 }, () => "x".repeat(65_536))
    const body = new ReadableStream({
      start: (controller) => {
        for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
        controller.close()
      }
    })
    const init = { method: "POST", body, duplex: "half" } as RequestInit
    const answer = await fetch(`${running.url}/v1/completions`, init)
    assert.strictEqual(((await answer.json()) as { size: number }).size, 80 * 65_536)
  })
})
