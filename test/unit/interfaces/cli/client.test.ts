import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import {
  configFile,
  loadContexts,
  type Sources,
  saveContexts,
  targetOf
} from "../../../../interfaces/cli/client/contexts.ts"
import { refusalOf, Stop } from "../../../../interfaces/cli/client/exit.ts"
import { jsonPath } from "../../../../interfaces/cli/client/json-path.ts"
import { startLocal } from "../../../../interfaces/cli/client/local/local-server.ts"
import { csvText, formatOf, show } from "../../../../interfaces/cli/client/output.ts"
import { plain, type Screen } from "../../../../interfaces/cli/client/screen.ts"
import { commands } from "../../../../interfaces/cli/commands.ts"
import { parseFlags } from "../../../../interfaces/cli/flags.ts"
import { requestCodes } from "../../../../interfaces/http/groups/request-codes.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-contexts-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const flags = commands.find(({ name }) => name === "get")?.client?.flags ?? []
const refused = async (work: Promise<unknown>): Promise<Stop> => {
  try {
    await work
  } catch (error) {
    if (error instanceof Stop) return error
    throw error
  }
  return assert.fail("was not refused")
}

const sources = (environment: Readonly<Record<string, string>>): Sources => ({
  environment,
  kubeconfigToken: (name) =>
    name === "k" ? Promise.resolve(`of-context-${name}`) : Promise.reject(new Error("the first line\nand another"))
})

describe("the table of commands", () => {
  it("has every name once, in each command every flag and letter once, and no flag whose value is a token", () => {
    const once = (names: ReadonlyArray<string>) =>
      assert.strictEqual(new Set(names).size, names.length, names.join(" "))
    once(commands.map(({ name }) => name))
    for (const { client } of commands) {
      once((client?.flags ?? []).flatMap(({ name, short }) => (short === undefined ? [name] : [name, short])))
      for (const { name, value } of client?.flags ?? [])
        if (/token|api-key|password/.test(name)) assert.match(value ?? "", /^(FILE|NAME|COMMAND|)$/, name)
    }
  })
  it("a letter stands for its flag", () => {
    const { values, switches } = parseFlags(["-o", "json", "-q"], flags)
    assert.deepStrictEqual([values.get("output"), switches.has("quiet")], [["json"], true])
  })
})

describe("contexts", () => {
  it("lie where each system has its configuration", () => {
    assert.strictEqual(configFile({ HOME: "/home/a" }, "linux"), "/home/a/.config/evald/config.yaml")
    assert.strictEqual(configFile({ HOME: "/home/a", XDG_CONFIG_HOME: "/c" }, "darwin"), "/c/evald/config.yaml")
    assert.strictEqual(configFile({ APPDATA: "C:\\A" }, "win32"), "C:\\A\\evald\\config.yaml")
  })
  it("are written for their owner only, and read again", async () => {
    const file = join(folder, "deep", "config.yaml")
    const contexts = { current: "a", contexts: { a: { server: "https://a.example", tenant: "t", token_env: "T" } } }
    await saveContexts(file, contexts)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.deepStrictEqual(await loadContexts(file), contexts)
  })
  it("a half-written file is named, with exit code 78 and what to do", async () => {
    const file = join(folder, "half.yaml")
    for (const text of ["contexts: {a: {server: [", "contexts: {a: {tenant: t}}", "nothing"]) {
      writeFileSync(file, text)
      const stop = await refused(loadContexts(file))
      assert.strictEqual(stop.exitCode, 78)
      assert.include(stop.message, file)
      // which reads past the file; setting a context did not
      assert.strictEqual(stop.next, "evald whoami --server URL")
    }
  })
  it("a token of a context is not sent to another server than the context's", async () => {
    const file = join(folder, "own.yaml")
    await saveContexts(file, { current: "a", contexts: { a: { server: "https://a.example", token_env: "T" } } })
    const of = (args: ReadonlyArray<string>, more = {}) =>
      targetOf(parseFlags(args, flags), sources({ T: "secret", ...more }), file)
    assert.strictEqual((await of([])).token, "secret")
    assert.strictEqual((await of(["--context", "a", "--server", "https://b.example"])).token, undefined)
    assert.strictEqual((await of(["--server", "https://b.example"])).token, undefined)
    assert.strictEqual((await of([], { EVALD_SERVER: "https://b.example" })).token, undefined)
  })
  it("flags come before variables, ours before those of the other product, and without any it is this machine", async () => {
    const none = join(folder, "none.yaml")
    const of = (args: ReadonlyArray<string>, environment = {}) =>
      targetOf(parseFlags(args, flags), sources(environment), none)
    const theirs = { EVALHUB_BASE_URL: "http://hub/", EVALHUB_TENANT: "h", EVALHUB_TOKEN: "ht" }
    const shown = ({ server, tenant, token }: Awaited<ReturnType<typeof of>>) => [server, tenant, token]
    assert.deepStrictEqual(shown(await of([])), ["http://127.0.0.1:8080", undefined, undefined])
    assert.deepStrictEqual(shown(await of([], theirs)), ["http://hub", "h", "ht"])
    const ours = { ...theirs, EVALD_SERVER: "http://e", EVALD_TENANT: "t", EVALD_TOKEN: "et" }
    assert.deepStrictEqual(shown(await of([], ours)), ["http://e", "t", "et"])
    assert.deepStrictEqual(shown(await of(["--server", "http://f", "--tenant", "u"], ours)), ["http://f", "u", "et"])
  })
  it("a token with a line break, an unknown context and an address that is none are exit code 78", async () => {
    const none = join(folder, "none.yaml")
    for (const [args, environment] of [
      [[], { EVALD_TOKEN: "a\nb" }],
      [["--context", "nobody"], {}],
      [["--server", "evald.example"], {}],
      [["--token-file", join(folder, "no-token")], {}]
    ] as const) {
      const { exitCode, next } = await refused(targetOf(parseFlags(args, flags), sources(environment), none))
      assert.deepStrictEqual([exitCode, next?.startsWith("evald ")], [78, true], args.join(" "))
    }
  })
  it("an address without its scheme is told with one, and a password in one is not repeated", async () => {
    const none = join(folder, "none.yaml")
    const said = async (address: string) =>
      (await refused(targetOf(parseFlags(["--server", address], flags), sources({}), none))).message
    for (const address of ["localhost:8080", "evald.example"])
      assert.include(await said(address), `did you mean https://${address} or http://${address}?`)
    assert.notInclude(await said("https://anna:hidden@evald.example"), "hidden")
  })
  it("a token comes from the context's variable, file or kubeconfig, and either that gives none is exit code 78", async () => {
    const file = join(folder, "credentials.yaml")
    const token = join(folder, "token")
    writeFileSync(token, "of-file\n")
    const server = "https://a.example"
    await saveContexts(file, {
      contexts: {
        variable: { server, token_env: "T" },
        file: { server, token_file: token },
        missing: { server, token_file: join(folder, "none") },
        cluster: { server, token_kubeconfig: "k" },
        elsewhere: { server, token_kubeconfig: "not there" }
      }
    })
    const of = (name: string, environment = {}) =>
      targetOf(parseFlags(["--context", name], flags), sources(environment), file)
    assert.strictEqual((await of("variable", { T: "of-variable" })).token, "of-variable")
    assert.strictEqual((await of("file")).token, "of-file")
    assert.strictEqual((await of("cluster")).token, "of-context-k")
    const { message, next } = await refused(of("elsewhere"))
    assert.strictEqual(message, "context 'not there' of the kubeconfig gives no token: the first line")
    assert.strictEqual(next, "kubectl config view --minify --context not there")
    for (const name of ["variable", "missing", "elsewhere"])
      assert.strictEqual((await refused(of(name))).exitCode, 78, name)
  })
})

