/** The settings `oci.artifact_type` and `oci.annotation_prefix`, from the configuration file to the manifest in a registry. */
import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeRegistry, fakeRegistry } from "../support/fake-registry.ts"
import { type ServiceHost, serviceHost } from "../support/service-host.ts"

let host: ServiceHost
let scope: Scope.CloseableScope
let registry: FakeRegistry

beforeAll(async () => {
  host = await serviceHost({
    shipped: true,
    config: { oci: { artifact_type: "application/vnd.own.results", annotation_prefix: "org.own" } }
  })
  scope = Effect.runSync(Scope.make())
  registry = await Effect.runPromise(Scope.extend(fakeRegistry({ repository: "team/results" }), scope))
})
afterAll(async () => {
  await host.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

describe("an exported result", () => {
  it("carries the artifact type and the annotation prefix of the settings", async () => {
    const coordinates = { oci_host: registry.host, oci_repository: "team/results", oci_tag: "v1" }
    const job = await host.evaluate(
      await host.demoModel(),
      [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 3 } }],
      {
        exports: { oci: { coordinates } }
      }
    )
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    const manifest = JSON.parse(registry.manifests.get("v1")?.body.toString() ?? "{}")
    assert.strictEqual(manifest.artifactType, "application/vnd.own.results")
    assert.deepInclude(manifest.annotations, {
      "org.own.job_id": job.resource.id,
      "org.own.provider_id": "evald",
      "org.own.benchmark_id": "arith_basic"
    })
  })
})
