// What `npm run demo` and `npm test` call on a fresh machine: checks Node, installs dependencies, builds, then runs the command.
// When everything is there it only compares two stamps and starts. Plain JavaScript: nothing is installed yet when it runs.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { excessOf } from "./budgets.mjs"
import { withMemoryFolder } from "./memory-folder.mjs"

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..")
process.chdir(root)
const npm = process.platform === "win32" ? "npm.cmd" : "npm"

const say = (text) => process.stderr.write(`${text}\n`)
const give = (text, code = 1) => {
  say(text)
  process.exit(code)
}
const run = (file, args, extra = {}) => {
  const { status, signal, error } = spawnSync(file, args, { stdio: "inherit", ...extra })
  if (error !== undefined) give(`cannot start ${file}: ${error.message}`)
  return status ?? (signal === null ? 1 : 130)
}

const checkNode = () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    give(
      `evald needs Node.js 20.19 or later, this is ${process.versions.node}. Install a current release from https://nodejs.org and try again.`
    )
}

const digest = (files) =>
  files.reduce((hash, file) => hash.update(readFileSync(file)), createHash("sha256")).digest("hex")
const readStamp = (file) => (existsSync(file) ? readFileSync(file, "utf8") : "")

/** the database driver is native: its install script fetches a prebuilt file or compiles one */
const driverProblem = () => {
  const probe = `new (require("better-sqlite3"))(":memory:").prepare("select 1").get()`
  const { status, stderr } = spawnSync(process.execPath, ["-e", probe], { encoding: "utf8" })
  return status === 0 ? undefined : (stderr.split("\n").find((line) => /Error/.test(line)) ?? stderr.slice(0, 300))
}
const checkDriver = () => {
  if (driverProblem() === undefined) return
  say("the SQLite driver does not load; building it again …")
  run(npm, ["rebuild", "better-sqlite3", "--foreground-scripts"])
  const problem = driverProblem()
  if (problem === undefined) return
  give(
    `the SQLite driver (better-sqlite3) cannot be loaded: ${problem}\n` +
      "It comes as a prebuilt file or is compiled at installation. Fix one of:\n" +
      "  - let npm run its install script: npm install-scripts approve better-sqlite3 && npm rebuild better-sqlite3\n" +
      "  - install a compiler and Python (Debian: apt-get install -y build-essential python3), then: npm rebuild better-sqlite3\n" +
      "  - use a Node.js release for which a prebuilt file exists (20 or 22)"
  )
}

const install = () => {
  const stamp = "node_modules/.evald-stamp"
  const wanted = `${digest(["package.json", "package-lock.json"])} ${process.versions.modules} ${process.arch}`
  if (readStamp(stamp) === wanted) return
  say("installing dependencies (about a minute, once) …")
  // not `npm ci`: it refuses a lock that does not list the optional packages of every other platform, which some registries do not carry
  const status = run(npm, ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel", "error"])
  if (status !== 0)
    give(
      `npm install failed with code ${status}. The registry must be reachable once; behind a proxy set HTTPS_PROXY, then run the command again.`,
      status
    )
  checkDriver()
  writeFileSync(stamp, wanted)
}

const sources = ["domain", "application", "infrastructure", "interfaces", "config", "providers", "values"]
const sourceStamp = () => {
  const parts = []
  for (const folder of sources) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(tsx?|css|svg|json|sh)$/.test(entry.name)) continue
      const file = join(entry.parentPath ?? entry.path, entry.name)
      const { size, mtimeMs } = statSync(file)
      parts.push(`${file} ${size} ${mtimeMs}`)
    }
  }
  const builders = ["build", "build-pages", "server-script", "keep-code"].map((name) => `deploy/${name}.mjs`)
  for (const file of [...builders, "package-lock.json"]) parts.push(`${file} ${digest([file])}`)
  return createHash("sha256").update(parts.sort().join("\n")).digest("hex")
}
const build = () => {
  const wanted = sourceStamp()
  if (readStamp("dist/.stamp") === wanted) return
  const status = run(process.execPath, ["deploy/build.mjs"], { stdio: ["ignore", 2, 2] })
  if (status !== 0) give("the build failed", status)
  writeFileSync("dist/.stamp", wanted)
}

