/** etcd, API server and controller manager as processes of this one, on free loopback ports, with keys and data that go away with them. */
import { type ChildProcess, spawn } from "node:child_process"
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { get } from "node:https"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeAuthority } from "../../support/certificate.ts"

/** where the API server is and how to get in; plain data, so that it travels to the test processes */
export interface ControlPlane {
  readonly server: string
  readonly ca: string
  /** address of the database below, for compacting it */
  readonly etcd: string
  readonly tokens: { readonly [user in StaticUser]: string }
  /** the certificate that the API server expects of a node */
  readonly node: { readonly certificate: string; readonly key: string }
}

/** users beside service accounts; `administrator` only sets up */
export const staticUsers = {
  administrator: ["system:masters"],
  "user-only": [],
  "group-member": ["evaluators"],
  // the name of a service account, carried by a user
  runner: [],
  // one node per test process that may run beside others
  "system:node:worker-1": ["system:nodes"],
  "system:node:worker-2": ["system:nodes"],
  "system:node:worker-3": ["system:nodes"],
  "system:kube-scheduler": []
} as const satisfies { readonly [user: string]: ReadonlyArray<string> }
export type StaticUser = keyof typeof staticUsers

/** of the API server in every cluster */
export const apiServerName = "kubernetes.default.svc"

const controllers = [
  "job-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
  "serviceaccount-token-controller",
  "root-ca-certificate-publisher-controller",
  "ttl-after-finished-controller",
  "pod-garbage-collector-controller",
  "clusterrole-aggregation-controller",
  "resourcequota-controller",
  "disruption-controller"
]

/** held open together, so that no two are equal */
const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer()
      return new Promise<typeof server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)))
    })
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))))
  return ports
}

const answerOf = (
  url: string,
  ca: string,
  token: string
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve) => {
    const request = get(
      url,
      { ca, agent: false, timeout: 5000, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part
        })
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
      }
    )
    request.on("timeout", () => request.destroy())
    request.on("error", () => resolve({ status: 0, text: "" }))
  })

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

interface Started {
  readonly name: string
  readonly child: ChildProcess
  readonly log: string
}

const hasEnded = ({ child }: Started): boolean => child.exitCode !== null || child.signalCode !== null

const stopOne = async (started: Started): Promise<void> => {
  if (hasEnded(started)) return
  const ended = new Promise((resolve) => started.child.once("exit", resolve))
  started.child.kill("SIGTERM")
  await Promise.race([ended, pause(500)])
  // the data is thrown away: nobody waits for a graceful end
  if (!hasEnded(started)) started.child.kill("SIGKILL")
  await ended
}

export interface RunningControlPlane {
  readonly controlPlane: ControlPlane
  readonly stop: () => Promise<void>
}

const writeKeys = (folder: string) => {
  const { authority, server } = makeAuthority("control plane of a test", [apiServerName])
  const nodes = makeAuthority("nodes of a test")
  const accounts = generateKeyPairSync("ec", { namedCurve: "P-256" })
  writeFileSync(join(folder, "nodes.crt"), nodes.authority)
  writeFileSync(join(folder, "ca.crt"), authority)
  writeFileSync(join(folder, "server.crt"), server.certificate)
  writeFileSync(join(folder, "server.key"), server.key, { mode: 0o600 })
  writeFileSync(join(folder, "accounts.pub"), accounts.publicKey.export({ type: "spki", format: "pem" }))
  writeFileSync(join(folder, "accounts.key"), accounts.privateKey.export({ type: "pkcs8", format: "pem" }), {
    mode: 0o600
  })
  return { ca: authority, node: nodes.server }
}

const writeTokens = (folder: string) => {
  const token = () => randomBytes(16).toString("hex")
  const tokens = Object.fromEntries(Object.keys(staticUsers).map((user) => [user, token()])) as {
    readonly [user in StaticUser]: string
  }
  const controllerManager = token()
  const lines = [
    ...Object.entries(staticUsers).map(
      ([user, groups]) =>
        `${tokens[user as StaticUser]},${user},uid-${user}${groups.length === 0 ? "" : `,"${groups.join(",")}"`}`
    ),
    `${controllerManager},system:kube-controller-manager,uid-controller-manager`
  ]
  writeFileSync(join(folder, "tokens.csv"), `${lines.join("\n")}\n`, { mode: 0o600 })
  return { tokens, controllerManager }
}

