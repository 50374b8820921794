/**
 * Which server, which tenant and which credential: flags, then variables, then the context. A credential of a context is sent to that context's
 * server only.
 */
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { posix, win32 } from "node:path"
import type { Parsed } from "../flags.ts"
import { textOf } from "./documents.ts"
import type { Environment } from "./environment.ts"
import { exits, Stop } from "./exit.ts"

export interface Context {
  readonly server: string
  readonly tenant?: string
  /** file of certificates (PEM) */
  readonly ca?: string
  readonly token_file?: string
  readonly token_env?: string
  /** program and arguments that print a token */
  readonly token_exec?: ReadonlyArray<string>
  /** context of the kubeconfig whose credential is taken */
  readonly token_kubeconfig?: string
}

export interface Contexts {
  readonly current?: string
  readonly contexts: { readonly [name: string]: Context }
}

export const configFile = (environment: Environment, platform: NodeJS.Platform): string => {
  if (platform === "win32")
    return win32.join(
      environment["APPDATA"] ?? win32.join(environment["USERPROFILE"] ?? "", "AppData", "Roaming"),
      "evald",
      "config.yaml"
    )
  return posix.join(
    environment["XDG_CONFIG_HOME"] || posix.join(environment["HOME"] ?? "", ".config"),
    "evald",
    "config.yaml"
  )
}

const isText = (value: unknown): boolean => value === undefined || typeof value === "string"

const isContext = (value: unknown): value is Context => {
  if (typeof value !== "object" || value === null) return false
  const { server, tenant, ca, token_file, token_env, token_exec, token_kubeconfig } = value as {
    readonly [member: string]: unknown
  }
  return (
    typeof server === "string" &&
    [tenant, ca, token_file, token_env, token_kubeconfig].every(isText) &&
    (token_exec === undefined || (Array.isArray(token_exec) && token_exec.every((one) => typeof one === "string")))
  )
}

const unusable = (file: string, why: string): Stop =>
  new Stop(
    exits.configuration,
    `${file} is not usable: ${why}; mend it or remove it, and what names a server itself reads past it`,
    "evald whoami --server URL"
  )

const readContexts = async (file: string, text: string): Promise<Contexts> => {
  const { fromYaml } = await import("./yaml.ts")
  let value: unknown
  try {
    value = fromYaml(text)
  } catch (error) {
    throw unusable(file, error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error))
  }
  const { current, contexts = {} } = (value ?? {}) as { readonly current?: unknown; readonly contexts?: unknown }
  if (typeof value !== "object" || typeof contexts !== "object" || contexts === null || !isText(current))
    throw unusable(file, "it must have 'contexts' and may have 'current'")
  for (const [name, context] of Object.entries(contexts))
    if (!isContext(context)) throw unusable(file, `context '${name}' needs a 'server', and texts in its members`)
  return value as Contexts
}

/** none when there is no file */
export const loadContexts = async (file: string): Promise<Contexts> => {
  try {
    return await readContexts(file, await readFile(file, "utf8"))
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { contexts: {} }
    throw error instanceof Stop ? error : unusable(file, error instanceof Error ? error.message : String(error))
  }
}

/** readable by its owner only; whole or not at all */
export const saveContexts = async (file: string, contexts: Contexts): Promise<void> => {
  const { toYaml } = await import("./yaml.ts")
  await mkdir(file.replace(/[\\/][^\\/]*$/, ""), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}`
  await writeFile(beside, toYaml(contexts), { mode: 0o600 })
  await chmod(beside, 0o600)
  await rename(beside, file)
}

export interface Target {
  /** without a slash at its end */
  readonly server: string
  readonly tenant: string | undefined
  readonly token: string | undefined
  /** file of certificates (PEM) of who may vouch for the server */
  readonly ca: string | undefined
  /** where each comes from, for `whoami` */
  readonly from: { readonly server: string; readonly token: string }
}

/** the token of a context of the kubeconfig; fails with a sentence without secrets */
export type KubeconfigToken = (context: string, environment: Environment) => Promise<string>

/** what tokens come from beside flags and stored contexts */
export interface Sources {
  readonly environment: Environment
  readonly kubeconfigToken: KubeconfigToken
}

const loginAgain = "evald login --server URL --token-file FILE"

const readToken = async (file: string): Promise<string> => {
  try {
    return (await readFile(file, "utf8")).trim()
  } catch (error) {
    throw new Stop(
      exits.configuration,
      `the token file can not be read: ${error instanceof Error ? error.message : error}`,
      loginAgain
    )
  }
}

const ofKubeconfig = async (name: string, { environment, kubeconfigToken }: Sources): Promise<string> => {
  try {
    return await kubeconfigToken(name, environment)
  } catch (error) {
    throw new Stop(
      exits.configuration,
      `context '${name}' of the kubeconfig gives no token: ${error instanceof Error ? error.message.split("\n", 1)[0] : error}`,
      `kubectl config view --minify --context ${name}`
    )
  }
}

const tokenOfContext = async (context: Context, sources: Sources): Promise<string | undefined> => {
  if (context.token_file !== undefined) return readToken(context.token_file)
  if (context.token_env !== undefined) {
    const token = sources.environment[context.token_env]
    if (token) return token
    throw new Stop(exits.configuration, `the variable '${context.token_env}' of the context has no token`, loginAgain)
  }
  if (context.token_kubeconfig !== undefined) return ofKubeconfig(context.token_kubeconfig, sources)
  const [program, ...args] = context.token_exec ?? []
  if (program === undefined) return undefined
  const [{ execFile }, { promisify }] = await Promise.all([import("node:child_process"), import("node:util")])
  try {
    return (await promisify(execFile)(program, args, { timeout: 30_000 })).stdout.trim()
  } catch (error) {
    throw new Stop(
      exits.configuration,
      `the program '${program}' of the context gave no token: ${error instanceof Error ? error.message : error}`,
      loginAgain
    )
  }
}

/** why a text is no address of a server; undefined: it is one */
export const wrongAddress = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol))
    return url.username === "" && url.search === ""
      ? undefined
      : `'${url.host}': the address of a server has neither a user nor a query`
  const meant = /^[\w.-]+(:\d+)?$/.test(text) ? `; did you mean https://${text} or http://${text}?` : ""
  return `'${text}' is no address of a server, such as https://evald.example.com${meant}`
}

