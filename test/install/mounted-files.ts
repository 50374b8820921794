/**
 * Files that an instance is given as the reference says, and what shows that its pods read them: records signed with the key that was
 * mounted, and a message, signed with a mounted key, to a receiver for whom a mounted authority alone vouches.
 */
import { createHmac, generateKeyPairSync } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { createServer } from "node:https"
import { Effect } from "effect"
import { assert } from "vitest"
import { parse } from "yaml"
import { member } from "../../values/json.ts"
import { WorkerNode } from "../cluster/support/worker-node.ts"
import { makeAuthority } from "../support/certificate.ts"
import { blocksOf } from "../support/docs/page-blocks.ts"
import { at } from "../support/http-app.ts"
import { bodyOf, listening } from "../support/loopback-server.ts"

interface Message {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const page = "docs/reference/operator.md"
const example = (): unknown => {
  const block = blocksOf(page).find(({ text }) => text.includes("mounts:"))
  return member(parse(block?.text ?? ""), "spec")
}

/** `home`: namespace of the instance, whose `mounts`, `env` and `config` are those of the page, without a claim that nobody has here */
export const mountedFiles = (home: string, tenant: string) =>
  Effect.gen(function* () {
    const { network, addHost } = yield* WorkerNode
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const name = `hooks.${tenant}.svc`
    const { authority, server } = makeAuthority("authority of the hooks", [name])
    const received: Array<Message> = []
    const receiver = createServer({ cert: server.certificate, key: server.key }, (request, response) => {
      void bodyOf(request).then((body) => {
        received.push({ headers: request.headers, body: body.toString("utf8") })
        response.writeHead(204).end()
      })
    })
    const { port } = yield* Effect.acquireRelease(
      Effect.promise(() => listening(receiver, "https")),
      ({ close }) => Effect.promise(close)
    )
    const published = yield* network.publish(port)
    addHost(name, published.host)
    const key = "the key of a story, in its own file"
    const object = (kind: string, called: string, content: object) => ({
      apiVersion: "v1",
      kind,
      metadata: { name: called, namespace: home },
      ...content
    })
    const spec = example()
    const { request_log: _, ...config } = at(spec, "config") as { readonly request_log: unknown }
    return {
      objects: {
        apiVersion: "v1",
        kind: "List",
        items: [
          object("Secret", "evald-signing", {
            stringData: { "key.pem": String(privateKey.export({ type: "pkcs8", format: "pem" })) }
          }),
          object("Secret", `${tenant}-hook`, { stringData: { key } }),
          object("ConfigMap", "site-roots", { data: { "ca.crt": authority } })
        ]
      },
      spec: {
        mounts: at(spec, "mounts"),
        env: at(spec, "env"),
        config: {
          ...config,
          notifications: {
            secrets_dir: at(spec, "config.notifications.secrets_dir"),
            ca_path: at(spec, "config.egress.proxy_ca_path")
          }
        }
      },
      /** of a job */
      notifications: [{ url: `https://${name}:${published.port}/evald`, events: ["completed"], secret_ref: "hook" }],
      publicKey: String(publicKey.export({ type: "spki", format: "pem" })),
      received: () => received.length,
      /** the one message that came says that this job has ended, and is signed with the key */
      told: (job: string) => {
        assert.lengthOf(received, 1)
        const [{ headers, body } = assert.fail("nothing came")] = received
        const wanted = createHmac("sha256", key)
          .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
          .digest("base64")
        assert.strictEqual(headers["webhook-signature"], `v1,${wanted}`)
        const message: unknown = JSON.parse(body)
        assert.deepStrictEqual([at(message, "type"), at(message, "data.resource.id")], ["job.completed", job])
        received.length = 0
      }
    }
  })
