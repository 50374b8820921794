import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { load } from "../../../../../config/load.ts"
import { podDocuments } from "../../../../../infrastructure/kubernetes/client/documents.ts"
import { podSpec } from "../../../../../infrastructure/kubernetes/unit/pod-spec.ts"
import { clusterOptions } from "../../../../../interfaces/main/compose/cluster-options.ts"
import { podProxy, podsLackCredentials, wayOut } from "../../../../../interfaces/main/compose/way-out.ts"
import { readInitConfig } from "../../../../../providers/contract/init-config.ts"
import { readSidecarConfig } from "../../../../../providers/contract/sidecar-config.ts"
import { clusterUnit } from "../../../../support/cluster-units.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

const environment = { https_proxy: "http://me:s3cret@proxy.example:3128", NO_PROXY: ".svc, 10.0.0.0/8" }
const common =
  "runtime: {k8s: {image: i, callback_url: 'https://evald.evald-system.svc'}}\ntracker: {tracking_uri: 'https://tracker.example', insecure_skip_verify: true}\n"
const withSecret = "runtime.k8s.proxy_secret: proxy-login\negress: {trust_proxy: true, proxied_hosts: [10.96.0.1]}\n"

/** what a pod of a server with these settings and variables is made of */
const podOf = (config: string, variables: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const dir = yield* tempDir
    writeFileSync(join(dir, "config.yaml"), common + config)
    const given = { ...environment, ...variables }
    const settings = yield* load(dir, given)
    const way = Either.getOrThrow(wayOut(settings, given))
    const options = clusterOptions(settings, "evald-system", "native", podProxy(settings, given, way))
    const unit = clusterUnit({ benchmark: { testData: { s3: { bucket: "b", key: "k", secretRef: "s" } } } })
    return {
      documents: podDocuments(unit, options, undefined),
      pod: podSpec(unit, "B", options, undefined),
      lacks: podsLackCredentials(settings, way)
    }
  })

describe("the proxies of pods", () => {
  it.scoped(
    "are those of the server, without its credentials; sidecar and init container get the secret, the adapter nothing",
    () =>
      Effect.gen(function* () {
        const { documents, pod } = yield* podOf(withSecret)
        assert.notMatch(JSON.stringify([documents, pod]), /s3cret/)
        const sidecar = Either.getOrThrow(readSidecarConfig(JSON.parse(documents["sidecar.json"])))
        const init = Either.getOrThrow(readInitConfig(JSON.parse(documents["init.json"] ?? "")))
        const proxy = {
          https: "http://proxy.example:3128",
          exempt: [".svc", "10.0.0.0/8"],
          named: ["10.96.0.1"],
          secret_dir: "/var/run/secrets/proxy"
        }
        assert.deepStrictEqual([sidecar.proxy, init.proxy], [proxy, proxy])
        assert.deepStrictEqual(
          [sidecar.egress.trust_proxy, init.egress.trust_proxy, sidecar.tracker?.insecure_skip_verify],
          [true, true, true]
        )
        const seeing = [...(pod.initContainers ?? []), ...pod.containers].filter((container) =>
          container.volumeMounts?.some(({ name }) => name === "proxy")
        )
        assert.sameMembers(
          seeing.map(({ name }) => name),
          ["sidecar", "init"]
        )
        const adapter = pod.containers.find(({ name }) => name === "adapter")
        assert.notMatch(JSON.stringify(adapter), /proxy\.example/)
      })
  )

  it.scoped("without a secret have no credentials, which the server is to say", () =>
    Effect.gen(function* () {
      const { documents, pod, lacks } = yield* podOf("")
      assert.isUndefined(Either.getOrThrow(readSidecarConfig(JSON.parse(documents["sidecar.json"]))).proxy?.secret_dir)
      assert.isTrue(lacks)
      assert.notInclude(pod.volumes?.map(({ name }) => name) ?? [], "proxy")
      assert.isFalse((yield* podOf("", { https_proxy: "http://proxy.example:3128" })).lacks)
    })
  )

  it.scoped("are not spoken of where there are none", () =>
    Effect.gen(function* () {
      const { documents } = yield* podOf("", { https_proxy: "" })
      assert.isUndefined(Either.getOrThrow(readSidecarConfig(JSON.parse(documents["sidecar.json"]))).proxy)
    })
  )
})
