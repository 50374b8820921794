/** The token that a context of the kubeconfig has: written there, in a file, or printed by its program. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { delimiter, dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import type { Environment } from "./environment.ts"
import { exits, Stop } from "./exit.ts"

interface Program {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: ReadonlyArray<string> | null
  readonly env?: ReadonlyArray<{ readonly name: string; readonly value: string }> | null
}

interface User {
  readonly token?: string
  readonly tokenFile?: string
  readonly exec?: Program
}

interface KubeConfig {
  readonly contexts?: ReadonlyArray<{ readonly name: string; readonly context?: { readonly user?: string } }> | null
  readonly users?: ReadonlyArray<{ readonly name: string; readonly user?: User }> | null
}

const filesOf = (environment: Environment): ReadonlyArray<string> => {
  const named = (environment["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "")
  return named.length > 0 ? named : [join(environment["HOME"] ?? environment["USERPROFILE"] ?? "", ".kube", "config")]
}

const wrong = (name: string, why: string): Stop =>
  new Stop(
    exits.configuration,
    `context '${name}' of the kubeconfig gives no token: ${why}`,
    `kubectl config view --minify --context ${name}`
  )

const printed = async (name: string, program: Program, folder: string, environment: Environment): Promise<string> => {
  const { apiVersion = "client.authentication.k8s.io/v1", command = "", args, env } = program
  const path = /[\\/]/.test(command) ? resolve(folder, command) : command
  const information = { apiVersion, kind: "ExecCredential", spec: { interactive: false } }
  try {
    const { stdout } = await promisify(execFile)(path, [...(args ?? [])], {
      timeout: 30_000,
      env: {
        ...environment,
        ...Object.fromEntries((env ?? []).map((one) => [one.name, one.value])),
        KUBERNETES_EXEC_INFO: JSON.stringify(information)
      }
    })
    const token: unknown = JSON.parse(stdout)?.status?.token
    if (typeof token === "string" && token !== "") return token
  } catch (error) {
    throw wrong(name, `'${command}' failed: ${error instanceof Error ? error.message.split("\n", 1)[0] : error}`)
  }
  throw wrong(name, `'${command}' printed a credential without a token`)
}

/** of the first file of KUBECONFIG that has the context; certificates of clients are none */
export const tokenOfKubeconfig = async (name: string, environment: Environment): Promise<string> => {
  const { fromYaml } = await import("./yaml.ts")
  const files = await Promise.all(
    filesOf(environment).map(async (file) => {
      try {
        return { file, config: ((await fromYaml(await readFile(file, "utf8"))) ?? {}) as KubeConfig }
      } catch (error) {
        throw wrong(name, `${file}: ${error instanceof Error ? error.message.split("\n", 1)[0] : error}`)
      }
    })
  )
  const user = files.flatMap(({ config }) => config.contexts ?? []).find((one) => one.name === name)?.context?.user
  if (user === undefined) throw wrong(name, `${files.map(({ file }) => file).join(", ")} has no such context`)
  for (const { file, config } of files) {
    const found = config.users?.find((one) => one.name === user)?.user
    if (found === undefined) continue
    if (found.token) return found.token
    if (found.tokenFile) return (await readFile(resolve(dirname(file), found.tokenFile), "utf8")).trim()
    if (found.exec) return printed(name, found.exec, dirname(file), environment)
  }
  throw wrong(name, `its user '${user}' has neither token, tokenFile nor exec; a server takes no client certificate`)
}
