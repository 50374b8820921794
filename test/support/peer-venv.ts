/** Python environments with a real framework in them, made once and kept below EVALD_PEERS_DIR. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Framework, findExecutable } from "../../providers/contract/frameworks.ts"

const root = process.env["EVALD_PEERS_DIR"] ?? "/var/tmp/evald-peers"

export type Venv = { readonly _tag: "Ready"; readonly path: string } | { readonly _tag: "Missing"; readonly why: string }

const minutes = (count: number) => count * 60_000

const install = (path: string, packages: ReadonlyArray<string>) => {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  execFileSync("python3", ["-m", "venv", path], { stdio: "pipe", timeout: minutes(2) })
  execFileSync(join(path, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", ...packages], { stdio: "pipe", timeout: minutes(9) })
  writeFileSync(join(path, "installed"), `${packages.join("\n")}\n`)
}

/**
 * The virtual environment of a framework, installed when it is not there. When that fails, the answer says why, loudly; with
 * EVALD_REQUIRE_PEERS=1 it throws instead.
 */
export const peerVenv = (framework: Framework, packages: ReadonlyArray<string> = framework.packages): Venv => {
  const path = join(root, framework.id)
  try {
    if (!existsSync(join(path, "installed"))) install(path, packages)
    if (findExecutable(framework, path, undefined) === undefined) throw new Error(`${path} has no ${framework.executable}`)
    return { _tag: "Ready", path }
  } catch (error) {
    const why = `${framework.id} can not be installed into ${path}: ${error instanceof Error ? error.message.slice(0, 1000) : String(error)}`
    if (process.env["EVALD_REQUIRE_PEERS"] === "1") throw new Error(why)
    process.stderr.write(`\nSKIPPED: ${why}\nSet EVALD_REQUIRE_PEERS=1 to make this an error.\n\n`)
    return { _tag: "Missing", why }
  }
}
