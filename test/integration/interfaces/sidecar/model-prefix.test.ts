/** A sidecar that has the model below a path of its own, so that adapters may ask it at every path. */
import { readdirSync } from "node:fs"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import type { SidecarConfig } from "../../../../providers/contract/sidecar-config.ts"
import { bodyOf, serve } from "../../../support/loopback-server.ts"
import {
  configOf,
  eventsPath,
  makeScope,
  type Overrides,
  type Place,
  startedSidecar
} from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

const question = JSON.stringify({ model: "m", messages: [{ role: "user", content: "?" }], max_tokens: 10 })

/** a model that answers every path with it, `/moved` with another place of its own */
const model = async () => {
  const seen: Array<string> = []
  const server = await scope.keep(
    serve(async (request, response) => {
      await bodyOf(request)
      seen.push(`${request.method} ${request.url}`)
      const origin = request.url === "/moved?absolute" ? `http://${request.headers.host}` : ""
      if (request.url?.startsWith("/moved")) {
        response.writeHead(307, { location: `${origin}/v1/there?x=1` }).end()
        return
      }
      const choices = [{ message: { content: `seen at ${request.url}` }, finish_reason: "stop" }]
      const answer = { model: "m", path: request.url, authorization: request.headers.authorization, choices }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  )
  return { ...server, seen }
}

const sidecar = (place: Place, { model: to, ...rest }: Overrides, prefix = "/m") =>
  scope.keep(startedSidecar(configOf(place, { ...rest, model: { prefix, ...to } })))

const sent = async (url: string, init: RequestInit = {}) => {
  const answer = await fetch(url, { redirect: "manual", ...init })
  return { status: answer.status, body: await answer.text(), location: answer.headers.get("location") }
}

describe("a model below a path of its own", () => {
  it("is asked there at the sidecar's paths too, which stay the sidecar's elsewhere", async () => {
    const upstream = await model()
    const { url } = await sidecar(scope.place(), { model: { url: `${upstream.url}/v1` } })
    const paths = [
      "/health",
      "/api/2.0/mlflow/runs/get?run_id=x",
      "/v2/",
      "/api/v1/evaluations/jobs",
      "/_evald/upload/x"
    ]
    for (const path of paths) assert.include((await sent(`${url}/m${path}`)).body, `"path":"${path}"`)
    assert.deepStrictEqual(
      upstream.seen,
      paths.map((path) => `GET ${path}`)
    )
    assert.strictEqual((await sent(`${url}/health`)).body, '{"status":"healthy"}')
    assert.strictEqual((await sent(`${url}/api/v1/evaluations/jobs`)).status, 403)
    assert.include((await sent(`${url}/api/2.0/mlflow/runs/get`)).body, "no tracking server is configured")
    assert.lengthOf(upstream.seen, paths.length)
  })
  it("is nowhere else: such paths are told where it is, and nothing of them leaves", async () => {
    const upstream = await model()
    const { url } = await sidecar(scope.place(), { model: { url: upstream.url } })
    for (const path of ["/v1/chat/completions", "/", "/mx", "/v2/"]) {
      const { status, body } = await sent(`${url}${path}`, { method: "POST", body: question })
      assert.strictEqual(status, 404, path)
      assert.nestedInclude(JSON.parse(body), {
        message_code: "route_not_found",
        message: "no such path here; the model is asked below /m, as model.url of the job file says"
      })
    }
    assert.deepStrictEqual(upstream.seen, [])
  })
  it("keeps addresses that it gives below that path, and those of further models keep theirs", async () => {
    const place = scope.place()
    const [upstream, other] = [await model(), await model()]
    place.file("secret/b_api-key", "kb")
    place.file("secret/b_url", `${other.url}/base`)
    const { url, port } = await sidecar(place, { model: { url: upstream.url, secret_dir: place.path("secret") } })
    assert.strictEqual((await sent(`${url}/m/moved`)).location, "/m/v1/there?x=1")
    const absolute = await sent(`${url}/m/moved?absolute`)
    assert.strictEqual(absolute.location, `http://localhost:${port}/m/v1/there?x=1`)
    const { body } = await sent(`${url}/m/v1/models`, { headers: { authorization: "Bearer b_api-key:ref" } })
    assert.deepInclude(JSON.parse(body), { path: "/base/v1/models", authorization: "Bearer kb" })
  })
  it("is counted, held to a budget and kept in the log as without it: an answer that was kept before is given again", async () => {
    const place = scope.place()
    const upstream = await model()
    const events: Array<Record<string, unknown>> = []
    const server = await scope.keep(
      serve(async (request, response) => {
        events.push(JSON.parse((await bodyOf(request)).toString()) as Record<string, unknown>)
        response.writeHead(204).end()
      })
    )
    const log: SidecarConfig["request_log"] = {
      ...{ dir: place.path("volume"), job_id: "first-job", benchmark_index: 3, max_bytes: 1_000_000, retention_days: 7 }
    }
    const pod = (name: string) => ({
      server: { base_url: server.url },
      model: { url: upstream.url },
      spool: { dir: place.path(`${name}/spool`) },
      request_log: log,
      budget: { requests: 1 }
    })
    const plain = await scope.keep(startedSidecar(configOf(place, pod("first"))))
    const asked = await sent(`${plain.url}/v1/chat/completions`, { method: "POST", body: question })
    const folder = place.path("volume/team-a/first-job/3")
    await vi.waitFor(() =>
      assert.lengthOf(
        readdirSync(folder).filter((name) => !name.includes(".")),
        1
      )
    )
    const { url } = await sidecar(place, pod("second"))
    const ask = (body: string) => sent(`${url}/m/v1/chat/completions`, { method: "POST", body })
    assert.strictEqual((await ask(question)).body, asked.body)
    assert.deepStrictEqual(upstream.seen, ["POST /v1/chat/completions"])
    assert.deepStrictEqual(
      [(await ask(question.replace("?", "!"))).status, (await ask(question.replace("?", "."))).status],
      [200, 429]
    )
    await vi.waitFor(() => assert.isNotEmpty(events))
    assert.nestedInclude(events[0], { "wire_counts.questions": 2, "wire_counts.sent": 1, "wire_counts.fromLog": 1 })
    assert.nestedInclude(events[0], { "wire_counts.overBudget": 1, "wire_counts.answers": 2 })
  })
  it("takes events at their own path as ever", async () => {
    const server = await scope.keep(serve((_, response) => response.end("{}")))
    const { url } = await sidecar(scope.place(), { server: { base_url: server.url } })
    const body = JSON.stringify({ benchmark_status_event: { id: "b", provider_id: "p", status: "running" } })
    assert.strictEqual((await sent(`${url}${eventsPath}`, { method: "POST", body })).status, 200)
  })
})
