/** The library of kubeconfigs is loaded when one is used, and in a pod no module of it. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { listen, until } from "../support/evald-process.ts"
import { fakeKubernetes } from "../support/fake-kubernetes/fake-kubernetes.ts"
import { tlsFront } from "../support/fake-kubernetes/tls-front.ts"
import { simpleKubeconfig } from "../support/kubeconfigs.ts"
import { tempDir } from "../support/temp-dir.ts"

const built = "dist"
const modules = readdirSync(built).filter((name) => name.endsWith(".mjs"))
const sourcesOf = (name: string): ReadonlyArray<string> =>
  (JSON.parse(readFileSync(join(built, `${name}.map`), "utf8")) as { readonly sources: ReadonlyArray<string> }).sources
/** files of the build with anything of the library */
const ofLibrary = modules.filter((name) =>
  sourcesOf(name).some((source) => /\/@kubernetes\/client-node\/|\/kubeconfig-access\.ts$/.test(source))
)

/** what loading this file loads */
const closure = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const [, next = ""] of readFileSync(join(built, name), "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+\.mjs)"/g))
    closure(next, seen)
  return seen
}

const config = {
  service: { host: "127.0.0.1" },
  database: { url: ":memory:" },
  runtime: { k8s: { image: "registry.example/evald:1", callback_url: "https://evald.evald-system.svc:8443" } }
}

/** files of the build that a server loads until it has asked the cluster about a caller, and the token that it asked with */
const loadedBy = (
  environment: (
    path: string,
    front: { readonly url: string; readonly port: number; readonly authority: string }
  ) => Record<string, string>
) =>
  Effect.gen(function* () {
    const fake = yield* fakeKubernetes
    const front = yield* tlsFront(fake)
    const [path, access] = [yield* tempDir, yield* tempDir]
    cpSync("config", join(path, "config"), { recursive: true })
    writeFileSync(join(path, "config", "config.yaml"), JSON.stringify(config))
    const list = join(path, "modules")
    const server = yield* Effect.acquireRelease(
      Effect.promise(() =>
        listen(["server", "-configdir", join(path, "config")], {
          PORT: "0",
          NODE_OPTIONS: `--import=${pathToFileURL(resolve("test/support/pod-mount.mjs")).href}`,
          EVALD_TEST_MODULES: list,
          ...environment(access, front)
        })
      ),
      ({ stop }) => Effect.promise(() => stop("SIGKILL"))
    )
    yield* Effect.promise(() =>
      until(
        async () =>
          (
            await fetch(`${server.url}/api/v1/evaluations/jobs`, {
              headers: { authorization: "Bearer caller", "x-tenant": "team-a" }
            })
          ).status,
        (status) => status === 401
      )
    )
    const review = fake.requests.find(({ plural }) => plural === "tokenreviews")
    assert.strictEqual(front.seen.length > 0, true)
    const loaded = readFileSync(list, "utf8")
      .split("\n")
      .flatMap((url) =>
        url.startsWith(pathToFileURL(resolve(built)).href) ? [url.slice(url.lastIndexOf("/") + 1)] : []
      )
    return { loaded, token: review?.token }
  })

describe("the library of kubeconfigs", () => {
  it("is in files of the build that no program loads at its start", () => {
    assert.isAtLeast(ofLibrary.length, 1)
    const programs = modules.filter((name) => !/-[0-9A-Z]{8}\.mjs$/.test(name))
    assert.includeMembers(programs, ["evald.mjs", "server.mjs", "sidecar.mjs"])
    for (const program of programs) {
      const loaded = closure(program)
      assert.deepStrictEqual(
        ofLibrary.filter((name) => loaded.has(name)),
        [],
        program
      )
    }
  })
  it.scoped("is not loaded by a server in a pod", () =>
    Effect.gen(function* () {
      const { loaded, token } = yield* loadedBy((path, front) => {
        for (const [name, text] of [
          ["token", "of-the-pod"],
          ["ca.crt", front.authority],
          ["namespace", "evald-system"]
        ] as const)
          writeFileSync(join(path, name), text)
        return {
          EVALD_TEST_MOUNT: path,
          KUBERNETES_SERVICE_HOST: "127.0.0.1",
          KUBERNETES_SERVICE_PORT: String(front.port)
        }
      })
      assert.strictEqual(token, "of-the-pod")
      assert.include(loaded, "evald.mjs")
      assert.deepStrictEqual(
        ofLibrary.filter((name) => loaded.includes(name)),
        []
      )
    })
  )
  it.scoped("is loaded by a server with a kubeconfig", () =>
    Effect.gen(function* () {
      const { loaded, token } = yield* loadedBy((path, front) => {
        const cluster = {
          server: front.url,
          "certificate-authority-data": Buffer.from(front.authority).toString("base64")
        }
        return { KUBECONFIG: simpleKubeconfig(path, cluster, { token: "of-the-file" }) }
      })
      assert.strictEqual(token, "of-the-file")
      assert.includeMembers(loaded, ofLibrary)
    })
  )
})
