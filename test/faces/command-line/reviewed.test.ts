/** Commands against a server that reviews its callers, over TLS by an authority of its own, straight and through a proxy. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { AccessReview } from "../../../application/ports/access-review.ts"
import * as Authentication from "../../../interfaces/http/middleware/authentication.ts"
import { makeAuthority } from "../../support/certificate.ts"
import { commandsWithServer, everyCommand, loggingRuntime } from "../../support/command-line/every-command.ts"
import { run } from "../../support/evald-process.ts"
import { layer as app, HttpApp, jobBody } from "../../support/http-app.ts"

const name = "evald.example"

interface World {
  readonly home: string
  readonly ca: string
  /** by its own name, which only the proxy can resolve */
  readonly named: string
  readonly straight: string
}
const World = Context.GenericTag<World>("evald/test/World")

/** in `a` olga may do everything, anna everything with evaluations, ben nothing; nobody knows a stranger */
const reviewer = Layer.succeed(AccessReview, {
  identify: (token) => {
    const username = Redacted.value(token)
    return Effect.succeed(["anna", "ben", "olga"].includes(username) ? { username, groups: ["team"] } : undefined)
  },
  allows: ({ username }, { resource, namespace }) =>
    Effect.succeed(
      namespace === "a" &&
        (username === "olga" || (username === "anna" && ["evaluations", "experiments"].includes(resource)))
    )
})

const world = Layer.unwrapScoped(
  Effect.gen(function* () {
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-reviewed-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const { authority, server } = makeAuthority("test authority", [name])
    const [ca, certPath, keyPath] = [join(home, "ca.crt"), join(home, "tls.crt"), join(home, "tls.key")]
    writeFileSync(ca, authority)
    writeFileSync(certPath, server.certificate)
    writeFileSync(keyPath, server.key, { mode: 0o600 })
    const served = app({
      authentication: Authentication.layerReviewed({ groups: {}, allowSeconds: 60 }).pipe(Layer.provide(reviewer)),
      settings: { about: { mode: "cluster" } },
      runtime: loggingRuntime,
      server: { local: false, pages: "dist/ui", tls: { certPath, keyPath, reloadEvery: "1 hour" } }
    })
    return Layer.effect(
      World,
      Effect.map(HttpApp, ({ port }) => ({
        ...{ home, ca, named: `https://${name}:${port}`, straight: `https://127.0.0.1:${port}` }
      }))
    ).pipe(Layer.provide(served))
  })
)

/** takes every name for this machine, and insists on a password */
const proxy = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly port: number; readonly asked: ReadonlyArray<string>; readonly close: () => void }>(
        (resolve) => {
          const asked: Array<string> = []
          const server = createServer()
          server.on("connect", ({ url = "", headers }, client) => {
            asked.push(url)
            const wanted = `Basic ${Buffer.from("user:pass word").toString("base64")}`
            if (headers["proxy-authorization"] !== wanted) return void client.end("HTTP/1.1 407 No\r\n\r\n")
            const upstream = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
              client.write("HTTP/1.1 200 Yes\r\n\r\n")
              client.pipe(upstream)
              upstream.pipe(client)
            })
            for (const side of [client, upstream]) side.on("error", () => side.destroy())
          })
          server.listen(0, "127.0.0.1", () =>
            resolve({ port: (server.address() as AddressInfo).port, asked, close: () => server.close() })
          )
        }
      )
  ),
  ({ close }) => Effect.sync(close)
)

/** as a user in a tenant, over the server's own address */
const as = (user: string, tenant: string | undefined, more: { readonly [name: string]: string } = {}) =>
  Effect.map(World, ({ home, ca, straight }) => {
    const environment = {
      ...{ HOME: home, EVALD_SERVER: straight, EVALD_CA: ca, EVALD_TOKEN: user },
      ...(tenant === undefined ? {} : { EVALD_TENANT: tenant }),
      ...more
    }
    return (...args: ReadonlyArray<string>) => Effect.promise(() => run(args, environment))
  })

/** the command that a failure says to type next */
const nextOf = (stderr: string): ReadonlyArray<string> => {
  const [, words = ""] = /\nnext: evald (.*)\n$/.exec(stderr) ?? []
  return words.split(" ")
}

/** types every command as olga; `way`: what leads to the server besides its address */
const typedByOlga = (way: { readonly [name: string]: string; readonly EVALD_SERVER: string }) =>
  Effect.gen(function* () {
    const { home, ca, straight } = yield* World
    const typed = yield* Effect.promise(() =>
      everyCommand({
        ...{ server: straight, ca: readFileSync(ca, "utf8"), tenant: "a", folder: home },
        ...{ adapterToken: "olga", userToken: "olga" },
        environment: { EVALD_CA: ca, ...way }
      })
    )
    assert.sameMembers([...typed], [...commandsWithServer])
  })

