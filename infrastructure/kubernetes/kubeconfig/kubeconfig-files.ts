/**
 * What the files of KUBECONFIG say together, by kubectl's rule: of several files the first that names a context, a cluster, a user or the
 * current context decides it, files that do not exist do not count, and paths are relative to the file that has them.
 */
import { existsSync, readFileSync } from "node:fs"
import { delimiter, dirname, join, resolve, sep } from "node:path"
import { Data } from "effect"
import { parse } from "yaml"
import { defined } from "../../../values/defined.ts"
import { isObject, type JsonObject } from "../../../values/json.ts"

/** cluster access is described and can not be used as described; the message names the file and the member */
export class KubeConfigUnusable extends Data.TaggedError("KubeConfigUnusable")<{ readonly message: string }> {}

export const unusable = (message: string): KubeConfigUnusable => new KubeConfigUnusable({ message })

/** KUBECONFIG is a list in which empty parts do not count; without it the file of the user, if there is one */
export const kubeconfigFiles = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => {
  const named = (environment["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "")
  const home = environment["HOME"] ?? environment["USERPROFILE"] ?? ""
  const standard = join(home, ".kube", "config")
  return named.length > 0 || home === "" || !existsSync(standard) ? named : [standard]
}

/** one entry of a list, and the file that it is in */
export interface Entry {
  readonly file: string
  readonly name: string
  /** paths in it are absolute */
  readonly value: JsonObject
}

/** a context with what it names */
export interface ChosenContext {
  readonly context: Entry
  readonly cluster: Entry
  /** undefined: the context names none */
  readonly user: Entry | undefined
  /** without a slash at its end */
  readonly server: string
  readonly namespace?: string
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)

/** a member that is text and not empty */
export const textOf = (object: JsonObject, name: string): string | undefined => {
  const value = object[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const pathMembers = ["certificate-authority", "client-certificate", "client-key", "tokenFile"]

const withAbsolutePaths = (value: JsonObject, directory: string): JsonObject => {
  const paths = pathMembers.flatMap((member) => {
    const path = textOf(value, member)
    return path === undefined ? [] : [[member, resolve(directory, path)] as const]
  })
  const exec = isObject(value["exec"]) ? value["exec"] : {}
  const command = textOf(exec, "command")
  // a bare name is looked up in PATH
  const program = command?.includes(sep) === true ? { exec: { ...exec, command: resolve(directory, command) } } : {}
  return { ...value, ...Object.fromEntries(paths), ...program }
}

const entriesOf = (file: string, config: JsonObject, list: string, member: string): ReadonlyArray<Entry> => {
  const items = config[list]
  return (Array.isArray(items) ? items : []).flatMap((item: unknown) => {
    const name = isObject(item) ? textOf(item, "name") : undefined
    if (!isObject(item) || name === undefined) return []
    const value = item[member]
    return [{ file, name, value: withAbsolutePaths(isObject(value) ? value : {}, dirname(file)) }]
  })
}

const read = (file: string, alone: boolean): JsonObject => {
  const text = readFileSync(file, "utf8")
  const config: unknown = parse(text)
  // an empty file of a list is one that nothing was written to yet
  if (!alone && isEmpty(config)) return {}
  if (!isObject(config)) throw unusable(`${file} is no kubeconfig`)
  return config
}

/** the files of the list that count */
const existing = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [only] = files
  if (files.length === 1 && only !== undefined) return [only]
  const found = files.filter((file) => existsSync(file))
  if (found.length === 0)
    throw unusable(`KUBECONFIG names ${files.length} files (${files.join(", ")}), and none of them exists`)
  return found
}

/** `contextName`: instead of the current context */
export const chooseContext = (files: ReadonlyArray<string>, contextName?: string): ChosenContext => {
  const configs = existing(files).map((file) => ({ file, config: read(file, files.length === 1) }))
  const all = files.join(", ")
  const find = (list: string, member: string, name: string | undefined): Entry | undefined =>
    configs.flatMap(({ file, config }) => entriesOf(file, config, list, member)).find((entry) => entry.name === name)
  const wanted =
    contextName ?? configs.map(({ config }) => textOf(config, "current-context")).find((name) => name !== undefined)
  const context = find("contexts", "context", wanted)
  if (context === undefined)
    throw unusable(
      `${all}: ${contextName === undefined ? "current-context" : "context"} ${wanted === undefined ? "is missing" : `'${wanted}' is not defined`}`
    )
  const cluster = find("clusters", "cluster", textOf(context.value, "cluster"))
  const server = cluster === undefined ? undefined : textOf(cluster.value, "server")
  if (cluster === undefined || server === undefined)
    throw unusable(`${context.file}: the cluster of context '${context.name}' has no server`)
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw unusable(`${cluster.file}: server '${server}' is no http address`)
  const userName = textOf(context.value, "user")
  const user = find("users", "user", userName)
  // without its user the request would be made as nobody
  if (userName !== undefined && user === undefined)
    throw unusable(`${context.file}: user '${userName}' of context '${context.name}' is not defined`)
  const namespace = textOf(context.value, "namespace")
  return {
    context,
    cluster,
    user,
    server: server.replace(/\/+$/, ""),
    ...defined({ namespace })
  }
}
