/** T0 of the cluster contract: names, labels, mounts and environment of a pod (cases 1 to 4, 31). */
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { planAdapterSecret } from "../../../../../domain/credentials/placeholders.ts"
import { gateway, modelGatewayOf } from "../../../../../infrastructure/kubernetes/client/documents.ts"
import { backingObjects } from "../../../../../infrastructure/kubernetes/unit/backing-objects.ts"
import {
  backingName,
  jobServiceAccount,
  label63,
  refName,
  sanitise,
  specName
} from "../../../../../infrastructure/kubernetes/unit/names.ts"
import { podSpec } from "../../../../../infrastructure/kubernetes/unit/pod-spec.ts"
import { readInitConfig } from "../../../../../providers/contract/init-config.ts"
import { readSidecarConfig } from "../../../../../providers/contract/sidecar-config.ts"
import { clusterOptions, clusterUnit, unitId } from "../../../../support/cluster-units.ts"
import { anyCharacter } from "../../../../support/run/any-character.ts"

describe("case 1: names", () => {
  it("are the documented ones", () => {
    assert.strictEqual(
      backingName("evald", { jobId: unitId, index: 0, attempt: 1 }),
      "evald-0197a3f2-6c1e-7b40-9d2a-3f5e8c1b7a90-0-1"
    )
    const longest = backingName("abcdefghij", { jobId: unitId, index: 999, attempt: 99 })
    assert.deepStrictEqual([longest.length, specName(longest).length, refName(longest).length], [54, 59, 58])
  })
  it("of ids that are no UUID are hashed and legal", () => {
    const name = backingName("evald", { jobId: "Not A/UUID", index: 0, attempt: 1 })
    assert.match(name, /^evald-[0-9a-f]{40}$/)
    assert.isAtMost(specName(name).length, 63)
  })
  it("are different for different units", () => {
    const names = new Set<string>()
    for (let job = 0; job < 100; job += 1)
      for (let index = 0; index < 1000; index += 1)
        names.add(
          backingName("evald", {
            jobId: `0197a3f2-6c1e-7b40-9d2a-${String(job).padStart(12, "0")}`,
            index,
            attempt: 1 + (index % 99)
          })
        )
    assert.strictEqual(names.size, 100_000)
  })
})

