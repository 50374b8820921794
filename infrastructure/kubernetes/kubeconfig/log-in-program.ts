/** The log-in program (`exec`) of a kubeconfig's user: run by the library, with the time limit and the environment that it leaves out. */
import { type SpawnOptions, spawn } from "node:child_process"
import type { KubeConfig } from "@kubernetes/client-node"
import { ExecAuth } from "@kubernetes/client-node/dist/exec_auth.js"
import { isObject, type JsonObject } from "../../../values/json.ts"
import { cleanMessage } from "../client/kube-error.ts"
import {
  type ChosenContext,
  type Entry,
  isEmpty,
  type KubeConfigUnusable,
  textOf,
  unusable
} from "./kubeconfig-files.ts"

export interface LogInProgram {
  /** the member `exec` as the library takes it */
  readonly exec: JsonObject
  /** call before the configuration is used */
  readonly attach: (config: KubeConfig) => void
  /** when what the program answered last ends, in milliseconds since the epoch; without an end it holds until it is refused */
  readonly expires: () => number
  /** a failed run in one sentence, never with what the program answered; undefined when something else failed */
  readonly problem: (error: unknown) => KubeConfigUnusable | undefined
}

const limitMillis = 60_000
const clusterExtension = "client.authentication.k8s.io/exec"

const extensionOf = (cluster: JsonObject): unknown => {
  const extensions = cluster["extensions"]
  const found: unknown = Array.isArray(extensions)
    ? extensions.find((one: unknown) => isObject(one) && one["name"] === clusterExtension)
    : undefined
  return isObject(found) ? found["extension"] : undefined
}

/** what a program is told on the variable KUBERNETES_EXEC_INFO */
const execInfo = (exec: JsonObject, { cluster: { value }, server }: ChosenContext): string => {
  const members = ["certificate-authority-data", "insecure-skip-tls-verify", "proxy-url", "tls-server-name"]
  const cluster = {
    server,
    ...Object.fromEntries(members.map((member) => [member, value[member]])),
    config: extensionOf(value)
  }
  return JSON.stringify({
    kind: "ExecCredential",
    apiVersion: textOf(exec, "apiVersion") ?? "client.authentication.k8s.io/v1",
    spec: { interactive: false, ...(exec["provideClusterInfo"] === true ? { cluster } : {}) }
  })
}

/** nobody sits in front of a server: nothing to read from, and an end to waiting */
const limited = (command: string, args: ReadonlyArray<string> | undefined, options: SpawnOptions) =>
  spawn(command, args ?? [], {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMillis,
    killSignal: "SIGKILL"
  })

const reasonOf = (error: unknown, hint: string | undefined): string => {
  if (!(error instanceof Error)) return "unknown reason"
  // messages of these two quote the answer, which is a secret
  if (error instanceof SyntaxError || error instanceof TypeError) return "its answer is no ExecCredential with a status"
  if ("code" in error && error.code === "ENOENT") return `it is not installed${hint === undefined ? "" : `; ${hint}`}`
  return error.message === ""
    ? `it ended with an error and without a word, or took longer than ${limitMillis / 1000} s`
    : error.message
}

/** undefined: the user has none */
export const logInProgram = ({ file, name, value }: Entry, chosen: ChosenContext): LogInProgram | undefined => {
  const exec = value["exec"]
  if (exec === undefined || exec === null) return undefined
  const command = isObject(exec) ? textOf(exec, "command") : undefined
  if (!isObject(exec) || command === undefined) throw unusable(`${file}: 'exec' of user '${name}' names no command`)
  if (exec["interactiveMode"] === "Always")
    throw unusable(`${file}: 'exec' of user '${name}' always asks at a terminal, which a server does not have`)
  if (!isEmpty(value["auth-provider"]))
    throw unusable(`${file}: user '${name}' has 'exec' and 'auth-provider', and can have one of them`)
  const [args, env] = [exec["args"], exec["env"]].map((list) => (Array.isArray(list) ? list : []))
  let programs: ExecAuth | undefined
  return {
    exec: { command, args, env: [...(env ?? []), { name: "KUBERNETES_EXEC_INFO", value: execInfo(exec, chosen) }] },
    attach: (config) => {
      programs = config["authenticators"].find((one: unknown): one is ExecAuth => one instanceof ExecAuth)
      if (programs === undefined)
        throw new Error("the library runs log-in programs in another way than this version expects")
      programs["execFn"] = limited
    },
    expires: () => {
      const answers = Object.values(programs?.["tokenCache"] ?? {})
      const ends = answers.map((answer) => {
        const status = isObject(answer) ? answer["status"] : undefined
        return isObject(status) ? Date.parse(String(status["expirationTimestamp"])) : Number.NaN
      })
      return ends.find(Number.isFinite) ?? Number.POSITIVE_INFINITY
    },
    problem: (error) => {
      // of a file, such as the authority's certificate
      if (error instanceof Error && "syscall" in error && !String(error.syscall).startsWith("spawn")) return undefined
      const reason = cleanMessage(reasonOf(error, textOf(exec, "installHint"))).slice(0, 300)
      return unusable(`${file}: the log-in program '${command}' of user '${name}' failed: ${reason}`)
    }
  }
}
