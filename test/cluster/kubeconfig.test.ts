/** T2: ways into a real control plane that a kubeconfig describes: a log-in program, a proxy, two files, impersonation. */
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { describe } from "vitest"
import type * as Client from "../../infrastructure/kubernetes/client/client.ts"
import { configMaps, namespaces } from "../../infrastructure/kubernetes/client/resources.ts"
import { at } from "../support/http-app.ts"
import { clientOf, execCredential, logInProgram, simpleKubeconfig, writeKubeconfig } from "../support/kubeconfigs.ts"
import { connectProxy } from "../support/proxies.ts"
import { tempDir } from "../support/temp-dir.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"

const live = { excludeTestServices: true, timeout: "60 seconds" } as const
const lane = "launch" as const

/** who the API server says that somebody is */
const whoIs = (client: Client.KubeClient["Type"]) =>
  Effect.map(
    client.send(
      {
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }
      },
      "review"
    ),
    (answer) => at(answer, "status.userInfo")
  )

const setUp = Effect.gen(function* () {
  const { connectionAs, tokenOfUser, ...rest } = yield* Cluster
  const { tls } = yield* connectionAs("").access()
  const { server } = connectionAs("")
  const address = { server, "certificate-authority-data": Buffer.from(tls.ca ?? "").toString("base64") }
  return { ...rest, tokenOfUser, address, path: yield* tempDir }
})

describe.skipIf(noControlPlane)("T2: kubeconfig", () => {
  layer(cluster, live)("a control plane", (it) => {
    it.scoped("by a log-in program, whose answer is asked for again when it is refused", () =>
      Effect.gen(function* () {
        const { address, path, tokenOfUser } = yield* setUp
        const program = logInProgram(path)
        program.answers(execCredential({ token: tokenOfUser("group-member") }))
        const client = yield* clientOf(path, simpleKubeconfig(path, address, { exec: { command: program.command } }))
        assert.strictEqual(at(yield* whoIs(client), "username"), "group-member")
        yield* whoIs(client)
        assert.strictEqual(program.runs().length, 1)
        program.answers(execCredential({ token: "unknown" }))
        const other = yield* clientOf(path, simpleKubeconfig(path, address, { exec: { command: program.command } }))
        assert.strictEqual((yield* Effect.flip(whoIs(other))).class, "credential")
        program.answers(execCredential({ token: tokenOfUser("user-only") }))
        assert.strictEqual(at(yield* whoIs(other), "username"), "user-only")
      })
    )
    it.scoped("by way of a proxy, watches too", () =>
      Effect.gen(function* () {
        const { address, path, tokenOfUser, addNamespace } = yield* setUp
        const proxy = yield* connectProxy("me:secret")
        const cluster = { ...address, "proxy-url": `http://me:secret@${proxy.address}` }
        const client = yield* clientOf(path, simpleKubeconfig(path, cluster, { token: tokenOfUser("administrator") }))
        const namespace = yield* addNamespace("proxied")
        const { resourceVersion } = yield* client.list({ resource: configMaps, namespace, lane })
        const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } }
        yield* client.create({ resource: configMaps, namespace, lane }, object)
        const watch = client.watch(
          { resource: configMaps, namespace, lane, fieldSelector: "metadata.name=m" },
          { resourceVersion, timeoutSeconds: 30 }
        )
        const change = yield* Stream.runHead(watch)
        assert.strictEqual(change._tag === "Some" ? change.value.type : "", "ADDED")
        assert.deepStrictEqual(new Set(proxy.asked), new Set([new URL(address.server).host]))
      })
    )
    it.scoped("by two files, the cluster in one and the user in the other", () =>
      Effect.gen(function* () {
        const { address, path, tokenOfUser } = yield* setUp
        const clusters = writeKubeconfig(path, "clusters", {
          cluster: { name: "k", ...address },
          user: { name: "unused", token: "x" }
        })
        const context = { name: "c", cluster: "k", user: "u" }
        const users = writeKubeconfig(path, "users", {
          current: "c",
          context,
          user: { name: "u", token: tokenOfUser("user-only") }
        })
        const client = yield* clientOf(path, `${clusters}:${users}`)
        assert.strictEqual(at(yield* whoIs(client), "username"), "user-only")
      })
    )
    it.scoped("as somebody else, with the rights of that one and no others", () =>
      Effect.gen(function* () {
        const { address, path, tokenOfUser } = yield* setUp
        const as = {
          as: "jürgen",
          "as-uid": "7",
          "as-groups": ["evaluators", "größe"],
          "as-user-extra": { "example.org/scopes": ["a", "b"] }
        }
        const client = yield* clientOf(
          path,
          simpleKubeconfig(path, address, { token: tokenOfUser("administrator"), ...as })
        )
        assert.deepStrictEqual(yield* whoIs(client), {
          username: "jürgen",
          uid: "7",
          groups: ["evaluators", "größe", "system:authenticated"],
          extra: { "example.org/scopes": ["a", "b"] }
        })
        assert.strictEqual((yield* Effect.flip(client.list({ resource: namespaces, lane }))).class, "forbidden")
      })
    )
  })
})
