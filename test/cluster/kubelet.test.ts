/** T3: the test kubelet itself: that a pod gets exactly what it declares, and that the API server hears what a kubelet would say. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { describe } from "vitest"
import {
  configMaps,
  events,
  jobs,
  type KubeObject,
  pods,
  secrets
} from "../../infrastructure/kubernetes/client/resources.ts"
import { at } from "../support/http-app.ts"
import { serve } from "../support/loopback-server.ts"
import { Cluster, layer as cluster, noPods } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { beyond, isCutOff } from "./support/way-out.ts"
import { hostImage, ownImage, WorkerNode, layer as worker } from "./support/worker-node.ts"

const live = { excludeTestServices: true, timeout: "120 seconds" } as const
const lane = "launch" as const

describe.skipIf(noPods)("T3: test kubelet", () => {
  layer(Layer.provideMerge(worker, cluster), live)("runs pods", (it) => {
    const namespaceOf = Effect.gen(function* () {
      const { addNamespace } = yield* Cluster
      const { take } = yield* WorkerNode
      const namespace = yield* addNamespace("pods")
      yield* take(namespace)
      return namespace
    })
    const run = (namespace: string, name: string, spec: object) =>
      Effect.flatMap(Cluster, ({ admin }) =>
        admin.create(
          { resource: pods, namespace, lane },
          { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { restartPolicy: "Never", ...spec } }
        )
      )
    const until = (namespace: string, name: string, what: string, holds: (pod: KubeObject) => boolean) =>
      Effect.flatMap(Cluster, ({ admin }) =>
        eventually(what, admin.get({ resource: pods, namespace, name, lane }), holds)
      )
    const over = (pod: KubeObject) => ["Succeeded", "Failed"].includes(String(at(pod, "status.phase")))

    it.scoped("a Job's container runs to its end", () =>
      Effect.gen(function* () {
        const { admin } = yield* Cluster
        const namespace = yield* namespaceOf
        const template = {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "main", image: ownImage, command: ["evald", "version"] }]
          }
        }
        yield* admin.create(
          { resource: jobs, namespace, lane },
          { apiVersion: "batch/v1", kind: "Job", metadata: { name: "one" }, spec: { template } }
        )
        const job = yield* eventually(
          "complete",
          admin.get({ resource: jobs, namespace, name: "one", lane }),
          (found) => at(found, "status.succeeded") === 1
        )
        assert.strictEqual(at(job, "status.conditions.0.type"), "SuccessCriteriaMet")
      })
    )

    const shell = (script: string, more: object = {}) => ({
      name: "main",
      image: hostImage,
      command: ["sh", "-c", script],
      ...more
    })
    const logOf = (namespace: string, pod: string, container = "main") =>
      Effect.gen(function* () {
        const { admin } = yield* Cluster
        const chunks = yield* admin.logs({ namespace, pod, lane }, { container, timestamps: false, follow: false })
        return (yield* Stream.runFold(chunks, Buffer.alloc(0), (text, chunk) => Buffer.concat([text, chunk]))).toString(
          "utf8"
        )
      })
    const stateOf = (pod: KubeObject, container = "main") =>
      (at(pod, "status.containerStatuses") as ReadonlyArray<{ readonly name: string; readonly state: object }>).find(
        ({ name }) => name === container
      )?.state

    it.scoped("volumes, environment, user and root are what the pod declares, and nothing of the host is there", () =>
      Effect.gen(function* () {
        const { admin } = yield* Cluster
        const namespace = yield* namespaceOf
        yield* admin.create(
          { resource: configMaps, namespace, lane },
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { "a.json": "A", b: "B" } }
        )
        yield* admin.create(
          { resource: secrets, namespace, lane },
          { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { k: "value-of-k", l: "L" } }
        )
        const script = `exec 2>&1
          cat /meta/a.json; echo; ls /meta /token /keys; cat /keys/renamed; echo; echo "$FROM_SECRET $FROM_FIELD $EXPANDED $PRE_b"
          id -u; ls -A /; ls /root; touch /nowhere; touch /keys/x; touch /data/x && echo data is writable; echo last words > /dev/termination-log
          cut -d. -f2 /token/token | base64 -d 2> /dev/null; exit 3`
        yield* run(namespace, "full", {
          containers: [
            shell(script, {
              env: [
                { name: "FROM_SECRET", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
                { name: "FROM_FIELD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
                { name: "EXPANDED", value: "$(FROM_FIELD)-$$(FROM_FIELD)" }
              ],
              envFrom: [{ prefix: "PRE_", configMapRef: { name: "c" } }],
              securityContext: { readOnlyRootFilesystem: true, runAsNonRoot: true },
              volumeMounts: [
                { name: "c", mountPath: "/meta/a.json", subPath: "a.json", readOnly: true },
                { name: "s", mountPath: "/keys", readOnly: true },
                { name: "t", mountPath: "/token", readOnly: true },
                { name: "d", mountPath: "/data" }
              ]
            })
          ],
          volumes: [
            { name: "c", configMap: { name: "c" } },
            { name: "s", secret: { secretName: "s", items: [{ key: "k", path: "renamed" }] } },
            {
              name: "t",
              projected: {
                sources: [{ serviceAccountToken: { path: "token", audience: "somebody", expirationSeconds: 600 } }]
              }
            },
            { name: "d", emptyDir: {} }
          ]
        })
        const pod = yield* until(namespace, "full", "the end", over)
        const text = yield* logOf(namespace, "full")
        const lines = text.split("\n")
        assert.deepStrictEqual(lines.slice(0, 9), [
          "A",
          "/keys:",
          "renamed",
          "",
          "/meta:",
          "a.json",
          "",
          "/token:",
          "token"
        ])
        assert.deepStrictEqual(lines.slice(9, 12), ["value-of-k", "value-of-k full full-$(FROM_FIELD) B", "65532"])
        const top = lines.slice(
          12,
          lines.findIndex((line) => line.startsWith("touch"))
        )
        assert.sameMembers(
          top.filter((name) => !["bin", "sbin", "lib", "lib32", "lib64", "usr"].includes(name)),
          [...["data", "dev", "etc", "keys", "meta", "opt", "proc", "root", "run", "tmp", "token", "var"]]
        )
        assert.include(text, "touch: cannot touch '/nowhere': Read-only file system")
        assert.include(text, "touch: cannot touch '/keys/x': Read-only file system")
        assert.include(text, "data is writable")
        assert.include(text, '"aud":["somebody"]')
        assert.include(text, `"pod":{"name":"full"`)
        assert.strictEqual(at(pod, "status.phase"), "Failed")
        assert.strictEqual(at(pod, "status.containerStatuses.0.state.terminated.exitCode"), 3)
        assert.strictEqual(at(pod, "status.containerStatuses.0.state.terminated.message"), "last words\n")
      })
    )

    it.scoped(
      "files have the modes that are declared, and the pod's group where it has one; a token is for nobody else",
      () =>
        Effect.gen(function* () {
          const { admin } = yield* Cluster
          const namespace = yield* namespaceOf
          yield* admin.create(
            { resource: secrets, namespace, lane },
            { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { k: "K", l: "L" } }
          )
          const pod = (securityContext: object) => ({
            securityContext,
            containers: [
              shell("stat -Lc '%a %u %g' /s/k /s/l /t/token; cat /s/l", {
                volumeMounts: [
                  { name: "s", mountPath: "/s" },
                  { name: "t", mountPath: "/t" }
                ]
              })
            ],
            volumes: [
              {
                name: "s",
                secret: {
                  secretName: "s",
                  defaultMode: 0o400,
                  items: [
                    { key: "k", path: "k", mode: 0o440 },
                    { key: "l", path: "l" }
                  ]
                }
              },
              { name: "t", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }
            ]
          })
          yield* run(namespace, "of-a-group", pod({ runAsUser: 1234, fsGroup: 4321 }))
          yield* run(namespace, "of-a-user", pod({ runAsUser: 1234 }))
          yield* run(namespace, "of-nobody", pod({}))
          const logs: Array<string> = []
          for (const name of ["of-a-group", "of-a-user", "of-nobody"]) {
            yield* until(namespace, name, "the end", over)
            logs.push(yield* logOf(namespace, name))
          }
          const refused = "cat: /s/l: Permission denied\n"
          assert.deepStrictEqual(logs, [
            "440 0 4321\n440 0 4321\n640 0 4321\nL\n",
            `440 0 0\n400 0 0\n600 1234 0\n${refused}`,
            `440 0 0\n400 0 0\n644 0 0\n${refused}`
          ])
        })
    )

    it.scoped(
      "a native sidecar is healthy before the main container starts, is restarted when killed, and ends after it",
      () =>
        Effect.gen(function* () {
          const { podsOf } = yield* WorkerNode
          const namespace = yield* namespaceOf
          const server = `require("http").createServer((q, r) => r.end("up")).listen(18081); process.on("SIGTERM", () => { console.log("asked to stop"); process.exit(0) })`
          yield* run(namespace, "pair", {
            initContainers: [
              shell("echo first > /data/first", { name: "init", volumeMounts: [{ name: "d", mountPath: "/data" }] }),
              {
                name: "sidecar",
                image: hostImage,
                command: ["node", "-e", server],
                restartPolicy: "Always",
                startupProbe: { httpGet: { path: "/", port: 18_081 }, periodSeconds: 1, failureThreshold: 30 }
              }
            ],
            containers: [
              {
                name: "main",
                image: hostImage,
                command: [
                  "node",
                  "-e",
                  'fetch("http://localhost:18081").then((r) => r.text()).then(console.log); process.once("SIGUSR2", () => process.exit(0)); setInterval(() => {}, 1000)'
                ],
                volumeMounts: [{ name: "d", mountPath: "/data" }]
              }
            ],
            volumes: [{ name: "d", emptyDir: {} }]
          })
          yield* until(namespace, "pair", "ready", (pod) => at(pod, "status.containerStatuses.0.ready") === true)
          yield* eventually("an answer of the sidecar", logOf(namespace, "pair"), (text) => text === "up\n")
          const running = podsOf(namespace)[0]
          running?.process("sidecar")?.kill()
          const again = yield* until(
            namespace,
            "pair",
            "restarted",
            (pod) =>
              at(pod, "status.initContainerStatuses.1.restartCount") === 1 &&
              at(pod, "status.initContainerStatuses.1.ready") === true
          )
          assert.strictEqual(at(again, "status.initContainerStatuses.1.lastState.terminated.exitCode"), 137)
          assert.strictEqual(at(again, "status.phase"), "Running")
          running?.process("main")?.signal("SIGUSR2")
          const ended = yield* until(namespace, "pair", "the end", over)
          assert.strictEqual(at(ended, "status.phase"), "Succeeded")
          assert.strictEqual(at(ended, "status.initContainerStatuses.1.state.terminated.exitCode"), 0)
          assert.strictEqual(yield* logOf(namespace, "pair", "sidecar"), "asked to stop\n")
        })
    )

    it.scoped("what can not start says why: image, configuration, volume, program", () =>
      Effect.gen(function* () {
        const { admin } = yield* Cluster
        const namespace = yield* namespaceOf
        yield* run(namespace, "image", { containers: [{ name: "main", image: "registry.example/none:1" }] })
        yield* run(namespace, "config", {
          containers: [shell("true", { env: [{ name: "K", valueFrom: { secretKeyRef: { name: "late", key: "k" } } }] })]
        })
        yield* run(namespace, "volume", {
          containers: [shell("cat /k/k", { volumeMounts: [{ name: "k", mountPath: "/k" }] })],
          volumes: [{ name: "k", secret: { secretName: "late" } }]
        })
        yield* run(namespace, "program", { containers: [{ name: "main", image: hostImage, command: ["nowhere"] }] })
        const pulled = yield* until(
          namespace,
          "image",
          "back-off",
          (pod) => at(pod, "status.containerStatuses.0.state.waiting.reason") === "ImagePullBackOff"
        )
        assert.include(JSON.stringify(stateOf(pulled)), "registry.example/none:1")
        const config = yield* until(
          namespace,
          "config",
          "the refusal",
          (pod) => at(pod, "status.containerStatuses.0.state.waiting.reason") === "CreateContainerConfigError"
        )
        assert.include(JSON.stringify(stateOf(config)), 'secret \\"late\\" not found')
        const told = eventually(
          "the event",
          admin.list({
            resource: events,
            namespace,
            lane,
            fieldSelector: "involvedObject.name=volume,reason=FailedMount"
          }),
          ({ items }) => items.length > 0
        )
        assert.include(
          String((yield* told).items[0]?.["message"]),
          'MountVolume.SetUp failed for volume "k" : secret "late" not found'
        )
        const program = yield* until(namespace, "program", "the end", over)
        assert.strictEqual(at(program, "status.containerStatuses.0.state.terminated.reason"), "StartError")
        yield* admin.create(
          { resource: secrets, namespace, lane },
          { apiVersion: "v1", kind: "Secret", metadata: { name: "late" }, stringData: { k: "now" } }
        )
        for (const late of ["config", "volume"])
          assert.strictEqual(at(yield* until(namespace, late, "the end", over), "status.phase"), "Succeeded")
        assert.strictEqual(yield* logOf(namespace, "volume"), "now\n")
      })
    )

    it.scoped("signals, memory and time end a container as they do in a cluster", () =>
      Effect.gen(function* () {
        const { admin } = yield* Cluster
        const namespace = yield* namespaceOf
        const grow = "const kept = []; setInterval(() => kept.push(Buffer.alloc(4e6, 1)), 5)"
        yield* run(namespace, "memory", {
          containers: [
            {
              name: "main",
              image: hostImage,
              command: ["node", "-e", grow],
              resources: { limits: { memory: "120Mi" } }
            }
          ]
        })
        yield* run(namespace, "fault", { containers: [shell("sh -c 'kill -SEGV $$$$'; exit $?")] })
        yield* run(namespace, "deadline", {
          activeDeadlineSeconds: 1,
          terminationGracePeriodSeconds: 1,
          containers: [shell("sleep 1000")]
        })
        yield* run(namespace, "deaf", {
          terminationGracePeriodSeconds: 1,
          containers: [shell("trap '' TERM; while :; do sleep 1; done")]
        })
        const ends = yield* Effect.forEach(["memory", "fault", "deadline"], (name) =>
          until(namespace, name, "the end", over)
        )
        assert.deepStrictEqual(
          ends.map(
            (pod) =>
              `${at(pod, "status.containerStatuses.0.state.terminated.reason")} ${at(pod, "status.containerStatuses.0.state.terminated.exitCode")}`
          ),
          ["OOMKilled 137", "Error 139", "Error 137"]
        )
        assert.strictEqual(at(ends[2], "status.reason"), "DeadlineExceeded")
        yield* until(namespace, "deaf", "running", (pod) => at(pod, "status.phase") === "Running")
        yield* admin.remove({ resource: pods, namespace, name: "deaf", lane }, { propagation: "Background" })
        yield* eventually(
          "gone",
          admin.list({ resource: pods, namespace, lane }),
          ({ items }) => !items.some(({ metadata }) => metadata.name === "deaf")
        )
      })
    )

    it.scoped(
      "the bridge keeps its link address while pods come and go (a pod that was there lost its way for up to a minute)",
      () =>
        Effect.gen(function* () {
          const { network } = yield* WorkerNode
          const seen = Effect.promise(network.linkAddress)
          const first = yield* seen
          const after: Array<string> = []
          for (let pod = 0; pod < 3; pod += 1) {
            const { remove } = yield* Effect.promise(network.addPod)
            after.push(yield* seen)
            yield* Effect.promise(remove)
            after.push(yield* seen)
          }
          assert.deepStrictEqual(new Set(after), new Set([first]))
        })
    )

    it.scoped(
      "a pod reaches other pods and what is published, and neither the host's loopback nor metadata nor the world",
      () =>
        Effect.gen(function* () {
          const { network, podsOf } = yield* WorkerNode
          const namespace = yield* namespaceOf
          const host = yield* Effect.acquireRelease(
            Effect.promise(() => serve((_, response) => void response.end("published"))),
            ({ close }) => Effect.promise(close)
          )
          const { host: address, port, peers } = yield* network.publish(host.port)
          yield* run(namespace, "server", {
            containers: [
              {
                name: "main",
                image: hostImage,
                command: ["node", "-e", 'require("http").createServer((q, r) => r.end("pod")).listen(8000)']
              }
            ]
          })
          yield* until(namespace, "server", "ready", (pod) => at(pod, "status.containerStatuses.0.ready") === true)
          const other = podsOf(namespace)[0]?.address()
          const urls = [
            `http://${address}:${port}`,
            `http://${other}:8000`,
            `http://127.0.0.1:${host.port}`,
            `http://${address}:${host.port}`,
            ...beyond.map((one) => `http://${one.includes(":") ? `[${one}]` : one}`),
            "http://metadata.google.internal"
          ]
          const look = `(async () => { for (const url of ${JSON.stringify(urls)}) console.log(await fetch(url).then((r) => r.text(), (e) => e.cause.code)) })()`
          yield* run(namespace, "client", {
            containers: [{ name: "main", image: hostImage, command: ["node", "-e", look] }]
          })
          yield* until(namespace, "client", "the end", over)
          const answers = (yield* logOf(namespace, "client")).split("\n")
          assert.deepStrictEqual(answers.slice(0, 4), ["published", "pod", "ECONNREFUSED", "ECONNREFUSED"])
          const afar = answers.slice(4, 4 + beyond.length)
          assert.isTrue(afar.length > 0 && afar.every(isCutOff), afar.join())
          // nobody translates names either
          assert.include(["ENOTFOUND", "EAI_AGAIN"], answers[4 + beyond.length])
          assert.strictEqual(peers.length, 1)
        })
    )
  })
})
