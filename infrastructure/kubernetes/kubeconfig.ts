/**
 * Finds the cluster: the service-account files of a pod, else the file named by KUBECONFIG, else `~/.kube/config`. Only what a file
 * says plainly is supported (certificates, tokens, token files). Whatever else would change who asks or by which way (a log-in program,
 * impersonation, a proxy, several files) is refused with a reason: ignoring it would act as somebody else.
 */
import { existsSync, readFileSync } from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import { Data, Effect, Redacted } from "effect"
import { parse } from "yaml"
import { isJsonObject, type JsonObject } from "../../domain/json-object.ts"
import { fixedToken, type KubeConnection, tokenFile } from "./connection.ts"

/** cluster access is described and can not be used as described; the message names the file and the member */
export class KubeConfigUnusable extends Data.TaggedError("KubeConfigUnusable")<{ readonly message: string }> {}

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
    tls: { ca: readFileSync(join(directory, "ca.crt"), "utf8") },
    token: tokenFile(join(directory, "token")),
    ...(existsSync(namespaceFile) ? { namespace: readFileSync(namespaceFile, "utf8").trim() } : {})
  }
}

const text = (object: JsonObject, name: string): string | undefined => {
  const value = object[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const unusable = (message: string): KubeConfigUnusable => new KubeConfigUnusable({ message })

/** the object below `member` of the list entry with this name */
const named = (config: JsonObject, list: string, member: string, name: string | undefined): JsonObject | undefined => {
  const entries = config[list]
  const entry: unknown = Array.isArray(entries) ? entries.find((item: unknown) => isJsonObject(item) && item["name"] === name) : undefined
  const found = isJsonObject(entry) ? entry[member] : undefined
  return isJsonObject(found) ? found : undefined
}

/** `<name>-data` in base64, else the file that `<name>` names, relative to the kubeconfig */
const material = (object: JsonObject, name: string, directory: string): string | undefined => {
  const data = text(object, `${name}-data`)
  if (data !== undefined) return Buffer.from(data, "base64").toString("utf8")
  const path = text(object, name)
  return path === undefined ? undefined : readFileSync(resolve(directory, path), "utf8")
}

const tokenOf = (user: JsonObject, directory: string): KubeConnection["token"] => {
  const path = text(user, "tokenFile")
  if (path !== undefined) return tokenFile(resolve(directory, path))
  const token = text(user, "token")
  return fixedToken(token === undefined ? undefined : Redacted.make(token))
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)

/** what kubectl would follow and this client does not yet */
const refuseUnsupported = (file: string, what: string, object: JsonObject, members: ReadonlyArray<readonly [member: string, instead: string]>) => {
  for (const [member, instead] of members) if (!isEmpty(object[member])) throw unusable(`${file}: '${member}' of ${what} is not supported yet; ${instead}`)
}

const impersonation = "remove it, and use credentials of the identity itself"
const userMembers = (["as", "as-uid", "as-groups", "as-user-extra"] as const).map((member) => [member, impersonation] as const)
const clusterMembers = [["proxy-url", "remove it, and use an address that is reached directly"]] as const

const fromFile = (file: string): KubeConnection => {
  const config: unknown = parse(readFileSync(file, "utf8"))
  if (!isJsonObject(config)) throw unusable(`${file} is no kubeconfig`)
  const contextName = text(config, "current-context")
  const context = named(config, "contexts", "context", contextName)
  if (context === undefined) throw unusable(`${file}: current-context ${contextName === undefined ? "is missing" : `'${contextName}' is not defined`}`)
  const cluster = named(config, "clusters", "cluster", text(context, "cluster"))
  const server = cluster === undefined ? undefined : text(cluster, "server")
  if (cluster === undefined || server === undefined) throw unusable(`${file}: the cluster of context '${contextName}' has no server`)
  if (!/^https?:\/\//.test(server)) throw unusable(`${file}: server '${server}' is no http address`)
  const userName = text(context, "user")
  const user = named(config, "users", "user", userName) ?? {}
  refuseUnsupported(file, `user '${userName ?? ""}'`, user, userMembers)
  refuseUnsupported(file, `cluster '${text(context, "cluster") ?? ""}'`, cluster, clusterMembers)
  for (const member of ["exec", "auth-provider", "username"])
    if (user[member] !== undefined) throw unusable(`${file}: '${member}' of the user is not supported; use a client certificate, token or tokenFile`)
  const directory = dirname(file)
  const [ca, cert, key] = [
    material(cluster, "certificate-authority", directory),
    material(user, "client-certificate", directory),
    material(user, "client-key", directory)
  ]
  const serverName = text(cluster, "tls-server-name")
  const namespace = text(context, "namespace")
  return {
    server: server.replace(/\/+$/, ""),
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(serverName === undefined ? {} : { serverName }),
      ...(cluster["insecure-skip-tls-verify"] === true ? { skipVerify: true } : {})
    },
    token: tokenOf(user, directory),
    ...(namespace === undefined ? {} : { namespace })
  }
}

/** KUBECONFIG is a list of files to kubectl, in which empty parts do not count; undefined when it names none */
const namedFile = (value: string): string | undefined => {
  const files = value.split(delimiter).filter((file) => file !== "")
  if (files.length > 1) throw unusable(`KUBECONFIG names ${files.length} files (${files.join(", ")}), and merging them is not supported yet; name one file`)
  return files[0]
}

/** undefined: this process has no access to a cluster */
export const findConnection = (source: KubeConfigSource): Effect.Effect<KubeConnection | undefined, KubeConfigUnusable> =>
  Effect.try({
    try: () => {
      const { environment } = source
      const directory = source.serviceAccountDir ?? serviceAccountDir
      const host = environment["KUBERNETES_SERVICE_HOST"] ?? ""
      if (host !== "" && existsSync(join(directory, "token"))) return inPod(host, environment["KUBERNETES_SERVICE_PORT"] ?? "443", directory)
      const given = namedFile(environment["KUBECONFIG"] ?? "")
      if (given !== undefined) return fromFile(given)
      const home = environment["HOME"] ?? ""
      const standard = join(home, ".kube", "config")
      return home !== "" && existsSync(standard) ? fromFile(standard) : undefined
    },
    catch: (error) =>
      error instanceof KubeConfigUnusable
        ? error
        : unusable(`cluster access can not be read: ${error instanceof Error ? error.message.split("\n", 1)[0] : "unknown reason"}`)
  })