const checkedServer = (text: string): string => {
  const wrong = wrongAddress(text)
  if (wrong !== undefined) throw new Stop(exits.configuration, wrong, "evald context list")
  return text.replace(/\/+$/, "")
}

interface Named {
  readonly name: string | undefined
  readonly context: Context
}

/** the token and where it comes from. What is to be stored is tried alone; otherwise flags, then variables, then the context that the server is of */
const credentialOf = async (
  { values, switches }: Pick<Parsed, "values" | "switches">,
  sources: Sources,
  candidate: Named | undefined,
  fallback: Named | undefined
): Promise<readonly [token: string | undefined, from: string]> => {
  const tried = candidate && (await tokenOfContext(candidate.context, sources))
  if (tried !== undefined) return [tried, "given"]
  if (switches.has("token-stdin")) return [(await textOf("-")).trim(), "standard input"]
  const [file] = values.get("token-file") ?? []
  if (file !== undefined) return [await readToken(file), "--token-file"]
  const variable = sources.environment["EVALD_TOKEN"] || sources.environment["EVALHUB_TOKEN"]
  if (variable) return [variable, "the environment"]
  return fallback === undefined
    ? [undefined, "none"]
    : [await tokenOfContext(fallback.context, sources), `context ${fallback.name}`]
}

/** `candidate`: a context that is not stored yet, instead of those of the file */
export const targetOf = async (
  { values, switches }: Parsed,
  sources: Sources,
  file: string,
  candidate?: { readonly name: string; readonly context: Context }
): Promise<Target> => {
  const { environment } = sources
  const flag = (name: string) => values.get(name)?.[0]
  const variable = (ours: string, theirs: string) => environment[ours] || environment[theirs] || undefined
  const given = flag("server") ?? variable("EVALD_SERVER", "EVALHUB_BASE_URL")
  const named = candidate?.name ?? flag("context")
  const known =
    candidate !== undefined
      ? { contexts: { [candidate.name]: candidate.context }, current: candidate.name }
      : given !== undefined && named === undefined
        ? undefined
        : await loadContexts(file)
  const name = named ?? known?.current
  const context = name === undefined ? undefined : known?.contexts[name]
  if (name !== undefined && context === undefined)
    throw new Stop(exits.configuration, `there is no context '${name}' in ${file}`, "evald context list")
  const server = checkedServer(
    flag("server") ?? (named === undefined ? given : undefined) ?? context?.server ?? given ?? "http://127.0.0.1:8080"
  )
  const tenant = flag("tenant") ?? variable("EVALD_TENANT", "EVALHUB_TENANT") ?? context?.tenant
  const isOfContext = context !== undefined && server === checkedServer(context.server)
  const fallback = isOfContext ? { name, context } : undefined
  const [token, from] = await credentialOf({ values, switches }, sources, candidate, fallback)
  // it becomes a header
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new Stop(
      exits.configuration,
      `the token (from ${from}) is empty or has characters that no token has`,
      loginAgain
    )
  return {
    server,
    tenant,
    token,
    ca: flag("ca") ?? (environment["EVALD_CA"] || undefined) ?? (isOfContext ? context.ca : undefined),
    from: {
      server: context !== undefined && isOfContext ? `context ${name}` : given === undefined ? "default" : "given",
      token: token === undefined ? "none" : from
    }
  }
}
