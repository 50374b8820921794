/** Which kind of sidecar the cluster can run. Reference: cluster-objects.md, "Job and pod". */
import { Effect } from "effect"
import { isObject } from "../../values/json.ts"
import type { KubeClient } from "./client/client.ts"
import type { KubeError } from "./client/kube-error.ts"

/** native sidecars are on by default from this minor version of Kubernetes 1 */
const firstNative = 29

/** what `auto` comes to on this cluster; a version that can not be read counts as recent */
export const sidecarMode = (
  client: KubeClient["Type"],
  configured: "auto" | "native" | "plain"
): Effect.Effect<"native" | "plain", KubeError> =>
  configured !== "auto"
    ? Effect.succeed(configured)
    : Effect.map(client.send({ method: "GET", path: "/version" }, "review"), (version) => {
        const minor = isObject(version) ? Number.parseInt(String(version["minor"]), 10) : Number.NaN
        return minor < firstNative && isObject(version) && version["major"] === "1" ? "plain" : "native"
      })