/** the compiler with the Effect diagnostics built in; patched once per installation */
const patchCompiler = () => {
  const require = createRequire(join(root, "package.json"))
  const file = require.resolve("typescript/package.json")
  const stamp = "node_modules/.evald-compiler"
  const wanted = digest([file, "package-lock.json"])
  if (readStamp(stamp) === wanted) return
  const status = run(process.execPath, ["node_modules/@effect/language-service/cli.js", "patch"], {
    stdio: ["ignore", "ignore", 2]
  })
  if (status !== 0) give("the compiler could not be patched with the Effect diagnostics", status)
  rmSync(".cache/tsc.tsbuildinfo", { force: true })
  writeFileSync(stamp, wanted)
}

const vitest = (projects, args, environment = {}) => {
  mkdirSync(".cache", { recursive: true })
  const report = process.env.EVALD_TEST_RESULTS ?? `.cache/test-results-${projects[0]}.json` // CI sums the counts of all suites from these files
  rmSync(report, { force: true })
  const own = ["seed", "budget"].map((name) => `--reporter=./test/support/${name}-reporter.ts`)
  const reporters = ["--reporter=default", "--reporter=json", ...own, `--outputFile.json=${report}`]
  const selected = projects.flatMap((name) => ["--project", name])
  const status = run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...selected, ...reporters, ...args], {
    env: { ...process.env, ...environment }
  })
  // a library that ends with the process (the database of the peer tests) can change its exit code: the report decides as well
  return status === 0 && !(existsSync(report) && JSON.parse(readFileSync(report, "utf8")).success) ? 1 : status
}
/** runs a part under its name in the table of budgets; the answer is its status, and 1 when it took too long */
const step = (name, action) => {
  const start = performance.now()
  const status = action()
  const seconds = (performance.now() - start) / 1000
  const excess = excessOf(name, seconds)
  say(
    `${status === 0 && excess === undefined ? "ok  " : "FAIL"} ${name} (${seconds.toFixed(1)} s)${excess === undefined ? "" : `: ${excess}`}`
  )
  return status === 0 && excess !== undefined ? 1 : status
}
const node = (...args) => run(process.execPath, args)
const checks = () => {
  patchCompiler()
  return [
    step("types", () => node("deploy/check-types.mjs")),
    step("format and lint", () => node("node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", ".")),
    step("layers", () => node("deploy/check-layers.mjs")),
    step("generated docs", () => node("deploy/generate-docs.mjs", "--check")),
    step("unused", () => node("node_modules/knip/bin/knip.js"))
  ].reduce((worst, status) => Math.max(worst, status), 0)
}
const test = (args) =>
  step("npm test", () =>
    withMemoryFolder((folder) => vitest(["quick"], args, folder === undefined ? {} : { TMPDIR: folder }))
  )

const commands = {
  demo: (args) => run(process.execPath, ["--enable-source-maps", "dist/evald.mjs", "demo", ...args]),
  test,
  "test:trust": (args) => vitest(["trust"], args),
  "test:faces": (args) => vitest(["faces"], args),
  "test:browser": (args) => vitest(["browser", "volume"], args),
  "test:stories": (args) => vitest(["stories"], args),
  "test:timed": (args) => vitest(["timed"], args),
  "test:peers": (args) => vitest(["peers"], args),
  "test:peers:heavy": (args) => vitest(["heavy"], args),
  "test:soak": (args) => vitest(["soak"], args),
  "test:cluster": (args) => vitest(["cluster", "operator"], ["--reporter=./test/cluster/tier-reporter.ts", ...args]),
  "test:image": (args) => vitest(["image"], args),
  "test:install": (args) => vitest(["install"], args),
  image: (args) => run(process.execPath, ["deploy/image.mjs", ...args]),
  bench: (args) => run(process.execPath, ["deploy/bench.mjs", ...args]),
  check: checks,
  verify: (args) => Math.max(checks(), test(args)),
  prepare: (args) => run(process.execPath, ["deploy/prepare.mjs", ...args])
}

checkNode()
const [name, ...args] = process.argv.slice(2)
const command = name === undefined ? () => 0 : commands[name]
if (command === undefined) give(`unknown command '${name}'; known: ${Object.keys(commands).join(", ")}`, 64)
install()
build()
process.exit(command(args))
