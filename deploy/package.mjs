// Makes the npm package: bundles, definitions, and one dependency, the SQLite driver. Everything else that package.json names is in the
// bundles. Prints the path of the tarball. Usage: node deploy/package.mjs [--out=.cache/package]
import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"

const { out } = parseArgs({ options: { out: { type: "string", default: ".cache/package" } } }).values

const run = (file, args) => {
  const { status, stdout, error } = spawnSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
  if (status !== 0) throw error ?? new Error(`${file} ${args.join(" ")} ended with ${status}`)
  return stdout.trim()
}

const folder = join(out, "evald")
rmSync(out, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
process.stderr.write(`${run(process.execPath, ["deploy/build.mjs", join(folder, "dist")])}\n`)
// npm takes no links: the program that local adapters find on their PATH is a file here
const program = join(folder, "dist", "bin", "evald")
rmSync(program)
writeFileSync(program, '#!/usr/bin/env node\nimport("../evald.mjs")\n')
chmodSync(program, 0o755)
rmSync(join(folder, "dist", ".inputs.json"))
for (const kind of ["providers", "collections"])
  cpSync(`config/${kind}`, join(folder, "config", kind), { recursive: true })
for (const name of ["config/auth.yaml", "config/config.yaml", "LICENSE", "README.md"])
  copyFileSync(name, join(folder, name))

const { name, version, description, license, type, engines, bin } = JSON.parse(readFileSync("package.json", "utf8"))
const driver = JSON.parse(readFileSync("node_modules/better-sqlite3/package.json", "utf8"))
writeFileSync(
  join(folder, "package.json"),
  `${JSON.stringify({ name, version, description, license, type, engines, bin, dependencies: { [driver.name]: driver.version } }, null, 2)}\n`
)
const packed = run("npm", [
  "pack",
  "--silent",
  "--pack-destination",
  out,
  folder.startsWith("/") ? folder : `./${folder}`
])
process.stdout.write(`${resolve(out, packed.split("\n").at(-1))}\n`)
