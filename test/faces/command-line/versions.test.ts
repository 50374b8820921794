/** Commands against servers one minor version older and newer: a real server, whose answers are made to look like those of the other version. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { commandsWithServer, everyCommand, loggingRuntime } from "../../support/command-line/every-command.ts"
import { run } from "../../support/evald-process.ts"
import { layer as app, HttpApp, idOf, jobBody, jobsPath } from "../../support/http-app.ts"

type Document = { readonly [member: string]: unknown }

/** what stands between: an answer of its own, or what becomes of the server's */
interface Disguise {
  readonly refuses?: (path: string) => boolean
  readonly told: (path: string, body: Document) => Document
}

const refuse = (answer: ServerResponse): void => {
  const body = { message: "there is no such route", message_code: "route_not_found", trace: "t", detail: "" }
  answer.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(body))
}

/** answers the address at which the server of this port looks like another one */
const disguised = (port: number, { refuses = () => false, told }: Disguise) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((asked, answer) => {
        const path = asked.url ?? "/"
        if (refuses(path)) return refuse(answer)
        const { "accept-encoding": _, ...headers } = asked.headers
        const passed = request({ host: "127.0.0.1", port, path, method: asked.method, headers }, (given) => {
          const { "content-length": __, ...rest } = given.headers
          answer.writeHead(given.statusCode ?? 502, rest)
          if (!/^application\/json/.test(given.headers["content-type"] ?? "")) return void given.pipe(answer)
          const parts: Array<Buffer> = []
          given.on("data", (part: Buffer) => parts.push(part))
          given.once("end", () => {
            const text = Buffer.concat(parts).toString()
            answer.end(text === "" ? "" : JSON.stringify(told(path, JSON.parse(text))))
          })
        })
        asked.pipe(passed)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

const home = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-versions-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** of the program */
const minor = Effect.promise(async () => {
  const [, major = "", its = "", patch = ""] =
    /^evald (\d+)\.(\d+)\.(\S+)/.exec((await run(["version", "--client"])).stdout) ?? []
  const at = (step: number) => `${major}.${Number(its) + step}.${patch}`
  return { own: at(0), newer: at(1), far: at(2) }
})

const isInfo = (path: string): boolean => path.startsWith("/api/v1/info")

/** members that nobody knows yet, wherever a record or a list may have some */
const withMore = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withMore)
    : typeof value === "object" && value !== null
      ? {
          ...Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withMore(one)])),
          unheard_of: { of: "tomorrow" }
        }
      : value

const server = app({ runtime: loggingRuntime, settings: { about: { mode: "local" } }, server: { pages: "dist/ui" } })

layer(server, { excludeTestServices: true, timeout: "60 seconds" })("against a server of another version", (it) => {
  it.scoped("one minor version newer every command does what it is for, and passes over what it does not know", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const { newer } = yield* minor
      const told = (path: string, body: Document): Document =>
        isInfo(path)
          ? { ...body, version: newer, unheard_of: 1 }
          : path.startsWith("/api/v1/health")
            ? { ...body, build: newer }
            : (withMore(body) as Document)
      const { url } = yield* disguised(port, { told })
      const folder = yield* home
      const credentials = { tenant: "a", adapterToken: "t", userToken: "t" }
      const typed = yield* Effect.promise(() =>
        everyCommand({ server: url, folder, ...credentials, environment: { EVALD_SERVER: url } })
      )
      assert.sameMembers([...typed], [...commandsWithServer])
      const version = yield* Effect.promise(() => run(["version"], { HOME: folder, EVALD_SERVER: url }))
      assert.strictEqual(version.stderr, "")
    })
  )

  it.scoped(
    "what an older one does not have is named, with the version that has it; one of the same says nothing of it",
    () =>
      Effect.gen(function* () {
        const { port, send } = yield* HttpApp
        const folder = yield* home
        const id = idOf(yield* send("POST", jobsPath, { body: jobBody() }))
        const { own } = yield* minor
        const refuses = (path: string) => path.includes("/gates")
        const of = (version: string, features: (all: ReadonlyArray<string>) => ReadonlyArray<string>) =>
          Effect.gen(function* () {
            const told = (path: string, body: Document): Document =>
              isInfo(path) ? { ...body, version, features: features(body["features"] as ReadonlyArray<string>) } : body
            const { url } = yield* disguised(port, { refuses, told })
            return yield* Effect.promise(() => run(["export", id, "-o", "md"], { HOME: folder, EVALD_SERVER: url }))
          })
        const older = yield* of("0.0.9", (all) => all.filter((name) => name !== "listJobGates"))
        assert.deepStrictEqual([older.code, older.stdout], [1, ""])
        assert.match(older.stderr, /route_not_found: .*\nthe server is 0\.0\.9: it has no listJobGates, which evald /)
        assert.include(older.stderr, `which evald ${own} has\nnext: evald version\n`)
        const same = yield* of(own, (all) => all)
        assert.notInclude(same.stderr, "listJobGates")
      })
  )

  it.scoped("further apart is said by evald version", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const { own, far } = yield* minor
      const { url } = yield* disguised(port, { told: (_, body) => ({ ...body, build: far }) })
      const folder = yield* home
      const { code, stderr } = yield* Effect.promise(() => run(["version"], { HOME: folder, EVALD_SERVER: url }))
      assert.strictEqual(code, 0)
      assert.include(stderr, `the server is ${far}, and evald ${own} is made for servers at most one minor version`)
    })
  )
})
