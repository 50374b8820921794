/**
 * The programs of a real control plane, compiled once per machine from published Go modules (`go.mod` beside this file) and kept in a
 * cache folder named after everything that decides their content. `EVALD_KUBE_BIN` names a folder that is used as it is when it holds
 * them in the pinned version, and is built into otherwise.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const programs = ["etcd", "kube-apiserver", "kube-controller-manager"] as const
const packages: { readonly [P in (typeof programs)[number]]: string } = {
  etcd: "go.etcd.io/etcd/server/v3",
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager"
}

const moduleText = (name: string): string => readFileSync(join(here, name), "utf8")
const kubernetesVersion = (): string => /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(moduleText("go.mod"))?.[1] ?? ""

const versionFlags = (): string => {
  const version = kubernetesVersion()
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)\./.exec(version) ?? []
  const said = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean", gitCommit: "go-module", buildDate: "1970-01-01T00:00:00Z" }
  return ["-s -w", ...Object.entries(said).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)].join(" ")
}

const goVersion = (): string | undefined => {
  const { status, stdout } = spawnSync("go", ["version"], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : undefined
}

const cacheFolder = (go: string): string => {
  const stamp = createHash("sha256")
    .update([go, versionFlags(), moduleText("go.mod"), moduleText("go.sum")].join("\n"))
    .digest("hex")
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "evald", "control-plane", stamp.slice(0, 16))
}

const isComplete = (folder: string): boolean =>
  programs.every((program) => existsSync(join(folder, program))) &&
  spawnSync(join(folder, "kube-apiserver"), ["--version"], { encoding: "utf8" }).stdout?.trim() === `Kubernetes ${kubernetesVersion()}`

const say = (text: string) => process.stderr.write(`${text}\n`)

/** compiles beside the target and moves each program there, so that a folder never holds half a file */
const buildInto = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  const scratch = mkdtempSync(`${folder}/.build-`)
  const environment = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false -mod=readonly", GOTOOLCHAIN: "local", GOWORK: "off" }
  try {
    for (const program of programs) {
      say(`compiling ${program} for the cluster tests (minutes on the first run, never again on this machine) …`)
      const flags = program === "etcd" ? "-s -w" : versionFlags()
      execFileSync("go", ["build", "-trimpath", "-ldflags", flags, "-o", join(scratch, program), packages[program]], {
        cwd: here,
        env: environment,
        stdio: ["ignore", "inherit", "inherit"]
      })
      renameSync(join(scratch, program), join(folder, program))
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** folder with the programs, built when need be; else why there is none */
export const controlPlaneBinaries = (): { readonly folder: string } | { readonly missing: string } => {
  const given = process.env["EVALD_KUBE_BIN"]
  if (given !== undefined && isComplete(given)) return { folder: given }
  const go = goVersion()
  if (go === undefined) return { missing: "Go is not installed, and EVALD_KUBE_BIN names no folder with a control plane of the pinned version" }
  const folder = given ?? cacheFolder(go)
  if (isComplete(folder)) return { folder }
  try {
    buildInto(folder)
  } catch (error) {
    return { missing: `the control plane does not compile: ${error instanceof Error ? error.message : "unknown reason"}` }
  }
  return isComplete(folder) ? { folder } : { missing: `${folder} holds no control plane of version ${kubernetesVersion()}` }
}
