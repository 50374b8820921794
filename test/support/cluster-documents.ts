/** Documents of Jobs and pods as a cluster writes them, for the tests of what reads them. */
import type { KubeObject } from "../../infrastructure/kubernetes/client/resources.ts"
import { type PodStatus, podStatus } from "./fake-kubernetes/job-controller.ts"

export const domain = "evald.example.com"
export const queueDomain = "kueue.x-k8s.io"

const labels = {
  "app.kubernetes.io/managed-by": "evald",
  [`${domain}/benchmark-index`]: "0",
  [`${domain}/attempt`]: "1"
}
const annotations = { [`${domain}/job-id`]: "job-1", [`${domain}/tenant`]: "team-a" }

export interface JobShape {
  readonly failed?: string
  readonly complete?: boolean
  readonly suspended?: boolean
  readonly queue?: string
  readonly createdAt?: string
}

export const jobDocument = ({
  failed,
  complete,
  suspended = false,
  queue,
  createdAt = "2026-01-01T00:00:00Z"
}: JobShape = {}): KubeObject => ({
  metadata: {
    name: "evald-job-1-0-1",
    namespace: "team-a",
    uid: "uid-job",
    resourceVersion: "7",
    creationTimestamp: createdAt,
    labels: { ...labels, ...(queue === undefined ? {} : { [`${queueDomain}/queue-name`]: queue }) },
    annotations
  },
  spec: { suspend: suspended },
  status: {
    conditions: [
      ...(failed === undefined
        ? []
        : [{ type: "Failed", status: "True", reason: failed, message: `Job failed: ${failed}` }]),
      ...(complete === true ? [{ type: "Complete", status: "True" }] : [])
    ]
  }
})

export const podDocument = (
  status: PodStatus,
  more: { readonly deleting?: boolean; readonly node?: string } = {}
): KubeObject => ({
  metadata: {
    name: "evald-job-1-0-1-x7k2p",
    namespace: "team-a",
    uid: "uid-pod",
    resourceVersion: "8",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...(more.deleting === true ? { deletionTimestamp: "2026-01-01T00:01:00Z" } : {}),
    labels,
    annotations
  },
  spec: {
    ...(more.node === undefined ? {} : { nodeName: more.node }),
    initContainers: [
      { name: "init", image: "evald:1" },
      { name: "sidecar", image: "evald:1" }
    ],
    containers: [{ name: "adapter", image: "registry.example/adapter:2" }]
  },
  status: podStatus(status)
})
