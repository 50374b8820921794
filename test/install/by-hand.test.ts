/** T3: what the page on clusters says for a cluster without the operator, typed: the rights, a server on this machine, and a first job. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe, inject } from "vitest"
import { madeImage } from "../cluster/kubelet/images.ts"
import { Cluster, layer as cluster, noPods } from "../cluster/support/cluster.ts"
import { publishModel } from "../cluster/support/peers.ts"
import { WorkerNode, layer as worker } from "../cluster/support/worker-node.ts"
import { blocksRunBy } from "../support/docs/page-blocks.ts"
import { freePort } from "../support/free-port.ts"
import { at } from "../support/http-app.ts"
import { commandLine, kubectl, noTools } from "./command-line.ts"

const image = inject("image")
const live = { excludeTestServices: true, timeout: "120 seconds" } as const
const blocks = blocksRunBy("test/install/by-hand.test.ts", "docs/cluster.md")

/** the server ends with the shell; before that, the job has */
const withEnd = (block: string): string =>
  [
    "trap 'kill $(jobs -p)' EXIT",
    block,
    'until call "$api/jobs/$id" > job.json && jq -e \'.status.state != "pending" and .status.state != "running"\' job.json; do sleep 0.5; done'
  ].join("\n")

describe.skipIf(noPods || noTools || "missing" in image)("T3: a cluster without the operator", () => {
  layer(Layer.provideMerge(worker, cluster), live)("by the page", (it) => {
    it.scoped("roles and bindings, a server with the account's kubeconfig, and a job that ends with its result", () =>
      Effect.gen(function* () {
        const { kubeconfigOf, tokenOfUser } = yield* Cluster
        const { take, addImages, addHost, network } = yield* WorkerNode
        const home = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-by-hand-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const kubeconfig = kubeconfigOf(tokenOfUser("administrator"))
        const { run, attempt, typed } = commandLine(home, kubeconfig)
        mkdirSync(join(home, ".kube"))
        writeFileSync(join(home, ".kube/config"), kubeconfig, { mode: 0o600 })
        const clone = join(home, "clone")
        mkdirSync(clone)
        cpSync("config", join(clone, "config"), { recursive: true })
        for (const name of ["dist", "deploy"]) symlinkSync(resolve(name), join(clone, name))
        const [rights = "exit 99", first = "exit 99"] = blocks
        // other tests may share the control plane
        yield* Effect.addFinalizer(() =>
          Effect.promise(async () => {
            await attempt(kubectl, ["delete", "-n", "team-a", "-f", "deploy/roles"])
            await attempt(kubectl, ["delete", "clusterrolebinding", "evald-auth-reviewer"])
            await attempt(kubectl, ["delete", "namespace", "evald-system", "team-a"])
          })
        )
        yield* Effect.promise(() => typed(rights, { cwd: clone }))

        const key = "sk-of-the-way-by-hand"
        const model = yield* publishModel(key)
        yield* Effect.promise(() =>
          run(kubectl, "-n", "team-a", "create", "secret", "generic", "my-model", `--from-literal=api-key=${key}`)
        )
        addImages({ "registry.example/evald:0.1.0": madeImage("missing" in image ? "" : image.root) })
        addHost("host.docker.internal", network.address)
        yield* take("team-a")
        const port = String(yield* Effect.promise(() => freePort()))
        const block = first
          .replaceAll("8080", port)
          .replace("http://model.team-a.svc:8000/v1", model.url)
          .replace('"name": "my-model"', '"name": "my-model", "auth": {"secret_ref": "my-model"}')
        yield* Effect.promise(() => typed(withEnd(block), { cwd: clone, env: { PORT: port } }))
        const job: unknown = JSON.parse(readFileSync(join(clone, "job.json"), "utf8"))
        assert.strictEqual(at(job, "status.state"), "completed", JSON.stringify(job))
        assert.strictEqual(at(job, "results.benchmarks.0.metrics.exact_match"), 1)
      })
    )
  })
})
