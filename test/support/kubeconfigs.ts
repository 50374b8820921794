/** Kubeconfigs and log-in programs as files in a folder of a test. */
import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { make } from "../../infrastructure/kubernetes/client/client.ts"
import { findConnection } from "../../infrastructure/kubernetes/kubeconfig/kubeconfig.ts"

export interface KubeconfigParts {
  /** undefined: the file says nothing about it */
  readonly current?: string
  readonly context?: {
    readonly name: string
    readonly cluster: string
    readonly user?: string
    readonly namespace?: string
  }
  readonly cluster?: { readonly name: string; readonly [member: string]: unknown }
  readonly user?: { readonly name: string; readonly [member: string]: unknown }
}

/** path of the file */
export const writeKubeconfig = (
  folder: string,
  file: string,
  { current, context, cluster, user }: KubeconfigParts
): string => {
  const entry = (kind: string, part: { readonly name: string } | undefined) => {
    if (part === undefined) return []
    const { name, ...value } = part
    return [{ name, [kind]: value }]
  }
  const path = join(folder, file)
  const document = {
    apiVersion: "v1",
    kind: "Config",
    ...(current === undefined ? {} : { "current-context": current }),
    contexts: entry("context", context),
    clusters: entry("cluster", cluster),
    users: entry("user", user)
  }
  writeFileSync(path, JSON.stringify(document), { mode: 0o600 })
  return path
}

/** one context with one cluster and one user */
export const simpleKubeconfig = (folder: string, cluster: object, user: object): string =>
  writeKubeconfig(folder, "config", {
    current: "c",
    context: { name: "c", cluster: "k", user: "u", namespace: "team-a" },
    cluster: { name: "k", ...cluster },
    user: { name: "u", ...user }
  })

export interface TestLogIn {
  /** for `exec.command` */
  readonly command: string
  /** what it prints from now on */
  readonly answers: (text: string) => void
  /** what KUBERNETES_EXEC_INFO was at each run */
  readonly runs: () => ReadonlyArray<string>
}

export const execCredential = (status: object): string =>
  JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status })

/** a log-in program that notes its runs; it prints nothing and fails until it has an answer */
export const logInProgram = (folder: string): TestLogIn => {
  const [command, answer, runs] = [join(folder, "log-in"), join(folder, "answer"), join(folder, "runs")]
  const script = `#!/bin/sh\nprintf '%s\\n' "$KUBERNETES_EXEC_INFO" >> '${runs}'\ncat '${answer}' 2>/dev/null || { echo 'no session, log in first' >&2; exit 1; }\n`
  writeFileSync(command, script)
  chmodSync(command, 0o755)
  appendFileSync(runs, "")
  return {
    command,
    answers: (text) => writeFileSync(answer, text),
    runs: () => (existsSync(runs) ? readFileSync(runs, "utf8").split("\n").slice(0, -1) : [])
  }
}

/** a client by these files, outside of a pod; `path`: a folder of the test */
export const clientOf = (path: string, files: string) =>
  Effect.gen(function* () {
    const connection = yield* findConnection({
      environment: { KUBECONFIG: files },
      serviceAccountDir: join(path, "none")
    })
    if (connection === undefined) return yield* Effect.dieMessage("no cluster was found")
    return yield* make({ connection, qps: 1000, burst: 1000 })
  })