describe("case 3: labels", () => {
  it("examples", () => {
    assert.deepStrictEqual(["arc:easy", "ARC/Easy", "", "arc_easy"].map(sanitise), [
      "arc-easy-76d2d18f",
      "ARC-Easy-e3f6f05e",
      "x-e3b0c442",
      "arc_easy"
    ])
    assert.strictEqual(jobServiceAccount({ name: "evald", namespace: "evald-system" }), "evald-evald-system-job")
    assert.strictEqual(
      label63("evaluation-service-for-all-language-teams-platform-services-production-job"),
      "evaluation-service-for-all-language-teams-platform-s-119cd82e2f"
    )
  })
  const texts = FastCheck.string({ unit: anyCharacter, maxLength: 90 })
  it("are legal for any text, and unchanged where they are legal already", () =>
    FastCheck.assert(
      FastCheck.property(texts, (text) => {
        assert.match(sanitise(text), /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/)
        assert.match(label63(text), /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
        assert.strictEqual(sanitise(sanitise(text)), sanitise(text))
        assert.strictEqual(label63(label63(text)), label63(text))
      })
    ))
  it("different ids have different labels", () =>
    FastCheck.assert(
      FastCheck.property(texts, texts, (left, right) => left === right || sanitise(left) !== sanitise(right))
    ))
})

const s3 = { testData: { s3: { bucket: "b", key: "k", secretRef: "s3-secret" } } }
const oci = { oci: { coordinates: { host: "registry.example", repository: "team/results" }, connection: "pull" } }
const auth = { url: "https://models.example/v1?x=1", name: "m", auth: { secretRef: "model-secret" } }
const tracker = { url: "https://tracker.example" }

const objectsFor = (with_: {
  readonly s3: boolean
  readonly oci: boolean
  readonly tracker: boolean
  readonly auth: boolean
}) => {
  const unit = clusterUnit({
    ...(with_.s3 ? { benchmark: s3 } : {}),
    request: { ...(with_.oci ? { exports: oci } : {}), ...(with_.auth ? { model: auth } : {}) }
  })
  const options = clusterOptions(with_.tracker ? { tracker } : {})
  const plan = with_.auth ? planAdapterSecret(["api-key", "hf-token", "ca_cert"], gateway) : undefined
  return { unit, options, plan, objects: backingObjects(unit, options, plan), pod: podSpec(unit, "B", options, plan) }
}

const mountsOf = (pod: ReturnType<typeof podSpec>, name: string) => {
  const containers = [...(pod.initContainers ?? []), ...pod.containers]
  return containers
    .find((container) => container.name === name)
    ?.volumeMounts?.map((mount) => `${mount.mountPath}${mount.readOnly === true ? "" : " rw"} ${mount.name}`)
    .sort()
}

describe("case 2: mounts", () => {
  for (let bits = 0; bits < 16; bits += 1) {
    const with_ = { s3: (bits & 1) > 0, oci: (bits & 2) > 0, tracker: (bits & 4) > 0, auth: (bits & 8) > 0 }
    const named = Object.entries(with_).flatMap(([name, on]) => (on ? [name] : []))
    it(`exactly those of ${named.length === 0 ? "a plain benchmark" : named.join(", ")}`, () => {
      const { pod, objects } = objectsFor(with_)
      const when = (on: boolean, ...mounts: ReadonlyArray<string>) => (on ? mounts : [])
      assert.deepStrictEqual(
        mountsOf(pod, "adapter"),
        [
          "/meta/job.json job-spec",
          "/data rw data",
          "/var/run/secrets/kubernetes.io/serviceaccount namespace",
          ...when(with_.s3, "/test_data test-data"),
          ...when(with_.auth, "/var/run/secrets/model model-auth-ref")
        ].sort()
      )
      assert.deepStrictEqual(
        mountsOf(pod, "sidecar"),
        [
          ...[
            "/meta/job.json job-spec",
            "/meta/sidecar.json job-spec",
            "/data rw data",
            "/tmp rw tmp-sidecar",
            "/etc/evald/ca service-ca"
          ],
          ...["/var/run/secrets/evald evald-token", "/var/run/secrets/model-token model-token"],
          ...when(with_.auth, "/var/run/secrets/model model-auth"),
          ...when(with_.oci, "/var/run/secrets/registry registry"),
          ...when(with_.tracker, "/var/run/secrets/tracker tracker-token", "/etc/evald/tracker-ca tracker-ca")
        ].sort()
      )
      assert.deepStrictEqual(
        mountsOf(pod, "init"),
        with_.s3
          ? [
              "/meta/init.json job-spec",
              "/test_data rw test-data",
              "/tmp rw tmp-init",
              "/var/run/secrets/test-data test-data-secret"
            ].sort()
          : undefined
      )
      // every volume is mounted, every mount has its volume
      const used = new Set(
        [...(pod.initContainers ?? []), ...pod.containers].flatMap((container) =>
          (container.volumeMounts ?? []).map((mount) => mount.name)
        )
      )
      assert.deepStrictEqual([...used].sort(), pod.volumes?.map(({ name }) => name).sort())
      // the files are what their readers accept
      assert.strictEqual(readSidecarConfig(JSON.parse(objects.documents["sidecar.json"]))._tag, "Right")
      if (with_.s3) assert.strictEqual(readInitConfig(JSON.parse(objects.documents["init.json"] ?? "{}"))._tag, "Right")
      assert.isFalse(pod.automountServiceAccountToken)
      assert.strictEqual(objects.dependants("u").refSecret !== undefined, with_.auth)
    })
  }
  it("the volume of answers and its key are the sidecar's alone, and only of a job that may be resumed", () => {
    const requestLog = { claim: "answers", keySecret: "answers-key", maxBytes: 1_000_000, retentionDays: 7 }
    const options = clusterOptions({ requestLog })
    const mine = ["/request-log rw request-log", "/var/run/secrets/request-log request-log-key"]
    const mounted = (resume: boolean) => {
      const unit = clusterUnit({ request: { resume } })
      const pod = podSpec(unit, "B", options, undefined)
      const config = readSidecarConfig(JSON.parse(backingObjects(unit, options, undefined).documents["sidecar.json"]))
      const has = (container: string) => mine.filter((mount) => mountsOf(pod, container)?.includes(mount))
      return {
        sidecar: has("sidecar"),
        adapter: has("adapter"),
        config: Either.getOrThrow(config).request_log,
        claims: pod.volumes?.flatMap((volume) => volume["persistentVolumeClaim"]?.claimName ?? [])
      }
    }
    assert.deepStrictEqual(mounted(true), {
      sidecar: mine,
      adapter: [],
      config: {
        dir: "/request-log",
        job_id: unitId,
        benchmark_index: 0,
        max_bytes: 1_000_000,
        retention_days: 7,
        key_path: "/var/run/secrets/request-log/key"
      },
      claims: ["answers"]
    })
    assert.deepStrictEqual(mounted(false), { sidecar: [], adapter: [], config: undefined, claims: [] })
  })
  it("a model below a path of the sidecar has it in its address, in that of further models, and nothing else has", () => {
    const options = clusterOptions({ model: { ...clusterOptions().model, prefix: "/m" }, tracker })
    const { documents } = backingObjects(clusterUnit({ request: { model: auth, exports: oci } }), options, undefined)
    const job = JSON.parse(documents["job.json"])
    assert.strictEqual(job.model.url, "http://localhost:8080/m/v1?x=1")
    assert.deepStrictEqual([job.callback_url, job.exports.oci.push_host], ["http://localhost:8080", "localhost:8080"])
    assert.strictEqual(Either.getOrThrow(readSidecarConfig(JSON.parse(documents["sidecar.json"]))).model.prefix, "/m")
    assert.strictEqual(modelGatewayOf(options), "http://localhost:8080/m")
    assert.strictEqual(modelGatewayOf(clusterOptions()), gateway)
  })
  it("the sidecar and the init container come before the adapter, the sidecar as a native one", () => {
    const { pod } = objectsFor({ s3: true, oci: false, tracker: false, auth: false })
    assert.deepStrictEqual(
      pod.initContainers?.map(({ name }) => name),
      ["init", "sidecar"]
    )
    const plain = podSpec(clusterUnit(), "B", clusterOptions({ sidecarMode: "plain" }), undefined)
    assert.deepStrictEqual(
      [plain.containers.map(({ name }) => name), plain.initContainers],
      [["sidecar", "adapter"], undefined]
    )
  })
  it("with images.registry every image of the pod comes from there, our own adapter's with its read-only root", () => {
    const imagesOf = (image: string | undefined) => {
      const unit = clusterUnit({ snapshot: { runtime: { k8s: image === undefined ? {} : { image } } } })
      const options = clusterOptions({ image: "mirror.example/evald:1", imageRegistry: "mirror.example" })
      const { containers, initContainers = [] } = podSpec(unit, "B", options, undefined)
      return [...containers, ...initContainers].map((one) => ("image" in one ? one.image : undefined))
    }
    assert.deepStrictEqual(imagesOf("quay.io/a/b:1"), ["mirror.example/a/b:1", "mirror.example/evald:1"])
    const own = podSpec(
      clusterUnit({ snapshot: { runtime: { k8s: { image: "registry.example/evald:1" } } } }),
      "B",
      clusterOptions({ image: "mirror.example/evald:1", imageRegistry: "mirror.example" }),
      undefined
    )
    assert.isTrue(own.containers[0]?.securityContext?.readOnlyRootFilesystem)
  })
  it("the root of our own adapters is read-only, and they get a /tmp", () => {
    const own = podSpec(
      clusterUnit({ snapshot: { runtime: { k8s: { image: "registry.example/evald:1" } } } }),
      "B",
      clusterOptions(),
      undefined
    )
    assert.include(mountsOf(own, "adapter") ?? [], "/tmp rw tmp-adapter")
    assert.isTrue(own.containers[0]?.securityContext?.readOnlyRootFilesystem)
  })
})

describe("case 4: environment", () => {
  it("is literal, in order, and never overrides what is set", () => {
    const env = [
      { name: "A", value: "$(HOME) $(X)" },
      { name: "EVALD_MODE", value: "local" },
      { name: "B", value: "1" },
      { name: "B", value: "2" }
    ]
    const pod = podSpec(
      clusterUnit({
        snapshot: { runtime: { k8s: { image: "i", env, entrypoint: ["run", "$(A)"] } } },
        request: { trackerWorkspace: "shared" }
      }),
      "B",
      clusterOptions({ tracker }),
      undefined
    )
    const adapter = pod.containers[0]
    const given = adapter !== undefined && "env" in adapter ? adapter.env : []
    assert.deepStrictEqual(
      given.map(({ name, value }) => `${name}=${value}`),
      [
        ...["EVALD_MODE=k8s", "EVALHUB_MODE=k8s", "EVALD_JOB_SPEC_PATH=/meta/job.json"],
        ...[
          "TRACKER_TRACKING_URI=http://localhost:8080",
          "MLFLOW_TRACKING_URI=http://localhost:8080",
          "TRACKER_WORKSPACE=shared",
          "MLFLOW_WORKSPACE=shared"
        ],
        ...["NO_PROXY=localhost,127.0.0.1,::1", "no_proxy=localhost,127.0.0.1,::1", "A=$$(HOME) $$(X)", "B=2"]
      ]
    )
    assert.deepStrictEqual(adapter?.command, ["run", "$$(A)"])
  })
  it("tells the names of exported results that the settings choose, and nothing otherwise", () => {
    const named = (artifactNames: { readonly artifactType?: string; readonly annotationPrefix?: string }) => {
      const adapter = podSpec(clusterUnit(), "B", clusterOptions({ artifactNames }), undefined).containers[0]
      const env = adapter !== undefined && "env" in adapter ? adapter.env : []
      return env.filter(({ name }) => name.startsWith("EVALD_OCI_")).map(({ name, value }) => `${name}=${value}`)
    }
    assert.deepStrictEqual(named({ artifactType: "application/vnd.own", annotationPrefix: "org.own" }), [
      "EVALD_OCI_ARTIFACT_TYPE=application/vnd.own",
      "EVALD_OCI_ANNOTATION_PREFIX=org.own"
    ])
    assert.deepStrictEqual(named({}), [])
  })
})

describe("case 31: queue and placement", () => {
  const placement = { nodeSelector: { disk: "fast" }, tolerations: [{ key: "gpu", operator: "Exists" }] }
  const resources = clusterUnit().benchmark.snapshot.resources
  for (const queue of [
    undefined,
    { kind: "queuesys", name: "q", source: "job_queue" as const },
    { kind: "kueue", name: "q", priorityClass: "high", source: "profile" as const }
  ])
    for (const node of [false, true])
      it(`queue ${queue === undefined ? "none" : queue.source}, ${node ? "Node placement" : "no placement"}`, () => {
        const unit = clusterUnit({
          snapshot: {
            resources: { ...resources, ...(node ? placement : {}) },
            ...(queue === undefined ? {} : { queue })
          }
        })
        const { job } = backingObjects(unit, clusterOptions(), undefined)
        const text = JSON.stringify(job)
        assert.notMatch(text, /priorityClassName|suspend|preemptionPolicy/)
        const template = (
          job["spec"] as { template: { metadata: { labels: Record<string, string> }; spec: Record<string, unknown> } }
        ).template
        for (const labels of [job.metadata.labels ?? {}, template.metadata.labels])
          assert.deepStrictEqual(
            [labels["kueue.x-k8s.io/queue-name"], labels["kueue.x-k8s.io/priority-class"]],
            [queue?.name, queue !== undefined && "priorityClass" in queue ? queue.priorityClass : undefined]
          )
        assert.deepStrictEqual(
          [template.spec["nodeSelector"], template.spec["tolerations"]],
          node ? [placement.nodeSelector, placement.tolerations] : [undefined, undefined]
        )
      })
})

describe("job spec", () => {
  it("has a deadline only when both timers are on, and never retries", () => {
    const spec = (timeouts: { readonly benchmarkSeconds?: number; readonly pendingSeconds?: number }) =>
      backingObjects(clusterUnit(), clusterOptions({ timeouts }), undefined).job["spec"] as {
        activeDeadlineSeconds?: number
        backoffLimit: number
        template: { spec: { activeDeadlineSeconds?: number } }
      }
    assert.isUndefined(spec({ benchmarkSeconds: 60 }).activeDeadlineSeconds)
    const both = spec({ benchmarkSeconds: 60, pendingSeconds: 30 })
    assert.deepStrictEqual(
      [both.activeDeadlineSeconds, both.template.spec.activeDeadlineSeconds, both.backoffLimit],
      [1890, 1860, 0]
    )
  })
  it("the hash follows the content and nothing else", () => {
    const hash = (options = clusterOptions()) => backingObjects(clusterUnit(), options, undefined).hash
    assert.strictEqual(hash(), hash())
    assert.notStrictEqual(hash(), hash(clusterOptions({ image: "other" })))
  })
})
