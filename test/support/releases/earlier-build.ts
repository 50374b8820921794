/** The program of an earlier release, made from the commit that froze it with the packages that are installed here. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"

/** path of its `evald.mjs`; made once. `release`: its folder of fixtures. Throws where the history is not at hand. */
export const earlierBuild = (release: string): string => {
  const { commit } = JSON.parse(readFileSync(join(release, "build.json"), "utf8")) as { readonly commit: string }
  const place = resolve(".cache/builds", commit)
  const program = join(place, "dist/evald.mjs")
  if (existsSync(program)) return program
  const making = `${place}.${process.pid}`
  rmSync(making, { recursive: true, force: true })
  mkdirSync(making, { recursive: true })
  const archive = execFileSync("git", ["archive", "--format=tar", commit], { maxBuffer: 1e9 })
  execFileSync("tar", ["-x", "-C", making], { input: archive })
  symlinkSync(resolve("node_modules"), join(making, "node_modules"))
  execFileSync(process.execPath, ["deploy/build.mjs"], { cwd: making, stdio: "ignore" })
  rmSync(place, { recursive: true, force: true })
  renameSync(making, place)
  return program
}
