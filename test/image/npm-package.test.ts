/** The npm package: installed by a user without rights into an empty place, then run with the network cut. */
import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { blocksRunBy } from "../support/docs/page-blocks.ts"
import { tempDir } from "../support/temp-dir.ts"

const noNamespaces = inject("noNamespaces")
const nobody = 65_534
/** the page's two lines: the installation, and the demo */
const [block = ""] = blocksRunBy("test/image/npm-package.test.ts", "docs/install.md")
const [installing = "exit 99", showing = "exit 99"] = block.trim().split("\n")

/** the command as somebody without rights, whose environment holds nothing of ours */
const asNobody = (env: { readonly [name: string]: string }, argv: ReadonlyArray<string>) => {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const user =
    process.getuid?.() === 0
      ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--no-new-privs"]
      : []
  const [file = "", ...args] = [...user, "env", "-i", ...variables, ...argv]
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: "utf8", timeout: 150_000, cwd: "/" })
  return { status, output: `${stdout}${stderr}`, stdout }
}

/** in a network namespace whose only address is its own loopback; the user stays who it was */
const withoutNetwork = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const user = process.getuid?.() === 0 ? nobody : process.getuid?.()
  const back = `exec unshare --user --map-user=${user} --map-group=${user} "$@"`
  return ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", `ip link set lo up && ${back}`, "sh", ...argv]
}

/**
 * The driver's install script looks for a compiled file before it compiles. Published ones lie on a server that is not a registry; here the
 * one that this checkout's installation has made lies in a folder, as on a machine without a network.
 */
const compiledDriver = (folder: string): { readonly [name: string]: string } => {
  const manifest = readFileSync("node_modules/better-sqlite3/package.json", "utf8")
  const { version } = JSON.parse(manifest) as { readonly version: string }
  const release = join(folder, "build", "Release")
  mkdirSync(release, { recursive: true })
  copyFileSync("node_modules/better-sqlite3/build/Release/better_sqlite3.node", join(release, "better_sqlite3.node"))
  const name = `better-sqlite3-v${version}-node-v${process.versions.modules}-${process.platform}-${process.arch}.tar.gz`
  execFileSync("tar", ["-czf", join(folder, name), "-C", folder, "build"])
  return { npm_config_better_sqlite3_local_prebuilds: folder }
}

describe.skipIf(noNamespaces !== undefined)("the npm package", () => {
  it.scopedLive(
    "is installed by a user without rights into an empty place, once more without a network, and the demo succeeds without one",
    () =>
      Effect.gen(function* () {
        const place = yield* tempDir
        const home = join(place, "home")
        const prebuilt = join(place, "prebuilt")
        for (const folder of [home, join(home, "tmp"), prebuilt]) mkdirSync(folder)
        const packed = execFileSync(process.execPath, ["deploy/package.mjs", `--out=${join(place, "package")}`], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"]
        }).trim()
        const driver = compiledDriver(prebuilt)
        execFileSync("chmod", ["-R", "a+rX", place])
        execFileSync("chmod", ["-R", "a+w", home])
        const path = `${join(home, "prefix", "bin")}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`
        const env = { PATH: path, HOME: home, TMPDIR: join(home, "tmp") }
        const trust = process.env["NODE_EXTRA_CA_CERTS"]
        const npm = { ...env, ...driver, npm_config_audit: "false", npm_config_fund: "false" }
        const line = installing.replace("$(node deploy/package.mjs)", packed)
        const installed = asNobody(
          {
            ...npm,
            npm_config_prefix: join(home, "prefix"),
            ...(trust === undefined ? {} : { NODE_EXTRA_CA_CERTS: trust })
          },
          ["sh", "-e", "-c", line]
        )
        assert.strictEqual(installed.status, 0, installed.output)
        const modules = join(home, "prefix", "lib", "node_modules")
        assert.deepStrictEqual(readdirSync(modules), ["evald"])
        // what the bundles hold is not fetched once more
        assert.isFalse(existsSync(join(modules, "evald", "node_modules", "effect")))

        const outside = asNobody(
          env,
          withoutNetwork(["node", "-e", 'fetch("http://192.0.2.1").catch((e) => console.log(e.cause.code))'])
        )
        assert.strictEqual(outside.stdout.trim(), "ENETUNREACH", outside.output)
        // once more elsewhere, without a network: what npm keeps is all that it needs
        const again = { ...npm, npm_config_prefix: join(home, "again"), npm_config_offline: "true" }
        const offline = asNobody(again, withoutNetwork(["sh", "-e", "-c", line]))
        assert.strictEqual(offline.status, 0, offline.output)
        const demo = asNobody(
          { ...env, PATH: `${join(home, "again", "bin")}:${path}` },
          withoutNetwork(["sh", "-e", "-c", showing])
        )
        assert.strictEqual(demo.status, 0, demo.output)
        assert.match(demo.stdout, /arith_basic\s+exact_match_flexible\s+[01]\.\d+/)
        assert.match(demo.stdout, /overall: score \d\.\d+/)
      })
  )
})
