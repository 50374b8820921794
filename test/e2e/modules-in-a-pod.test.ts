/** The library of kubeconfigs is loaded when one is used, and in a pod no module of it. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
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
const modules = readdirSync(built).filter((name) => /\.[cm]js$/.test(name))
/** none of a file that stands for others or loads them */
const sourcesOf = (name: string): ReadonlyArray<string> => {
  const map = join(built, `${name}.map`)
  return existsSync(map)
    ? (JSON.parse(readFileSync(map, "utf8")) as { readonly sources: ReadonlyArray<string> }).sources
    : []
}
const isOfLibrary = (source: string): boolean => /\/@kubernetes\/client-node\/|\/kubeconfig-access\.ts$/.test(source)
/** files of the build with anything of the library; what is bundled by itself has a copy of its own */
const ofLibrary = modules.filter((name) => sourcesOf(name).some(isOfLibrary))
const librarySourcesIn = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(files.flatMap(sourcesOf).filter(isOfLibrary))].sort()

/** what loading this file loads */
const closure = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(name)) return seen
  seen.add(name)
  const imported = /(?:from|import|new URL\()\s*"\.\/([^"]+\.[cm]js)"/g
  for (const [, next = ""] of readFileSync(join(built, name), "utf8").matchAll(imported)) closure(next, seen)
  return seen
}

const config = {
  service: { host: "127.0.0.1" },
  database: { url: ":memory:" },
  runtime: { k8s: { image: "registry.example/evald:1", callback_url: "https://evald.evald-system.svc:8443" } }
}

type Front = Effect.Effect.Success<ReturnType<typeof tlsFront>>
type Environment = (path: string, front: Front) => Record<string, string>

/** a program with a cluster; `list` names the file with the addresses of all modules that it has loaded */
const started = (args: ReadonlyArray<string>, settings: object, environment: Environment) =>
  Effect.gen(function* () {
    const fake = yield* fakeKubernetes
    fake.addNamespace("evald-system")
    const front = yield* tlsFront(fake)
    const [path, access] = [yield* tempDir, yield* tempDir]
    cpSync("config", join(path, "config"), { recursive: true })
    writeFileSync(join(path, "config", "config.yaml"), JSON.stringify(settings))
    const list = join(path, "modules")
    const program = yield* Effect.acquireRelease(
      Effect.promise(() =>
        listen([...args, "-configdir", join(path, "config")], {
          PORT: "0",
          NODE_OPTIONS: `--import=${pathToFileURL(resolve("test/support/pod-mount.mjs")).href}`,
          EVALD_TEST_MODULES: list,
          ...environment(access, front)
        })
      ),
      ({ stop }) => Effect.promise(() => stop("SIGKILL"))
    )
    const loaded = () =>
      readFileSync(list, "utf8")
        .split("\n")
        .flatMap((url) =>
          url.startsWith(pathToFileURL(resolve(built)).href) ? [url.slice(url.lastIndexOf("/") + 1)] : []
        )
    return { fake, front, program, loaded }
  })

/** files of the build that a server loads until it has asked the cluster about a caller, and the token that it asked with */
const loadedBy = (environment: Environment) =>
  Effect.gen(function* () {
    const { fake, front, program, loaded } = yield* started(["server"], config, environment)
    yield* Effect.promise(() =>
      until(
        async () =>
          (
            await fetch(`${program.url}/api/v1/evaluations/jobs`, {
              headers: { authorization: "Bearer caller", "x-tenant": "team-a" }
            })
          ).status,
        (status) => status === 401
      )
    )
    const review = fake.requests.find(({ plural }) => plural === "tokenreviews")
    assert.strictEqual(front.seen.length > 0, true)
    return { loaded: loaded(), token: review?.token }
  })

/** the variables and the mount of a pod */
const inPod: Environment = (path, front) => {
  for (const [name, text] of [
    ["token", "of-the-pod"],
    ["ca.crt", front.authority],
    ["namespace", "evald-system"]
  ] as const)
    writeFileSync(join(path, name), text)
  return { EVALD_TEST_MOUNT: path, KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(front.port) }
}

describe("the library of kubeconfigs", () => {
  it("is in files of the build that no program loads at its start", () => {
    assert.isAtLeast(ofLibrary.length, 1)
    // of the bundles with names of their own one is no program: commands load it for a context that takes its token of a kubeconfig
    const programs = modules.filter((name) => !/-[0-9A-Z]{8}\.[cm]js$/.test(name) && name !== "context-token.mjs")
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
      const { loaded, token } = yield* loadedBy(inPod)
      assert.strictEqual(token, "of-the-pod")
      assert.include(loaded, "evald.mjs")
      assert.deepStrictEqual(
        ofLibrary.filter((name) => loaded.includes(name)),
        []
      )
    })
  )
  it.scoped("is not loaded by an operator in a pod, and neither is what makes manifests", () =>
    Effect.gen(function* () {
      const names = { operator: { image: "registry.example/evald:1", health_port: 0, metrics_port: 0 } }
      const { fake, loaded } = yield* started(["operator"], names, inPod)
      // it leads, and has looked at what is there
      yield* Effect.promise(() =>
        until(
          () => Promise.resolve(fake.requests.filter(({ verb, plural }) => verb === "watch" && plural !== "leases")),
          ({ length }) => length > 10
        )
      )
      assert.isTrue(fake.requests.every(({ token }) => token === "of-the-pod"))
      const files = loaded()
      assert.includeMembers(files, ["evald.mjs"])
      assert.isTrue(
        files.some((name) => /^operator-.*\.mjs$|^operator\.mjs$/.test(name)),
        files.join(" ")
      )
      const unwanted = modules.filter((name) =>
        sourcesOf(name).some((source) => /\/kubernetes\/installation\/files\.ts$/.test(source))
      )
      assert.isNotEmpty(unwanted)
      assert.deepStrictEqual(
        [...ofLibrary, ...unwanted].filter((name) => files.includes(name)),
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
      const copy = ofLibrary.filter((name) => loaded.includes(name))
      assert.isBelow(copy.length, ofLibrary.length, "the copies of other programs are not loaded")
      assert.deepStrictEqual(librarySourcesIn(copy), librarySourcesIn(ofLibrary))
    })
  )
})
