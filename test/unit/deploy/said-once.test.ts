/** Small rules that every layer needs have one place. Whoever writes one again is told where it is. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const sources = ["domain", "application", "infrastructure", "interfaces", "config", "providers", "values"].flatMap(
  (folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
)
const texts = sources.map((path) => ({ path, text: readFileSync(path, "utf8") }))

/** the light client is one file and its table; the way out is plain node */
const alone = ["interfaces/client/", "infrastructure/outbound/"]

const rules: ReadonlyArray<readonly [what: string, pattern: RegExp, home: string, but?: ReadonlyArray<string>]> = [
  ["what an object is", /=== "object" &&\s+\w+ !== null &&\s+!Array\.isArray\(/, "values/json.ts"],
  [
    "JSON that may be none",
    /try \{\s+(?:return|const \w+(?:: \w+)? =) JSON\.parse\(|try: \(\)(?:: unknown)? => JSON\.parse\(/,
    "values/json.ts",
    // a file that can not be read is told of in the same words
    ["values/json-text/read-json.ts", "interfaces/init/", ...alone]
  ],
  [
    "a member that may be absent",
    /\.\.\.\((\w+(?:\.\w+)*) (?:=== undefined \? \{\} : \{ (?:\1|\w+: \1) \}|!== undefined \? \{ (?:\1|\w+: \1) \} : \{\})\)/,
    "values/defined.ts",
    alone
  ],
  ["a text as part of a pattern", /replace\(\/\[[^/]*\.\*\+\?/, "values/pattern-text.ts"],
  ["this machine's own address", /=== "127\.0\.0\.1"|127\\\.|127\(/, "domain/loopback.ts"],
  [
    "where an address leads",
    /"https:" \? 443 : 80/,
    "domain/proxies.ts",
    ["providers/", "interfaces/cli/client/transport.ts"]
  ],
  [
    "the time of now in a record",
    /formatIso\(yield\* DateTime\.now\)|map\(DateTime\.now, DateTime\.formatIso\)/,
    "application/iso-now.ts",
    // adapters import nothing of the server
    ["providers/"]
  ],
  ["a clock that nobody sets", /map\(Clock\.currentTimeNanos/, "values/steady-millis.ts"],
  ["how far two names are apart", /Math\.min\([^\n]*\[j - 1\]/, "values/nearest.ts", ["providers/demo-model/"]]
]

describe("what every layer needs", () => {
  for (const [what, pattern, home, but = []] of rules)
    it(`${what} is said in one place`, () => {
      const found = texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
      assert.deepStrictEqual(
        found.filter((path) => path !== home && !but.some((start) => path.startsWith(start))),
        []
      )
    })
})
