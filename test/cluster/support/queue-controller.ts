/**
 * A queue system as evald sees one: it suspends Jobs that name a queue when they are created, tells in a Workload why they wait, admits them by resuming them,
 * and takes their room back by suspending them again. A test says when.
 */
import { createServer } from "node:https"
import { Effect } from "effect"
import type { KubeClient } from "../../../infrastructure/kubernetes/client/client.ts"
import { jobs, type KubeObject, type Resource } from "../../../infrastructure/kubernetes/client/resources.ts"
import { makeAuthority } from "../../support/certificate.ts"
import { at as member } from "../../support/http-app.ts"
import { bodyOf, listening } from "../../support/loopback-server.ts"
import { eventually } from "./eventually.ts"

const lane = "launch" as const
const group = "kueue.x-k8s.io"
const definitions: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition"
}
const workloads: Resource = { group, version: "v1beta1", plural: "workloads", kind: "Workload" }
const kindName = `${workloads.plural}.${group}`

const webhooks: Resource = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural: "mutatingwebhookconfigurations",
  kind: "MutatingWebhookConfiguration"
}
const webhookName = "queue.example.com"

/** asked by the API server about every new Job of a queue; suspends it */
const suspending = Effect.acquireRelease(
  Effect.promise(async () => {
    const { authority, server } = makeAuthority("queue system of a test")
    const patch = Buffer.from(JSON.stringify([{ op: "add", path: "/spec/suspend", value: true }])).toString("base64")
    const running = await listening(
      createServer({ cert: server.certificate, key: server.key }, async (request, response) => {
        const review: unknown = JSON.parse((await bodyOf(request)).toString("utf8"))
        const answer = { uid: member(review, "request.uid"), allowed: true, patchType: "JSONPatch", patch }
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }))
      }),
      "https"
    )
    return { ...running, authority }
  }),
  ({ close }) => Effect.promise(close)
)

/** the kind, and the hook that suspends; both go with the scope */
export const installQueueSystem = (admin: KubeClient["Type"]) =>
  Effect.gen(function* () {
    const hook = yield* suspending
    const installed = (resource: Resource, object: { readonly metadata: { readonly name: string } }) =>
      Effect.acquireRelease(admin.create({ resource, lane }, object), () =>
        Effect.ignore(admin.remove({ resource, name: object.metadata.name, lane }, { propagation: "Background" }))
      )
    const version = {
      name: workloads.version,
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
    }
    yield* installed(definitions, {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      metadata: { name: kindName },
      ...{
        spec: {
          group,
          scope: "Namespaced",
          names: { plural: "workloads", singular: "workload", kind: "Workload" },
          versions: [version]
        }
      }
    })
    const rule = { apiGroups: ["batch"], apiVersions: ["v1"], resources: ["jobs"], operations: ["CREATE"] }
    const webhook = {
      name: webhookName,
      clientConfig: { url: hook.url, caBundle: Buffer.from(hook.authority).toString("base64") },
      rules: [rule],
      objectSelector: { matchExpressions: [{ key: `${group}/queue-name`, operator: "Exists" }] },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: "Fail"
    }
    yield* installed(webhooks, {
      ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration" },
      metadata: { name: webhookName },
      ...{ webhooks: [webhook] }
    })
    yield* eventually(
      "the kind is served",
      Effect.either(admin.list({ resource: workloads, lane })),
      ({ _tag }) => _tag === "Right"
    )
  })

interface Condition {
  readonly type: "QuotaReserved" | "Admitted" | "Evicted"
  readonly status: "True" | "False"
  readonly reason: string
  readonly message: string
}

export const queueController = (admin: KubeClient["Type"]) => {
  const at = (resource: Resource, { metadata }: KubeObject) => ({
    resource,
    name: metadata.name,
    lane,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace })
  })
  const suspend = (job: KubeObject, value: boolean) => admin.mergePatch(at(jobs, job), { spec: { suspend: value } })
  const tell = (job: KubeObject, conditions: ReadonlyArray<Condition>) =>
    admin.mergePatch(at(workloads, job), { status: { conditions } })
  return {
    /** takes a suspended Job in */
    take: (job: KubeObject) =>
      Effect.gen(function* () {
        const { name, namespace, uid } = job.metadata
        const metadata = { name, labels: { [`${group}/job-uid`]: uid } }
        yield* admin.create(
          { resource: workloads, lane, ...(namespace === undefined ? {} : { namespace }) },
          { apiVersion: `${group}/${workloads.version}`, kind: "Workload", metadata }
        )
      }),
    /** says why it waits */
    refuse: (job: KubeObject, reason: string, message: string) =>
      tell(job, [{ type: "QuotaReserved", status: "False", reason, message }]),
    admit: (job: KubeObject) =>
      Effect.zipRight(
        tell(job, [{ type: "Admitted", status: "True", reason: "Admitted", message: "admitted" }]),
        suspend(job, false)
      ),
    /** takes its room back */
    evict: (job: KubeObject, message: string) =>
      Effect.zipRight(
        tell(job, [
          { type: "Evicted", status: "True", reason: "Preempted", message },
          { type: "QuotaReserved", status: "False", reason: "Pending", message }
        ]),
        suspend(job, true)
      )
  }
}
