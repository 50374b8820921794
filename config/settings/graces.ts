/** How long a cluster may show something before it counts. */
import { day, duration } from "./kinds.ts"

export const grace = {
  "grace.secret_seconds": duration(30, 0, 3600, "wait for a named secret that does not exist yet"),
  "grace.lost_seconds": duration(10, 0, 3600, "a Job or pod that is gone fails its benchmark after this time"),
  "grace.evicted_seconds": duration(10, 0, 3600, "an evicted pod fails its benchmark after this time"),
  "grace.dead_node_seconds": duration(60, 0, 3600, "the same for a pod whose node does not answer"),
  "grace.exit_seconds": duration(10, 1, 3600, "wait for a late terminal event after the adapter ended"),
  "grace.start_seconds": duration(10, 0, 3600, "a command that can not be started fails its benchmark after this time"),
  "grace.image_name_seconds": duration(
    10,
    0,
    3600,
    "an image name that can not be used fails the benchmark after this time"
  ),
  "grace.image_pull_seconds": duration(
    300,
    0,
    day,
    "an image that can not be pulled fails the benchmark after this time"
  ),
  "grace.container_config_seconds": duration(
    60,
    0,
    3600,
    "a container that can not be created fails the benchmark after this time"
  ),
  "grace.creating_seconds": duration(
    60,
    0,
    3600,
    "a container that is still being created is asked about after this time"
  ),
  "grace.mount_seconds": duration(
    120,
    0,
    3600,
    "a secret that can not be mounted fails the benchmark after this further time"
  ),
  "grace.sidecar_seconds": duration(60, 0, 3600, "a sidecar that does not start fails the benchmark after this time"),
  "grace.suspended_seconds": duration(
    30,
    0,
    3600,
    "a Job that its queue holds back is shown as waiting after this time"
  ),
  "grace.no_pod_seconds": duration(
    30,
    0,
    3600,
    "a Job without a pod is shown as waiting, or fails when the cluster refuses the pod, after this time"
  ),
  "grace.service_account_seconds": duration(
    120,
    0,
    3600,
    "a missing service account fails the benchmark after this time"
  ),
  "grace.unschedulable_seconds": duration(30, 0, 3600, "a pod without a node is shown as waiting after this time")
} as const
