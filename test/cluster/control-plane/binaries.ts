/**
 * The programs of a real control plane, compiled once per machine from published Go modules (`go.mod` beside this file) and kept in the
 * user's cache folder, outside of any checkout, under the digest of everything that decides their content: a clean clone finds them.
 * `EVALD_KUBE_BIN` names a folder that is used as it is when it holds them in the pinned version, and is built into otherwise.
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

/** what decides the content of the programs */
export interface Sources {
  /** `go version`: release, system and processor */
  readonly go: string
  readonly goMod: string
  readonly goSum: string
}

const kubernetesVersion = ({ goMod }: Pick<Sources, "goMod">): string =>
  /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(goMod)?.[1] ?? ""

const settings = { CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false -mod=readonly", GOTOOLCHAIN: "local", GOWORK: "off" }

const versionFlags = (sources: Pick<Sources, "goMod">): string => {
  const version = kubernetesVersion(sources)
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)\./.exec(version) ?? []
  const said = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: "clean",
    gitCommit: "go-module",
    buildDate: "1970-01-01T00:00:00Z"
  }
  return [
    "-s -w",
    ...Object.entries(said).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  ].join(" ")
}

const goVersion = (): string | undefined => {
  const { status, stdout } = spawnSync("go", ["version"], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : undefined
}

const flagsOf = (program: (typeof programs)[number], sources: Pick<Sources, "goMod">): ReadonlyArray<string> => [
  "-trimpath",
  "-ldflags",
  program === "etcd" ? "-s -w" : versionFlags(sources)
]

/** below the user's cache folder; the same for every checkout with the same modules */
export const cacheFolder = (
  sources: Sources,
  environment: { readonly [name: string]: string | undefined } = process.env
): string => {
  const build = programs.map((program) => [packages[program], ...flagsOf(program, sources)])
  const stamp = createHash("sha256")
    .update(JSON.stringify([sources.go, sources.goMod, sources.goSum, settings, build]))
    .digest("hex")
  return join(environment["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "evald", "control-plane", stamp.slice(0, 16))
}

const isComplete = (folder: string, sources: Pick<Sources, "goMod">): boolean =>
  programs.every((program) => existsSync(join(folder, program))) &&
  spawnSync(join(folder, "kube-apiserver"), ["--version"], { encoding: "utf8" }).stdout?.trim() ===
    `Kubernetes ${kubernetesVersion(sources)}`

const say = (text: string) => process.stderr.write(`${text}\n`)

/** compiles beside the target and moves each program there, so that a folder never holds half a file */
const buildInto = (folder: string, modules: string, sources: Pick<Sources, "goMod">): void => {
  mkdirSync(folder, { recursive: true })
  const scratch = mkdtempSync(`${folder}/.build-`)
  try {
    for (const program of programs) {
      say(`compiling ${program} for the cluster tests (minutes on the first run, never again on this machine) …`)
      execFileSync("go", ["build", ...flagsOf(program, sources), "-o", join(scratch, program), packages[program]], {
        cwd: modules,
        env: { ...process.env, ...settings },
        stdio: ["ignore", "inherit", "inherit"]
      })
      renameSync(join(scratch, program), join(folder, program))
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** folder with the programs, built when need be from the modules in the given folder; else why there is none */
export const controlPlaneBinaries = (
  modules: string = here
): { readonly folder: string } | { readonly missing: string } => {
  const [goMod = "", goSum = ""] = ["go.mod", "go.sum"].map((name) => readFileSync(join(modules, name), "utf8"))
  const given = process.env["EVALD_KUBE_BIN"]
  if (given !== undefined && isComplete(given, { goMod })) return { folder: given }
  const go = goVersion()
  if (go === undefined)
    return {
      missing: "Go is not installed, and EVALD_KUBE_BIN names no folder with a control plane of the pinned version"
    }
  const folder = given ?? cacheFolder({ go, goMod, goSum })
  if (isComplete(folder, { goMod })) return { folder }
  try {
    buildInto(folder, modules, { goMod })
  } catch (error) {
    return {
      missing: `the control plane does not compile: ${error instanceof Error ? error.message : "unknown reason"}`
    }
  }
  return isComplete(folder, { goMod })
    ? { folder }
    : { missing: `${folder} holds no control plane of version ${kubernetesVersion({ goMod })}` }
}
