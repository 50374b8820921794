/** What somebody types before a command does anything: words that are completed, that are wrong, and the servers that an account knows. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Finished, listen, type Running, run } from "../../support/evald-process.ts"
import { freePort } from "../../support/free-port.ts"
import { onTerminal } from "./on-terminal.ts"

let home = ""
let server: Running
/** where nobody listens */
let nobody = ""
/** a job, whatever came of it */
let id = ""

const environment = () => ({ HOME: home, TMPDIR: home, EVALD_SERVER: server.url })
const evald = (...args: ReadonlyArray<string>): Promise<Finished> => run(args, environment())
const target = () => ["--model", "http://127.0.0.1:9/v1", "--name", "m", "--benchmark", "arith_basic"]

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "evald-typing-"))
  nobody = `http://127.0.0.1:${await freePort()}`
  server = await listen(["server", "-local"], { PORT: "0", HOME: home, TMPDIR: home })
  id = (await evald("run", ...target())).stdout.trim()
})
afterAll(async () => {
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

describe("completion", () => {
  it("words that may follow are completed, identifiers too", async () => {
    const words = async (...args: ReadonlyArray<string>) =>
      (await evald("__complete", ...args)).stdout.trim().split("\n")
    assert.deepStrictEqual(await words("who"), ["whoami"])
    assert.deepStrictEqual(await words("get", "j"), ["jobs"])
    assert.include(await words("run", "--api"), "--api-key-secret")
    assert.deepStrictEqual(await words("watch", id.slice(0, -1)), [id])
    assert.deepStrictEqual((await run(["__complete", "watch", ""], { HOME: home, EVALD_SERVER: nobody })).stdout, "")
    assert.include(await words("run", "--collection", "quick"), "quick-smoke")
    assert.include(await words("get", "benchmarks", "evald/arith"), "evald/arith_basic")
    assert.deepStrictEqual(await words("gate", "x", "--baseline", id.slice(0, -1)), [id])
  })
  it("a server that never answers keeps nobody at a prompt, nor does a program that prints tokens (both were waited for)", async () => {
    let asked = 0
    const silent = createServer(() => {
      asked++
    })
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const alone = { HOME: join(home, "prompt") }
    const slow = ["--token-exec", `${process.execPath} -e setTimeout(()=>console.log(1),4000)`]
    assert.strictEqual((await run(["context", "set", "slow", "--server", url, ...slow], alone)).code, 0)
    for (const environment of [{ ...alone, EVALD_SERVER: url }, alone]) {
      // killed after 20 s
      const { code, stdout, stderr } = await run(["__complete", "watch", ""], environment, 20_000)
      assert.deepStrictEqual([code, stdout, stderr], [0, "", ""])
    }
    // not once more with the token that came too late
    assert.strictEqual(asked, 1)
    silent.closeAllConnections()
    silent.close()
  })
  it("bash completes by the script, also behind an address and in a value behind = (an address was three words)", () => {
    const completed = (line: string) => {
      const script = `source <("$NODE" dist/evald.mjs completion bash); evald() { "$NODE" dist/evald.mjs "$@"; }; COMP_LINE="$1"; COMP_POINT=\${#1}; _evald; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", line], {
        env: { PATH: process.env["PATH"], NODE: process.execPath, ...environment() },
        encoding: "utf8"
      })
      assert.strictEqual(stderr, "")
      return stdout.trim().split("\n")
    }
    assert.deepStrictEqual(completed("evald who"), ["whoami"])
    assert.include(completed("evald get "), "benchmarks")
    assert.deepStrictEqual(completed(`evald watch --server ${server.url} ${id.slice(0, -1)}`), [id])
    assert.deepStrictEqual(completed("evald get jobs --output=y"), ["yaml"])
    assert.deepStrictEqual(completed("evald run -f "), [""])
  })
})

describe("a line that is wrong", () => {
  it("a word that other programs have for a command, and help about one, lead to it; nothing else is printed", async () => {
    for (const [typed, meant] of [
      [["ls"], "get jobs"],
      [["results"], "describe job ID"],
      [["serve"], "server -local"],
      [["sevrer"], "server"]
    ] as const) {
      const { code, stdout, stderr } = await evald(...typed)
      assert.deepStrictEqual(
        [code, stdout, stderr],
        [64, "", `evald: unknown command '${typed[0]}'; did you mean evald ${meant}?\nnext: evald help\n`]
      )
    }
    assert.match((await evald("--server", server.url, "get", "jobs")).stderr, /flags stand behind the command\n/)
    assert.match((await evald("help", "run")).stdout, /Usage: evald run /)
    assert.match((await evald("server", "-h")).stdout, /Usage: evald server /)
  })
  it("a flag that would do nothing is refused, and a secret behind a flag that there is not is not repeated", async () => {
    for (const wrong of [
      ["get", "jobs", "-o", "json", "--columns", "id"],
      ["run", ...target(), "--timeout", "5m"],
      ["run", ...target(), "--detach", "--fail-on", "verdict"]
    ])
      assert.strictEqual((await evald(...wrong)).code, 64, wrong.join(" "))
    for (const wrong of [["--token", "hidden"], ["--token=hidden"]]) {
      const { code, stderr } = await evald("whoami", ...wrong)
      assert.strictEqual(code, 64)
      assert.include(stderr, "did you mean --token-file?")
      assert.notInclude(stderr, "hidden")
    }
  })
})

describe("commands that ask no server", () => {
  it("answer on a terminal what they answer in a pipe, without a control code", async () => {
    const policy = join(home, "policy.yaml")
    writeFileSync(policy, "criteria: [{benchmark: arith_basic, kind: absolute, threshold: 0.5}]\n")
    for (const [args, has] of [
      [["validate", policy], /0 errors/],
      [["validate", "--schema", "gate-policy"], /"criteria"/],
      [["images"], /for lm_evaluation_harness/],
      [["verify", policy, "--key", policy], /policy\.yaml/],
      [["adapter", "--help"], /lm_evaluation_harness/]
    ] as const) {
      const piped = await evald(...args)
      const { code, text } = await onTerminal(args, environment(), 80)
      const shown = [code, text.replace(/\r+\n/g, "\n")]
      assert.deepStrictEqual(shown, [piped.code, piped.stdout + piped.stderr], args.join(" "))
      assert.match(text, has, args.join(" "))
      assert.notInclude(text, "\u001b", args.join(" "))
    }
  })
})

describe("contexts", () => {
  it("are set, used and removed, in a file of their owner only", async () => {
    const alone = { HOME: join(home, "alone"), TMPDIR: home }
    const of = (...args: ReadonlyArray<string>) => run(args, alone)
    assert.strictEqual((await of("context", "set", "here", "--server", server.url)).code, 0)
    assert.strictEqual((await of("context", "set", "there", "--server", nobody)).code, 0)
    assert.strictEqual(statSync(join(alone.HOME, ".config/evald/config.yaml")).mode & 0o777, 0o600)
    assert.strictEqual((await of("get", "jobs")).code, 0)
    assert.strictEqual((await of("context", "use", "there")).code, 0)
    assert.strictEqual((await of("get", "jobs")).code, 69)
    assert.strictEqual((await of("get", "jobs", "--context", "here")).code, 0)
    assert.strictEqual((await of("context", "remove", "there")).code, 0)
    assert.notInclude((await of("context", "list")).stdout, "there")
  })
  it("take the token that a program prints; one that prints none is exit code 78", async () => {
    const seen: Array<string | undefined> = []
    const heard = createServer(({ headers }, answer) => {
      seen.push(headers.authorization)
      answer.writeHead(200, { "content-type": "application/json" })
      answer.end(JSON.stringify({ items: [], total_count: 0 }))
    })
    await new Promise<void>((resolve) => heard.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(heard.address() as AddressInfo).port}`
    const alone = { HOME: join(home, "programs"), WHO: "of-variable" }
    const of = (...args: ReadonlyArray<string>) => run(args, alone)
    const node = process.execPath
    for (const [credential, code] of [
      [["--token-exec", `${node} -p process.version`], 0],
      [["--token-env", "WHO"], 0],
      [["--token-exec", `${node} -e 0`], 78],
      [["--token-exec", `${node} -e process.exit(1)`], 78],
      [["--token-env", "NOBODY"], 78]
    ] as const) {
      assert.strictEqual((await of("context", "set", "here", "--server", url, ...credential)).code, 0)
      const { code: ended, stderr } = await of("get", "jobs")
      assert.strictEqual(ended, code, stderr)
      if (code === 78) assert.match(stderr, /\nnext: evald login --server URL --token-file FILE\n$/)
    }
    heard.close()
    assert.deepStrictEqual(seen, [`Bearer ${process.version}`, "Bearer of-variable"])
  })
  it("of a file that was written by half are named, and what is said next reads past it", async () => {
    const alone = { HOME: join(home, "half"), TMPDIR: home }
    const folder = join(alone.HOME, ".config/evald")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "config.yaml"), "current: a\ncontexts: {a: {server: [")
    const { code, stdout, stderr } = await run(["get", "jobs"], alone)
    assert.deepStrictEqual([code, stdout], [78, ""])
    assert.include(stderr, join(folder, "config.yaml"))
    const [, next = ""] = /\nnext: evald (.*)\n$/.exec(stderr) ?? []
    assert.strictEqual((await run(next.replace("URL", server.url).split(" "), alone)).code, 0)
  })
  it("that are removed leave no token behind", async () => {
    const alone = { HOME: join(home, "tokens"), TMPDIR: home }
    const set = ["context", "set", "typed", "--server", server.url, "--token-stdin"]
    assert.strictEqual((await run(set, alone, 60_000, "hidden\n")).code, 0)
    const tokens = join(alone.HOME, ".config/evald/tokens")
    assert.deepStrictEqual(readdirSync(tokens), ["typed"])
    assert.strictEqual((await run(["context", "remove", "typed"], alone)).code, 0)
    assert.deepStrictEqual(readdirSync(tokens), [])
  })
})