describe("a server for one command", () => {
  it("is refused on Windows, before anything is made, with what goes there (the system was asked, not what the command was told)", async () => {
    const home = join(folder, "windows")
    const starting = startLocal({ environment: { HOME: home }, platform: "win32" }, "key", undefined)
    const { exitCode, message } = await refused(starting)
    assert.deepStrictEqual([exitCode, existsSync(home)], [78, false])
    assert.match(message, /needs Linux or macOS; with --server/)
  })
})

describe("output", () => {
  it("jsonpath finds members, indices and all of a list, and refuses what it does not know", async () => {
    const value = { items: [{ id: "a", "b-c": 1 }, { id: "b" }] }
    assert.deepStrictEqual(jsonPath(value, "{.items[*].id}"), ["a", "b"])
    assert.deepStrictEqual(jsonPath(value, "$.items[-1].id"), ["b"])
    assert.deepStrictEqual(jsonPath(value, "items[0]['b-c']"), [1])
    assert.deepStrictEqual(jsonPath(value, ".none.x"), [])
    assert.throws(() => jsonPath(value, ".items[?(@.id)]"), /not understood/)
  })
  it("a name with control characters moves nothing on a terminal, in whatever output, and is passed on in a pipe", async () => {
    const name = "a\u009b2Jb\u202ec"
    for (const text of ["table", "wide", "json", "yaml", "jsonl", "csv", "name", "jsonpath={.name}"]) {
      const written = async (width: number | undefined) => {
        let out = ""
        const screen: Screen = {
          out: (part) => {
            out += part
          },
          ...{ note: () => {}, fail: () => {}, width, noteWidth: undefined, asks: false }
        }
        const columns = [{ name: "name", cell: (row: { readonly name: string }) => row.name }]
        const asked = { format: formatOf(text), columns: undefined }
        await show(screen, asked, { rows: [{ name }], columns, name: (row) => row.name, single: true })
        return out
      }
      assert.notMatch(await written(80), /[\u0080-\u009f\u202e]/, text)
      if (text === "json") assert.deepStrictEqual(JSON.parse(await written(undefined)), { name })
    }
  })
  it("CSV quotes what needs it", () => {
    assert.strictEqual(csvText([['a"b', "c,d", "e\nf", "g"]]), '"a""b","c,d","e\nf",g\r\n')
  })
  it("control characters and direction marks of names are shown as numbers", () => {
    assert.strictEqual(plain("a\u001b[2Jb\u009bc\n\u202ed"), "a\\x1b[2Jb\\x9bc\\x0a\\x202ed")
  })
})

describe("a refusal", () => {
  it("of every message code is exit code 77 for who is not let in, and 1 for all else", () => {
    for (const [code, { status }] of Object.entries(requestCodes)) {
      const stop = refusalOf(status, { message_code: code, message: "why" })
      assert.strictEqual(stop.exitCode, status === 401 || status === 403 ? 77 : 1, code)
      assert.include(stop.message, `${code}: why`)
    }
  })
  it("whose next command is said names a command that exists", () => {
    for (const code of Object.keys(requestCodes)) {
      const [program, name] = (refusalOf(400, { message_code: code, message: "" }).next ?? "evald help").split(" ")
      assert.strictEqual(program, "evald")
      assert.include([...commands.map((command) => command.name), "help"], name, code)
    }
  })
  it("that is not evald's says so", () => {
    assert.deepStrictEqual([refusalOf(502, undefined).exitCode, refusalOf(404, undefined).exitCode], [69, 1])
    assert.match(refusalOf(404, undefined).message, /not as evald does/)
  })
})
