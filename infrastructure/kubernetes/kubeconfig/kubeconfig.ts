/**
 * Finds the cluster: the service-account files of a pod, else the files named by KUBECONFIG, else `~/.kube/config`. A pod needs nothing
 * but its mount; for a kubeconfig the library of the field is loaded, then and only then. Reference: cluster-objects.md, "Finding the cluster".
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { fixedAccess, type KubeConnection, tokenFile, withToken } from "../client/connection.ts"
import { KubeConfigUnusable, kubeconfigFiles } from "./kubeconfig-files.ts"

export interface KubeConfigSource {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** default `/var/run/secrets/kubernetes.io/serviceaccount` */
  readonly serviceAccountDir?: string
}

const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

const inPod = (host: string, port: string, directory: string): KubeConnection => {
  const namespaceFile = join(directory, "namespace")
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    access: withToken(
      fixedAccess({ ca: readFileSync(join(directory, "ca.crt"), "utf8") }),
      tokenFile(join(directory, "token"))
    ),
    ...(existsSync(namespaceFile) ? { namespace: readFileSync(namespaceFile, "utf8").trim() } : {})
  }
}

const unusable = (error: unknown): KubeConfigUnusable =>
  error instanceof KubeConfigUnusable
    ? error
    : new KubeConfigUnusable({
        message: `cluster access can not be read: ${error instanceof Error ? error.message.split("\n", 1)[0] : "unknown reason"}`
      })

/** undefined: this process has no access to a cluster */
export const findConnection = (
  source: KubeConfigSource
): Effect.Effect<KubeConnection | undefined, KubeConfigUnusable> => {
  const { environment } = source
  const directory = source.serviceAccountDir ?? serviceAccountDir
  const host = environment["KUBERNETES_SERVICE_HOST"] ?? ""
  return Effect.tryPromise({
    try: async () => {
      if (host !== "" && existsSync(join(directory, "token")))
        return inPod(host, environment["KUBERNETES_SERVICE_PORT"] ?? "443", directory)
      const files = kubeconfigFiles(environment)
      if (files.length === 0) return undefined
      const { connect } = await import("./kubeconfig-access.ts")
      return await connect(files)
    },
    catch: unusable
  })
}
