/**
 * Python programs that peer tests run for real: each in a virtual environment of its own, installed at pinned versions when a test first
 * asks for it, and kept below EVALD_PEERS_DIR. The installer is uv (from PyPI as well): it resolves in seconds what takes pip minutes, and
 * environments share their files through its cache.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const root = process.env["EVALD_PEERS_DIR"] ?? "/var/tmp/evald-peers"
const installer = "uv==0.13.8"

export interface PeerPackages {
  /** folder of the environment */
  readonly id: string
  /** program that must be there afterwards */
  readonly executable: string
  /** requirement specifiers, the wanted ones with their exact version */
  readonly packages: ReadonlyArray<string>
  /** `3.11` unless the packages want a later one */
  readonly pythonMin?: string
  /** of the installation, for packages of several gigabytes */
  readonly limitMinutes?: number
  /** without what the packages need to run, for those whose files are only read */
  readonly isAlone?: boolean
}

export type Venv =
  | { readonly _tag: "Ready"; readonly path: string; readonly bin: string }
  | { readonly _tag: "Missing"; readonly why: string }

const minutes = (count: number) => count * 60_000

const run = (file: string, args: ReadonlyArray<string>, timeout: number) =>
  execFileSync(file, args, {
    stdio: ["ignore", "pipe", "pipe"],
    timeout,
    encoding: "utf8",
    env: {
      ...process.env,
      UV_CACHE_DIR: join(root, "uv-cache"),
      UV_PYTHON_DOWNLOADS: "never",
      ...(process.env["PIP_INDEX_URL"] === undefined ? {} : { UV_DEFAULT_INDEX: process.env["PIP_INDEX_URL"] })
    }
  })

const minorOf = (version: string) => Number(/^3\.(\d+)/.exec(version)?.[1] ?? -1)

/** the program itself behind shims and links; undefined when it does not run or is too old */
const interpreterOf = (program: string, least: string): string | undefined => {
  try {
    const [version = "", path = ""] = run(
      program,
      ["-c", "import sys, platform; print(platform.python_version()); print(sys.executable)"],
      minutes(1)
    ).split("\n")
    return minorOf(version) >= minorOf(least) ? path : undefined
  } catch {
    return undefined
  }
}

/** a default that is too old may have a newer one beside it, under its own name or with the version manager */
const findPython = (least: string): string => {
  const managed = join(process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv"), "versions")
  const versions = existsSync(managed) ? readdirSync(managed).map((name) => join(managed, name, "bin", "python3")) : []
  for (const program of ["python3", "python3.12", "python3.11", "python3.13", ...versions]) {
    const found = interpreterOf(program, least)
    if (found !== undefined) return found
  }
  throw new Error(`no Python of version ${least} or later was found`)
}

/** one installation at a time: test runs of several checkouts share the folder */
const locked = async <A>(action: () => A): Promise<A> => {
  const lock = join(root, "lock")
  for (;;) {
    try {
      mkdirSync(lock)
      break
    } catch {
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
      // left behind by a run that was killed: no installation takes longer
      if (since !== undefined && performance.timeOrigin + performance.now() - since > minutes(25))
        rmSync(lock, { recursive: true, force: true })
      await sleep(200)
    }
  }
  try {
    return action()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

const uv = (): string => {
  const [path, marker] = [join(root, "uv"), join(root, "uv", "installed")]
  if (!existsSync(marker) || readFileSync(marker, "utf8") !== installer) {
    rmSync(path, { recursive: true, force: true })
    run(findPython("3.9"), ["-m", "venv", path], minutes(2))
    run(
      join(path, "bin", "python"),
      ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", installer],
      minutes(5)
    )
    writeFileSync(marker, installer)
  }
  return join(path, "bin", "uv")
}

const install = (
  path: string,
  { id, packages, pythonMin = "3.11", limitMinutes = 9, isAlone = false }: PeerPackages
) => {
  const start = performance.now()
  const program = uv()
  rmSync(path, { recursive: true, force: true })
  run(program, ["venv", "--quiet", "--python", findPython(pythonMin), path], minutes(2))
  run(
    program,
    [
      ...["pip", "install", "--quiet", "--python", join(path, "bin", "python")],
      ...(isAlone ? ["--no-deps"] : []),
      ...packages
    ],
    minutes(limitMinutes)
  )
  process.stderr.write(
    `\ninstalled ${id} (${packages.join(" ")}) in ${((performance.now() - start) / 1000).toFixed(0)} s\n`
  )
}

/** nothing that CI runs is left out unseen */
const required = process.env["EVALD_REQUIRE_PEERS"] === "1" || (process.env["CI"] ?? "") !== ""

const causeOf = (error: unknown): string => {
  const said = error instanceof Error && "stderr" in error ? String(error.stderr) : ""
  return `${error instanceof Error ? error.message : String(error)}${said === "" ? "" : `\n${said}`}`.slice(0, 2000)
}

/**
 * The environment with exactly these packages, installed when it is not there. When that fails it throws in CI and with
 * EVALD_REQUIRE_PEERS=1; elsewhere the answer says why, aloud.
 */
export const peerVenv = async (peer: PeerPackages): Promise<Venv> => {
  const path = join(root, peer.id)
  const marker = join(path, "installed")
  const wanted = `${peer.packages.join("\n")}\n`
  const there = () => existsSync(marker) && readFileSync(marker, "utf8") === wanted
  try {
    mkdirSync(root, { recursive: true })
    if (!there())
      await locked(() => {
        if (there()) return
        install(path, peer)
        if (!existsSync(join(path, "bin", peer.executable))) throw new Error(`${path} has no ${peer.executable}`)
        writeFileSync(marker, wanted)
      })
    return { _tag: "Ready", path, bin: join(path, "bin") }
  } catch (error) {
    const why = `${peer.id} can not be installed into ${path}: ${causeOf(error)}`
    if (required) throw new Error(why)
    process.stderr.write(`\nSKIPPED: ${why}\nSet EVALD_REQUIRE_PEERS=1 to make this an error.\n\n`)
    return { _tag: "Missing", why }
  }
}
