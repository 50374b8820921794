/**
 * Being told by a real server: the messages of real jobs are verified by the code of the page, in both its languages, and reach a receiver
 * that was away while the server was killed and started again.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { stringify } from "yaml"
import { listen, type Running, until } from "../../support/evald-process.ts"
import { bodyOf, serve } from "../../support/loopback-server.ts"

const key = "a key that only two know"

interface Message {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

let folder: string
const ends: Array<() => Promise<unknown>> = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-told-"))
  const secret = join(folder, "config", "secrets", "hook-key")
  mkdirSync(secret, { recursive: true, mode: 0o700 })
  writeFileSync(join(secret, "key"), key, { mode: 0o600 })
  writeFileSync(
    join(folder, "config", "config.yaml"),
    stringify({ notifications: { allow_http: true }, database: { url: `file:${join(folder, "evald.db")}` } })
  )
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  rmSync(folder, { recursive: true, force: true })
})

const server = async (): Promise<Running> => {
  const running = await listen(["server", "-local", `-configdir=${join(folder, "config")}`], {
    ...{ PORT: "0", TMPDIR: folder }
  })
  ends.push(() => running.stop("SIGKILL"))
  return running
}

const receiver = async () => {
  const messages: Array<Message> = []
  let isAway = false
  const { url, close } = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      if (isAway) return response.writeHead(503).end()
      messages.push({ headers: request.headers, body })
      return response.writeHead(204).end()
    })
  })
  ends.push(close)
  return {
    ...{ url: `${url}/hook?team=a`, messages },
    away: (value: boolean) => {
      isAway = value
    }
  }
}

const call = async (url: string, method: string, path: string, body?: object): Promise<unknown> => {
  const answer = await fetch(`${url}/api/v1/evaluations/${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

const submit = async (url: string, model: string, address: string): Promise<string> => {
  const job = await call(url, "POST", "jobs", {
    ...{ name: "told", model: { url: model, name: "evald-demo" } },
    benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 5 } }],
    notifications: [{ url: address, events: ["completed", "failed"], secret_ref: "hook-key" }]
  })
  return (job as { readonly resource: { readonly id: string } }).resource.id
}

interface Sent {
  readonly state: string
  readonly attempts: number
  readonly event: string
}
const sent = async (url: string, id: string): Promise<ReadonlyArray<Sent>> =>
  ((await call(url, "GET", `jobs/${id}/notifications`)) as { readonly items: ReadonlyArray<Sent> }).items

const demoModel = async (): Promise<string> => {
  const model = await listen(["demo-model", "--port", "0"])
  ends.push(() => model.stop("SIGKILL"))
  return model.url
}

/** blocks of the page in a language */
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(
    readFileSync("docs/reference/notifications.md", "utf8")
  )?.[1] ?? assert.fail(`the page has no block in ${language}`)

type Verify = (key: string, headers: IncomingHttpHeaders, body: string, now?: number) => boolean

const verifyInJavaScript = async (): Promise<Verify> =>
  ((await import(`data:text/javascript,${encodeURIComponent(blockOf("js"))}`)) as { readonly verify: Verify }).verify

const verifyInPython = (withKey: string, { headers, body }: Message, now?: number): boolean => {
  const code = `${blockOf("python")}
import json, sys
given = json.load(sys.stdin)
print(verify(given["key"], given["headers"], given["body"].encode(), given.get("now")))
`
  const { stdout, stderr, status } = spawnSync("python3", ["-c", code], {
    input: JSON.stringify({ key: withKey, headers, body: body.toString(), now }),
    encoding: "utf8"
  })
  assert.strictEqual(status, 0, stderr)
  return stdout.trim() === "True"
}

describe("a job with an address", () => {
  it("tells it how it ended, in a message that the code of the page verifies, and no altered one", async () => {
    const { url } = await server()
    const { url: address, messages } = await receiver()
    const trial = await call(url, "POST", "notifications/test", { url: address, secret_ref: "hook-key" })
    assert.deepInclude(trial, { delivered: true, status: 204 })
    const id = await submit(url, await demoModel(), address)
    await until(
      () => sent(url, id),
      (items) => items[0]?.state === "delivered"
    )
    const [test, message] = messages
    if (test === undefined || message === undefined) return assert.fail("two messages are expected")
    const told = JSON.parse(message.body.toString()) as {
      readonly type: string
      readonly data: { readonly resource: { readonly id: string }; readonly status: { readonly state: string } }
    }
    assert.deepStrictEqual(
      [told.type, told.data.resource.id, told.data.status.state, message.headers["webhook-id"]],
      ["job.completed", id, "completed", `${id}-completed`]
    )
    const verify = await verifyInJavaScript()
    const text = message.body.toString()
    const altered = { ...message, body: Buffer.from(text.replace("completed", "cOmpleted")) }
    const later = Date.now() / 1000 + 600
    assert.deepStrictEqual(
      [
        verify(key, message.headers, text),
        verify(key, test.headers, test.body.toString()),
        verify("another key", message.headers, text),
        verify(key, message.headers, altered.body.toString()),
        verify(key, { ...message.headers, "webhook-id": "other" }, text),
        verify(key, message.headers, text, later)
      ],
      [true, true, false, false, false, false]
    )
    assert.deepStrictEqual(
      [
        verifyInPython(key, message),
        verifyInPython("another key", message),
        verifyInPython(key, altered),
        verifyInPython(key, message, later)
      ],
      [true, false, false, false]
    )
  })

  it("tells an address that was away, although the server was killed meanwhile", async () => {
    const { url: address, messages, away } = await receiver()
    away(true)
    const first = await server()
    const id = await submit(first.url, await demoModel(), address)
    await until(
      () => sent(first.url, id),
      (items) => items.some(({ state, attempts }) => state === "waiting" && attempts > 0)
    )
    await first.stop("SIGKILL")
    assert.isEmpty(messages)
    away(false)
    const second = await server()
    await until(
      () => sent(second.url, id),
      (items) => items[0]?.state === "delivered"
    )
    assert.deepStrictEqual(
      messages.map(({ headers }) => headers["webhook-id"]),
      [`${id}-completed`]
    )
    assert.deepStrictEqual(
      (await sent(second.url, id)).map(({ event, state }) => [event, state]),
      [
        ["completed", "delivered"],
        ["failed", "pending"]
      ]
    )
  })
})
