import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { join } from "node:path"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { makeAuthority } from "../../../support/certificate.ts"
import { bodyOf, listening, rawConnection, serve } from "../../../support/loopback-server.ts"
import { configOf, makeScope, type Overrides, type Place, startedSidecar } from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)
const sidecar = (place: Place, overrides: Overrides) => scope.keep(startedSidecar(configOf(place, overrides)))

const secureServer = async () => {
  const { authority, server } = makeAuthority()
  const answering = createSecureServer(
    { cert: server.certificate, key: server.key },
    (_, response) => void response.end("secure")
  )
  return { ...(await scope.keep(listening(answering, "https"))), authority }
}

describe("tracker", () => {
  const tracked = async (
    listener: (request: IncomingMessage, response: ServerResponse) => void,
    workspace?: string
  ) => {
    const place = scope.place()
    const token_path = place.file("tracker-token", "tt-1")
    const upstream = await scope.keep(serve(listener))
    const tracker = {
      url: `${upstream.url}/mlflow-base`,
      token_path,
      ca_path: place.path("none"),
      ...(workspace === undefined ? {} : { workspace })
    }
    return { place, running: await sidecar(place, { tracker }) }
  }
  it("gets the pod's token and workspace, path and body unchanged, and its answer passes", async () => {
    const seen: Array<{ url: string | undefined; headers: IncomingMessage["headers"]; body: string }> = []
    const { running } = await tracked(async (request, response) => {
      seen.push({ url: request.url, headers: request.headers, body: (await bodyOf(request)).toString() })
      response.writeHead(404, { "content-type": "application/json" }).end('{"error_code":"RESOURCE_DOES_NOT_EXIST"}')
    }, "team-a")
    const answer = await fetch(`${running.url}/api/2.0/mlflow/runs/create?x=1`, {
      method: "POST",
      body: "{}",
      headers: { authorization: "Bearer adapter", "x-mlflow-workspace": "other", "x-tenant": "other" }
    })
    assert.strictEqual(answer.status, 404)
    assert.strictEqual(await answer.text(), '{"error_code":"RESOURCE_DOES_NOT_EXIST"}')
    assert.strictEqual(seen[0]?.url, "/mlflow-base/api/2.0/mlflow/runs/create?x=1")
    assert.strictEqual(seen[0]?.body, "{}")
    assert.include(seen[0]?.headers, { authorization: "Bearer tt-1", "x-mlflow-workspace": "team-a" })
    assert.isUndefined(seen[0]?.headers["x-tenant"])
  })
  it.each<readonly [string, string | undefined]>([
    ["missing", undefined],
    ["of somebody else", makeAuthority().authority],
    ["unreadable", "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"]
  ])("a CA that is %s names the tracking server and its own setting, and not the model's secret", async (_, ca) => {
    const place = scope.place()
    const upstream = await secureServer()
    const ca_path = ca === undefined ? place.path("none") : place.file("tracker-ca.crt", ca)
    const secret_dir = join(place.file("model-secret/ca_cert", upstream.authority), "..")
    const tracker = { url: upstream.url, token_path: place.file("tracker-token", "tt"), ca_path }
    const running = await sidecar(place, { tracker, model: { url: upstream.url, secret_dir } })
    const answer = await fetch(`${running.url}/api/2.0/mlflow/experiments/search`)
    const { message, message_code } = (await answer.json()) as {
      readonly message: string
      readonly message_code: string
    }
    assert.deepStrictEqual([answer.status, message_code], [502, "upstream_tls_failed"])
    assert.match(
      message,
      /^TLS to the tracking server '127\.0\.0\.1:\d+' failed: .*runtime\.k8s\.tracker_ca.*ca-bundle\.crt/
    )
    assert.notMatch(message, /model|ca_cert/)
  })
  it("a certificate of nobody is taken where the operator skips verification, and only for the tracking server", async () => {
    const place = scope.place()
    const upstream = await secureServer()
    const tracker = {
      url: upstream.url,
      token_path: place.file("tracker-token", "tt"),
      ca_path: place.path("none"),
      insecure_skip_verify: true
    }
    const running = await sidecar(place, { tracker, model: { url: upstream.url } })
    assert.strictEqual(await (await fetch(`${running.url}/api/2.0/mlflow/experiments/search`)).text(), "secure")
    assert.strictEqual((await fetch(`${running.url}/v1/models`)).status, 502)
  })
  it("a stale token is read again, once, when the request can be repeated", async () => {
    const seen: Array<string | undefined> = []
    const { place, running } = await tracked((request, response) => {
      seen.push(request.headers.authorization)
      if (request.headers.authorization === "Bearer tt-2") response.end("ok")
      else {
        place.file("tracker-token", "tt-2")
        response.writeHead(401).end("stale")
      }
    })
    assert.strictEqual(await (await fetch(`${running.url}/api/3.0/mlflow/experiments/get`)).text(), "ok")
    assert.deepStrictEqual(seen, ["Bearer tt-1", "Bearer tt-2"])
    assert.isUndefined(running.lines.find(({ level }) => level === "error"))
  })
  it("with a body the 401 is shown, and the next request has the new token", async () => {
    const { place, running } = await tracked((request, response) => {
      place.file("tracker-token", "tt-2")
      response.writeHead(request.headers.authorization === "Bearer tt-2" ? 200 : 401).end()
    })
    const post = async () =>
      (await fetch(`${running.url}/api/2.0/mlflow/runs/update`, { method: "POST", body: "{}" })).status
    assert.deepStrictEqual([await post(), await post()], [401, 200])
  })
  it.each(["/api/2.0/mlflow", "/api/2.0/mlflow-artifacts/artifacts/x", "/api/3.0/mlflow-artifacts"])(
    "%s without a tracker is 404",
    async (path) => {
      const running = await sidecar(scope.place(), {})
      const answer = await fetch(`${running.url}${path}`)
      assert.strictEqual(answer.status, 404)
      assert.include(await answer.json(), { message_code: "route_not_found" })
    }
  )
  it("other paths of that kind are the model's", async () => {
    const model = await scope.keep(serve((request, response) => void response.end(request.url)))
    const running = await sidecar(scope.place(), { model: { url: model.url } })
    for (const path of ["/api/2.0/mlflowx", "/api/4.0/mlflow", "/v2/team/results/manifests/x", "/_evald/upload/x"])
      assert.strictEqual(await (await fetch(`${running.url}${path}`)).text(), path)
  })
})