layer(world, { excludeTestServices: true, timeout: "60 seconds" })(
  "against a server that reviews its callers",
  (it) => {
    it.effect("every command does what it is for", () =>
      Effect.flatMap(World, ({ straight }) => typedByOlga({ EVALD_SERVER: straight }))
    )

    it.effect("who is let in is told as whom, and what it may; who has no right is told that", () =>
      Effect.gen(function* () {
        const anna = yield* (yield* as("anna", "a"))("whoami", "-o", "wide")
        assert.strictEqual(anna.code, 0, anna.stderr)
        assert.match(anna.stdout, /\tanna\ta\tthe environment\tteam\tcluster\n$/)
        assert.include(anna.stderr, "evaluations: create, get, delete, list\n")
        const ben = yield* (yield* as("ben", "a"))("whoami")
        assert.strictEqual(ben.code, 77)
        assert.include(ben.stderr, "'ben' may do nothing in tenant 'a': ask for a role")
      })
    )

    it.effect("77 for a stranger and for what is not allowed, 1 without a tenant; the next command runs", () =>
      Effect.gen(function* () {
        const stranger = yield* (yield* as("stranger", "a"))("get", "jobs")
        assert.strictEqual(stranger.code, 77)
        assert.match(stranger.stderr, /unauthorized: .*\nnext: evald login/)
        const anna = yield* as("anna", "a")
        const forbidden = yield* anna("get", "providers")
        assert.strictEqual(forbidden.code, 77)
        assert.match(forbidden.stderr, /forbidden: /)
        assert.strictEqual((yield* anna(...nextOf(forbidden.stderr))).code, 0)
        const nowhere = yield* (yield* as("anna", undefined))("get", "jobs")
        assert.strictEqual(nowhere.code, 1)
        assert.match(nowhere.stderr, /missing_tenant_header: .*\nnext: evald context set/)
      })
    )

    it.effect("a server that nobody vouches for is not spoken to, and a file of certificates must be there", () =>
      Effect.gen(function* () {
        const { home } = yield* World
        const untrusted = yield* (yield* as("anna", "a", { EVALD_CA: "" }))("get", "jobs")
        assert.strictEqual(untrusted.code, 69, untrusted.stderr)
        assert.match(untrusted.stderr, /can not be reached: .*certificate/i)
        const missing = yield* (yield* as("anna", "a"))("get", "jobs", "--ca", join(home, "none.crt"))
        assert.deepStrictEqual([missing.code, missing.stdout], [78, ""])
      })
    )

    it.effect(
      "a login is stored when the server lets in, its token in a file of its owner, and nothing otherwise; one that has expired is mended by the next",
      () =>
        Effect.gen(function* () {
          const { home, ca, straight } = yield* World
          const alone = { HOME: join(home, "login") }
          const to = ["--server", straight, "--ca", ca, "--tenant", "a", "--token-stdin"]
          const login = (token: string) =>
            Effect.promise(() => run(["login", "team", ...to], alone, 60_000, `${token}\n`))
          assert.strictEqual((yield* login("stranger")).code, 77)
          const folder = join(alone.HOME, ".config/evald")
          assert.isFalse(existsSync(join(folder, "config.yaml")))
          assert.deepStrictEqual(readdirSync(join(folder, "tokens")), [])
          const made = yield* login("anna")
          assert.strictEqual(made.code, 0, made.stderr)
          assert.match(made.stdout, /^anna in tenant a on /)
          assert.strictEqual(statSync(join(folder, "tokens/team")).mode & 0o777, 0o600)
          assert.notInclude(readFileSync(join(folder, "config.yaml"), "utf8"), "anna")
          const read = Effect.promise(() => run(["get", "jobs"], alone))
          assert.strictEqual((yield* read).code, 0)
          // it has expired
          writeFileSync(join(folder, "tokens/team"), "stranger\n")
          const expired = yield* read
          assert.deepStrictEqual([expired.code, expired.stdout], [77, ""])
          assert.match(expired.stderr, /unauthorized: .*\nnext: evald login/)
          assert.strictEqual((yield* login("anna")).code, 0)
          assert.strictEqual((yield* read).code, 0)
          // a token that is not let in takes the place of none (the stored one was lost)
          assert.strictEqual((yield* login("stranger")).code, 77)
          assert.strictEqual((yield* read).code, 0)
          assert.deepStrictEqual(readdirSync(join(folder, "tokens")), ["team"])
        })
    )

    it.effect("a context takes the credential of the kubeconfig: a token, a file, or what its program prints", () =>
      Effect.gen(function* () {
        const { home, ca, straight } = yield* World
        const alone = { HOME: join(home, "kube"), KUBECONFIG: join(home, "kubeconfig") }
        writeFileSync(join(home, "own-token"), "anna\n")
        const printing = `process.stdout.write(JSON.stringify({ status: { token: process.env.WHO } }))`
        const exec = {
          apiVersion: "client.authentication.k8s.io/v1",
          command: process.execPath,
          args: ["-e", printing]
        }
        const users = {
          token: { token: "anna" },
          file: { tokenFile: "own-token" },
          exec: { exec: { ...exec, env: [{ name: "WHO", value: "anna" }] } },
          certificate: { "client-certificate-data": "x" }
        }
        const config = {
          clusters: [{ name: "k", cluster: { server: "https://127.0.0.1:6443" } }],
          contexts: Object.keys(users).map((one) => ({ name: one, context: { cluster: "k", user: one } })),
          users: Object.entries(users).map(([one, user]) => ({ name: one, user }))
        }
        writeFileSync(alone.KUBECONFIG, JSON.stringify(config))
        for (const [context, code] of [
          ["token", 0],
          ["file", 0],
          ["exec", 0],
          ["certificate", 78],
          ["none", 78]
        ] as const) {
          const to = ["--server", straight, "--ca", ca, "--tenant", "a", "--kubeconfig-context", context]
          const { code: ended, stderr } = yield* Effect.promise(() => run(["login", context, ...to], alone))
          assert.strictEqual(ended, code, `${context}: ${stderr}`)
          if (code === 0)
            assert.strictEqual((yield* Effect.promise(() => run(["get", "jobs", "--context", context], alone))).code, 0)
        }
      })
    )
  }
)

