/** The command line asks servers as every process of evald asks others: by the same rules of proxies, and with authorities beside the system's. */
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Stop } from "../../../../interfaces/cli/client/exit.ts"
import { fetchBy } from "../../../../interfaces/cli/client/transport.ts"
import { agentsBy } from "../../../../interfaces/cli/client/way.ts"
import { makeAuthority } from "../../../support/certificate.ts"
import { listening } from "../../../support/loopback-server.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const serving = (...server: Parameters<typeof listening>) =>
  Effect.acquireRelease(
    Effect.promise(() => listening(...server)),
    ({ close }) => Effect.promise(close)
  )
/** without keeping the connection, which a proxy would hold open */
const textOf = (send: typeof fetch, url: string) =>
  Effect.tryPromise(() => send(url, { headers: { connection: "close" } }).then((answer) => answer.text()))

describe("the way of the command line to a server", () => {
  it.scopedLive("over plain http is a tunnel too: what a proxy is told for itself is in no request", () =>
    Effect.gen(function* () {
      const seen: Array<NodeJS.Dict<string | Array<string>>> = []
      const server = yield* serving(
        createServer(({ headers }, answer) => {
          seen.push(headers)
          answer.end("answer")
        })
      )
      const asked: Array<readonly [string | undefined, string | undefined]> = []
      const proxy = createServer((_, answer) => answer.writeHead(500).end("relayed"))
      // whatever name it is, its server is ours
      proxy.on("connect", ({ url, headers }, client) => {
        asked.push([url, headers["proxy-authorization"]])
        const upstream = connect(server.port, "127.0.0.1", () => {
          client.write("HTTP/1.1 200 Connection Established\r\n\r\n")
          client.pipe(upstream)
          upstream.pipe(client)
        })
        for (const side of [client, upstream])
          side
            .on("error", () => {})
            .on("close", () => {
              client.destroy()
              upstream.destroy()
            })
      })
      const { port } = yield* serving(proxy)
      const send = fetchBy(agentsBy({ HTTP_PROXY: `http://me:s3cret@127.0.0.1:${port}` }, undefined))
      assert.strictEqual(yield* textOf(send, "http://evald.test:81/x"), "answer")
      assert.deepStrictEqual(asked, [["evald.test:81", `Basic ${Buffer.from("me:s3cret").toString("base64")}`]])
      assert.notProperty(seen[0], "proxy-authorization")
    })
  )

  it("is refused with the variable's name where NO_PROXY has what is no rule, as by the server", () => {
    const agents = () => agentsBy({ HTTPS_PROXY: "http://proxy.test:3128", NO_PROXY: "a.test,10.0.0.0/99" }, undefined)
    assert.throws(agents, Stop, /^NO_PROXY: '10\.0\.0\.0\/99' is no name/)
    const socks = () => agentsBy({ HTTPS_PROXY: "socks5://me:s3cret@proxy.test" }, undefined)
    assert.throws(socks, Stop, /^HTTPS_PROXY: expected the address of a proxy(?!.*s3cret)/)
  })

  it.scopedLive("believes authorities of its file beside those of the system (a file took their place)", () =>
    Effect.gen(function* () {
      const folder = yield* tempDir
      const server = (name: string) => {
        const { authority, server: signed } = makeAuthority(`authority of the ${name}`)
        const file = join(folder, name)
        writeFileSync(file, authority)
        const options = { cert: signed.certificate, key: signed.key }
        const answering = createSecureServer(options, (_, answer) => void answer.end(name))
        return Effect.map(serving(answering, "https"), ({ url }) => ({ url, file }))
      }
      const [known, other] = [yield* server("system"), yield* server("file")]
      const before = process.env["NODE_EXTRA_CA_CERTS"]
      process.env["NODE_EXTRA_CA_CERTS"] = known.file
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["NODE_EXTRA_CA_CERTS"]
          else process.env["NODE_EXTRA_CA_CERTS"] = before
        })
      )
      const send = fetchBy(agentsBy({}, other.file))
      assert.strictEqual(yield* textOf(send, other.url), "file")
      assert.strictEqual(yield* textOf(send, known.url), "system")
      const { error } = yield* Effect.flip(textOf(fetchBy(agentsBy({}, undefined)), other.url))
      assert.match(String((error as Error).cause), /TLS to the server '127\.0\.0\.1:\d+' failed: .*--ca/)
    })
  )
})