interface Call {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly body: string
}

describe("case 51: registry", () => {
  const docker = (host: string, user = "u", password = "p") =>
    JSON.stringify({ auths: { [host]: { auth: Buffer.from(`${user}:${password}`).toString("base64") } } })

  /** a registry that wants `scheme`; `answer` sees requests that are let in */
  const registry = async (
    scheme: "basic" | "bearer" | "none",
    answer: (request: IncomingMessage, response: ServerResponse, call: Call) => void,
    given: { readonly expiresIn?: number; readonly config?: (host: string) => string } = {}
  ) => {
    const calls: Array<Call> = []
    const state = { valid: "t-1", issued: 0, tokenRequests: [] as Array<string>, forms: [] as Array<string> }
    const upstream = await scope.keep(
      serve(async (request, response) => {
        const { method, url, headers } = request
        if (url?.startsWith("/token")) {
          const form = (await bodyOf(request)).toString()
          state.tokenRequests.push(
            method === "GET"
              ? `${url} ${headers.authorization}`
              : `${method} ${url} ${headers.authorization} ${headers["content-type"]}`
          )
          if (form !== "") state.forms.push(form)
          state.issued += 1
          state.valid = `t-${state.issued}`
          response.setHeader("content-type", "application/json")
          response.end(JSON.stringify({ token: state.valid, expires_in: given.expiresIn ?? 300 }))
          return
        }
        const call: Call = {
          method,
          url,
          authorization: headers.authorization,
          body: (await bodyOf(request)).toString()
        }
        calls.push(call)
        const wanted = scheme === "basic" ? `Basic ${Buffer.from("u:p").toString("base64")}` : `Bearer ${state.valid}`
        if (scheme !== "none" && headers.authorization !== wanted) {
          const challenge =
            scheme === "basic" ? 'Basic realm="r"' : `Bearer realm="http://${headers.host}/token?k=1",service="reg"`
          response.writeHead(401, { "www-authenticate": challenge }).end("denied")
        } else answer(request, response, call)
      })
    )
    const host = `127.0.0.1:${upstream.port}`
    const place = scope.place()
    const config_path = place.file("docker/config.json", (given.config ?? docker)(host))
    const running = await sidecar(place, {
      registry: { host, repository: "team/results", plain_http: true, config_path }
    })
    return { running, calls, state, host, place }
  }
  const created = (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(201, { "docker-content-digest": "sha256:x" }).end()

  it("a certificate that nobody vouches for is told of the registry, and not of the model's secret", async () => {
    const place = scope.place()
    const upstream = await secureServer()
    const config_path = place.file("docker/config.json", "{}")
    const running = await sidecar(place, {
      registry: { host: `127.0.0.1:${upstream.port}`, repository: "team/results", plain_http: false, config_path }
    })
    const { message, message_code } = (await (await fetch(`${running.url}/v2/team/results/manifests/v1`)).json()) as {
      message: string
      message_code: string
    }
    assert.strictEqual(message_code, "upstream_tls_failed")
    assert.match(message, /^TLS to the registry '/)
    assert.notMatch(message, /model|ca_cert/)
  })
  it.each(["basic", "bearer", "none"] as const)("with %s the adapter pushes without a credential", async (scheme) => {
    const { running, calls, state } = await registry(scheme, created)
    const answer = await fetch(`${running.url}/v2/team/results/manifests/v1`, {
      method: "PUT",
      body: '{"schemaVersion":2}',
      headers: { authorization: "Bearer adapter" }
    })
    assert.strictEqual(answer.status, 201)
    assert.strictEqual(answer.headers.get("docker-content-digest"), "sha256:x")
    assert.include(calls.at(-1), { method: "PUT", url: "/v2/team/results/manifests/v1", body: '{"schemaVersion":2}' })
    if (scheme === "bearer")
      assert.deepStrictEqual(state.tokenRequests, [
        `/token?k=1&service=reg&scope=repository%3Ateam%2Fresults%3Apull%2Cpush Basic ${Buffer.from("u:p").toString("base64")}`
      ])
    for (const { authorization } of calls) assert.notStrictEqual(authorization, "Bearer adapter")
  })
  it("an identity token is exchanged for an access token, as docker login leaves it", async () => {
    const identity = (host: string) =>
      JSON.stringify({
        auths: { [`${host}/team`]: { auth: Buffer.from("0000:").toString("base64"), identitytoken: "refresh me" } }
      })
    const { running, calls, state } = await registry("bearer", created, { config: identity })
    assert.strictEqual(
      (await fetch(`${running.url}/v2/team/results/manifests/v1`, { method: "PUT", body: "{}" })).status,
      201
    )
    assert.strictEqual(calls.at(-1)?.authorization, "Bearer t-1")
    assert.deepStrictEqual(
      state.tokenRequests.map((request) => request.split(" ")),
      [["POST", "/token?k=1", "undefined", "application/x-www-form-urlencoded"]]
    )
    assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(state.forms[0])), {
      grant_type: "refresh_token",
      service: "reg",
      client_id: "evald",
      scope: "repository:team/results:pull,push",
      refresh_token: "refresh me"
    })
  })
  it("the login of the repository's path goes before that of its host", async () => {
    const config = (host: string) =>
      JSON.stringify({
        auths: {
          [host]: { username: "host", password: "x" },
          [`${host}/team`]: { username: "u", password: "p" },
          [`${host}/te`]: { username: "te", password: "x" }
        }
      })
    const { running, calls } = await registry("basic", created, { config })
    assert.strictEqual(
      (await fetch(`${running.url}/v2/team/results/manifests/v1`, { method: "PUT", body: "{}" })).status,
      201
    )
    assert.strictEqual(calls.at(-1)?.authorization, `Basic ${Buffer.from("u:p").toString("base64")}`)
  })
  it("one token serves many requests at once", async () => {
    const { running, state } = await registry("bearer", (_, response) => void response.end())
    await Promise.all(
      Array.from({ length: 10 }, () => fetch(`${running.url}/v2/team/results/blobs/sha256:x`, { method: "HEAD" }))
    )
    assert.strictEqual(state.issued, 1)
  })
  it("a token that ends between requests is renewed: at once for what can be repeated, later for a streamed blob", async () => {
    const { running, state } = await registry("bearer", created)
    const put = (path: string) => fetch(`${running.url}/v2/team/results/${path}`, { method: "PUT", body: "content" })
    assert.strictEqual((await put("manifests/a")).status, 201)
    state.valid = "revoked"
    assert.strictEqual((await put("manifests/b")).status, 201)
    state.valid = "revoked"
    const blob = await put("blobs/uploads/u1?digest=sha256:x")
    assert.strictEqual(blob.status, 503)
    assert.strictEqual(blob.headers.get("retry-after"), "1")
    assert.strictEqual((await put("blobs/uploads/u1?digest=sha256:x")).status, 201)
  })
  it("a registry that keeps refusing is shown without its challenge", async () => {
    const { running } = await registry("basic", created, { config: (host) => docker(host, "u", "wrong") })
    const answer = await fetch(`${running.url}/v2/team/results/tags/list`)
    assert.strictEqual(answer.status, 401)
    assert.isNull(answer.headers.get("www-authenticate"))
  })
  it("credentials are found under the old names, and not for another host", async () => {
    const old = await registry("basic", created, {
      config: (host) => JSON.stringify({ auths: { [`https://${host}/v1/`]: { username: "u", password: "p" } } })
    })
    assert.strictEqual(
      (await fetch(`${old.running.url}/v2/team/results/manifests/a`, { method: "PUT", body: "x" })).status,
      201
    )
    const foreign = await registry("basic", created, { config: () => docker("127.0.0.1") })
    assert.strictEqual(
      (await fetch(`${foreign.running.url}/v2/team/results/manifests/a`, { method: "PUT", body: "x" })).status,
      401
    )
  })
  it("only the own repository gets the credential", async () => {
    const model = await scope.keep(serve((request, response) => void response.end(request.headers.authorization)))
    const place = scope.place()
    const running = await sidecar(place, {
      model: { url: model.url },
      registry: {
        host: "registry.example",
        repository: "team/results",
        plain_http: true,
        config_path: place.file("config.json", docker("registry.example"))
      }
    })
    for (const path of ["/v2/other/results/manifests/x", "/v2/team/results-2/manifests/x", "/v2/_catalog"])
      assert.strictEqual(await (await fetch(`${running.url}${path}`)).text(), "Bearer pod-token")
  })
  it("upload addresses come back through the sidecar; another host gets no credential", async () => {
    const seen: Array<string> = []
    const store = await scope.keep(
      serve(async (request, response) => {
        seen.push(
          `${request.method} ${request.url} ${request.headers.authorization} ${(await bodyOf(request)).toString()}`
        )
        response.writeHead(201).end()
      })
    )
    const { running } = await registry("bearer", (request, response) => {
      const location = request.url?.includes("mount")
        ? `${store.url}/bucket/u2?sig=1`
        : "/v2/team/results/blobs/uploads/u1?state=a"
      response.writeHead(202, { location }).end()
    })
    const own = await fetch(`${running.url}/v2/team/results/blobs/uploads/`, { method: "POST" })
    assert.strictEqual(
      own.headers.get("location"),
      `http://localhost:${running.port}/v2/team/results/blobs/uploads/u1?state=a`
    )
    const other = await fetch(`${running.url}/v2/team/results/blobs/uploads/?mount=x`, { method: "POST" })
    const location = other.headers.get("location") ?? ""
    assert.match(location, new RegExp(`^http://localhost:${running.port}/_evald/upload/[A-Za-z0-9_-]+$`))
    const put = await fetch(`${location.replace("localhost", "127.0.0.1")}?digest=sha256:x`, {
      method: "PUT",
      body: "blob",
      headers: { authorization: "Bearer adapter" }
    })
    assert.strictEqual(put.status, 201)
    assert.deepStrictEqual(seen, ["PUT /bucket/u2?sig=1&digest=sha256:x undefined blob"])
    assert.strictEqual((await fetch(`${running.url}/_evald/upload/unknown`, { method: "PUT", body: "x" })).status, 404)
  })
  it("a realm that is not https is refused unless the registry is plain, and a metadata realm always", async () => {
    const upstream = await scope.keep(
      serve(
        (_, response) =>
          void response.writeHead(401, { "www-authenticate": 'Bearer realm="http://169.254.169.254/token"' }).end()
      )
    )
    const place = scope.place()
    const running = await sidecar(place, {
      registry: {
        host: `127.0.0.1:${upstream.port}`,
        repository: "team/results",
        plain_http: true,
        config_path: place.path("none")
      }
    })
    const answer = await fetch(`${running.url}/v2/team/results/manifests/a`, { method: "PUT", body: "x" })
    assert.strictEqual(answer.status, 403)
    assert.include(await answer.json(), { message_code: "upstream_blocked" })
  })
  it("a client that waits for 100-continue before its manifest is not left waiting", async () => {
    const { running, calls } = await registry("none", created)
    const client = await rawConnection(running.port)
    client.send(
      "PUT /v2/team/results/manifests/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    )
    await client.until(/100 Continue/)
    client.send("{}")
    await client.until(/HTTP\/1.1 201/)
    client.destroy()
    assert.include(calls.at(-1), { body: "{}" })
  })
  it("a manifest above 4 MiB is refused", async () => {
    const { running } = await registry("none", created)
    const answer = await fetch(`${running.url}/v2/team/results/manifests/a`, {
      method: "PUT",
      body: "x".repeat(4 * 1024 * 1024 + 1)
    })
    assert.strictEqual(answer.status, 413)
  })
})