layer(world, { excludeTestServices: true, timeout: "60 seconds" })("through a proxy", (it) => {
  it.scoped("a job is submitted, read, cancelled and watched; the server is asked for by its name", () =>
    Effect.gen(function* () {
      const { home, named } = yield* World
      const { port, asked } = yield* proxy
      const way = { EVALD_SERVER: named, HTTPS_PROXY: `http://user:pass%20word@127.0.0.1:${port}` }
      const anna = yield* as("anna", "a", way)
      const file = join(home, "job.json")
      writeFileSync(file, JSON.stringify(jobBody()))
      const stored = yield* anna("run", "-f", file)
      assert.strictEqual(stored.code, 0, stored.stderr)
      const id = stored.stdout.trim()
      assert.strictEqual((yield* anna("get", "jobs", "-o", "name")).stdout, `job/${id}\n`)
      assert.strictEqual((yield* anna("cancel", id)).code, 0)
      const watched = yield* anna("watch", id)
      assert.strictEqual(watched.code, 3, watched.stderr)
      assert.include(watched.stdout, "cancelled")
      assert.strictEqual((yield* anna("api", "GET", "/api/v1/health")).code, 0)
      assert.deepStrictEqual([...new Set(asked)], [named.replace("https://", "")])
    })
  )

  it.scoped("a wrong password is said without it, and what is exempt goes straight", () =>
    Effect.gen(function* () {
      const { named } = yield* World
      const { port, asked } = yield* proxy
      const way = { EVALD_SERVER: named, HTTPS_PROXY: `http://user:hidden@127.0.0.1:${port}` }
      const refused = yield* (yield* as("anna", "a", way))("get", "jobs")
      assert.deepStrictEqual([refused.code, asked.length], [69, 1], refused.stderr)
      assert.include(refused.stderr, `the proxy http://127.0.0.1:${port} opens no way to`)
      assert.notInclude(refused.stderr, "hidden")
      const straight = yield* (yield* as("anna", "a", { ...way, NO_PROXY: `other, .${name.split(".")[1]}` }))(
        "get",
        "jobs"
      )
      assert.deepStrictEqual([straight.code, asked.length], [69, 1], straight.stderr)
      const broken = yield* (yield* as("anna", "a", { ...way, HTTPS_PROXY: "socks5://hidden@x" }))("get", "jobs")
      assert.strictEqual(broken.code, 78)
      assert.notInclude(broken.stderr, "hidden")
    })
  )

  it.scoped("every command does what it is for, and asks nobody else", () =>
    Effect.gen(function* () {
      const { named } = yield* World
      const { port, asked } = yield* proxy
      yield* typedByOlga({ EVALD_SERVER: named, HTTPS_PROXY: `http://user:pass%20word@127.0.0.1:${port}` })
      assert.deepStrictEqual([...new Set(asked)], [named.replace("https://", "")])
    })
  )
})