/** as JSON, which is YAML */
export const kubeconfig = (server: string, ca: string, token: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "local",
    clusters: [
      { name: "local", cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") } }
    ],
    users: [{ name: "local", user: { token } }],
    contexts: [{ name: "local", context: { cluster: "local", user: "local" } }]
  })

/** starts all three and waits until the first objects of the controllers are there */
export const startControlPlane = async (
  binaries: string,
  /** controllers beside the ones that every test needs */
  more: ReadonlyArray<string> = []
): Promise<RunningControlPlane> => {
  const folder = mkdtempSync(join(tmpdir(), "evald-control-plane-"))
  const running: Array<Started> = []
  const killAll = () => {
    for (const { child } of running) child.kill("SIGKILL")
  }
  process.once("exit", killAll)
  const stop = async () => {
    for (const started of running.toReversed()) await stopOne(started)
    process.off("exit", killAll)
    rmSync(folder, { recursive: true, force: true })
  }
  const start = (name: string, args: ReadonlyArray<string>) => {
    const log = join(folder, `${name}.log`)
    const output = openSync(log, "w")
    running.push({
      name,
      log,
      child: spawn(join(binaries, name), args, { cwd: folder, stdio: ["ignore", output, output] })
    })
    closeSync(output)
  }
  const until = async (what: string, look: () => Promise<boolean>) => {
    const deadline = performance.now() + 90_000
    while (!(await look())) {
      const dead = running.find(hasEnded)
      if (dead !== undefined || performance.now() > deadline) {
        const { name, log } = dead ?? running.at(-1) ?? { name: "nothing", log: "" }
        throw new Error(
          `${what}: ${name} ${dead === undefined ? "takes too long" : "ended"}; end of its log:\n${log === "" ? "" : readFileSync(log, "utf8").slice(-3000)}`
        )
      }
      await pause(50)
    }
  }
  try {
    const [etcdPort = 0, peerPort = 0, apiPort = 0] = await freePorts(3)
    mkdirSync(join(folder, "etcd"))
    const { ca, node } = writeKeys(folder)
    const { tokens, controllerManager } = writeTokens(folder)
    const server = `https://127.0.0.1:${apiPort}`
    const [etcd, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`]
    writeFileSync(join(folder, "controller-manager.kubeconfig"), kubeconfig(server, ca, controllerManager), {
      mode: 0o600
    })
    start("etcd", [
      "--name=test",
      "--data-dir=etcd",
      "--unsafe-no-fsync",
      "--log-level=warn",
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=test=${peer}`
    ])
    start("kube-apiserver", [
      `--etcd-servers=${etcd}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--secure-port=${apiPort}`,
      "--endpoint-reconciler-type=none",
      "--service-cluster-ip-range=10.0.0.0/24",
      "--cert-dir=.",
      "--tls-cert-file=server.crt",
      "--tls-private-key-file=server.key",
      "--token-auth-file=tokens.csv",
      "--authorization-mode=Node,RBAC",
      "--enable-admission-plugins=NodeRestriction",
      "--kubelet-certificate-authority=nodes.crt",
      "--kubelet-client-certificate=server.crt",
      "--kubelet-client-key=server.key",
      "--kubelet-preferred-address-types=InternalIP",
      "--service-account-issuer=https://kubernetes.default.svc",
      "--service-account-key-file=accounts.pub",
      "--service-account-signing-key-file=accounts.key",
      // a node made by hand would keep a taint that only the node controller removes
      "--disable-admission-plugins=TaintNodesByCondition",
      "--allow-privileged",
      "--enable-priority-and-fairness=false",
      "--profiling=false"
    ])
    await until("API server", async () => (await answerOf(`${server}/readyz`, ca, tokens.administrator)).text === "ok")
    start("kube-controller-manager", [
      "--kubeconfig=controller-manager.kubeconfig",
      `--controllers=${[...controllers, ...more].join(",")}`,
      "--leader-elect=false",
      "--use-service-account-credentials",
      "--service-account-private-key-file=accounts.key",
      "--root-ca-file=ca.crt",
      "--secure-port=0",
      "--profiling=false"
    ])
    const made = async (path: string) =>
      (await answerOf(`${server}/api/v1/namespaces/default/${path}`, ca, tokens.administrator)).status === 200
    await until(
      "controllers",
      async () => (await made("serviceaccounts/default")) && (await made("configmaps/kube-root-ca.crt"))
    )
    return { controlPlane: { server, ca, etcd, tokens, node }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
