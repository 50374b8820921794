/** Whatever a page or a comment points at is there: pages, headings, files. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { assert, describe, it } from "vitest"

const filesBelow = (folder: string, ending: RegExp): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("node_modules") && !path.includes("/fixtures/"))

const pages = [...readdirSync(".").filter((name) => name.endsWith(".md")), ...filesBelow("docs", /\.md$/)]
const code = [
  "domain",
  "application",
  "infrastructure",
  "interfaces",
  "config",
  "providers",
  "values",
  "test",
  "deploy",
  ".ci"
].flatMap((folder) => filesBelow(folder, /\.(tsx?|mts|mjs|sh|ya?ml|cjs)$|^run$/))

const withoutBlocks = (text: string): string => text.replace(/^```.*?^```/gms, "")
const headingsOf = (text: string): ReadonlyArray<string> =>
  withoutBlocks(text)
    .split("\n")
    .flatMap((line) => /^#+ (.*\S)\s*$/.exec(line)?.[1] ?? [])
/** the fragment by which a heading is linked to */
const fragmentOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const headings = new Map(pages.map((page) => [page, headingsOf(readFileSync(page, "utf8"))]))

describe("the first page", () => {
  it("is read in a sitting: at most 150 lines", () => {
    const lines = readFileSync("README.md", "utf8").split("\n").length - 1
    assert.isAtMost(lines, 150)
  })
})

describe("links of the pages", () => {
  const links = pages.flatMap((page) =>
    [...withoutBlocks(readFileSync(page, "utf8")).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => ({ page, target }))
      .filter(({ target }) => !/^[a-z]+:/.test(target))
  )

  it("lead to files that exist", () => {
    assert.isAbove(links.length, 20)
    const dead = links.filter(({ page, target }) => {
      const [path = ""] = target.split("#")
      return path !== "" && !existsSync(normalize(join(dirname(page), path)))
    })
    assert.deepStrictEqual(dead, [])
  })

  it("lead to headings that exist", () => {
    const dead = links.filter(({ page, target }) => {
      const [path = "", fragment] = target.split("#")
      if (fragment === undefined) return false
      const known = headings.get(path === "" ? page : normalize(join(dirname(page), path))) ?? []
      return !known.map(fragmentOf).includes(fragment)
    })
    assert.deepStrictEqual(dead, [])
  })
})

describe("the rooms of the architecture", () => {
  const table = /## Folders\n(.*?)\n## /s.exec(readFileSync("ARCHITECTURE.md", "utf8"))?.[1] ?? ""
  const rooms = [...table.matchAll(/^\| `([\w/]+)\/` \| (.*) \| (.*) \|$/gm)].map(
    ([, folder = "", holds = "", start = ""]) => ({
      folder,
      named: [...holds.matchAll(/`([\w-]+)\/`/g)].flatMap(([, name]) => name ?? []),
      start: [...start.matchAll(/`([^`]+)`/g)].flatMap(([, path]) => path ?? [])
    })
  )

  it("are there, with the files to start at", () => {
    assert.isAbove(rooms.length, 10)
    const dead = rooms.flatMap(({ folder, named, start }) =>
      [...named, ...start].map((name) => join(folder, name)).filter((path) => !existsSync(path))
    )
    assert.deepStrictEqual(dead, [])
  })

  it("name all of their rooms where they name several", () => {
    const left = rooms.flatMap(({ folder, named }) =>
      named.length < 3
        ? []
        : readdirSync(folder, { withFileTypes: true })
            .filter((entry) => entry.isDirectory() && !named.includes(entry.name))
            .map(({ name }) => join(folder, name))
    )
    assert.deepStrictEqual(left, [])
  })
})

describe("the walk through the architecture", () => {
  const walk = /## Where is the rule for …\n(.*?)\n## /s.exec(readFileSync("ARCHITECTURE.md", "utf8"))?.[1] ?? ""
  const rows = [...walk.matchAll(/^\| (.+?) \| (.*`.*) \|$/gm)].map(([, rule = "", where = ""]) => ({
    rule,
    paths: [...where.matchAll(/`([^`]+)`/g)].flatMap(([, path]) => path ?? [])
  }))
  /** beginnings of the words of a rule or of a path: `resource` and `resources` begin alike */
  const stemsOf = (text: string): ReadonlySet<string> =>
    new Set([...text.toLowerCase().matchAll(/[a-z]{4,}/g)].map(([word]) => word.slice(0, 5)))

  it("names files that exist, fifteen rules and more", () => {
    assert.isAtLeast(rows.length, 15)
    assert.deepStrictEqual(
      rows.flatMap(({ paths }) => paths).filter((path) => !existsSync(path)),
      []
    )
  })

  it("leads from the words of a rule to the names of its files", () => {
    const unrelated = rows.flatMap(({ rule, paths }) => {
      const wanted = stemsOf(rule)
      return paths.some((path) => [...stemsOf(path)].some((stem) => wanted.has(stem))) ? [] : [rule]
    })
    assert.deepStrictEqual(unrelated, [])
  })
})

describe("comments", () => {
  /** pages of the reference by their names, the others by their paths */
  const known = new Map(
    [...headings].map(([page, ofPage]) => [page.replace(/^docs\/reference\//, ""), ofPage] as const)
  )
  const own = "test/unit/docs/references.test.ts"
  /** a file's text with the lines of a comment joined, since a citation may be broken between them */
  const texts = code
    .filter((file) => file !== own)
    .map((file) => ({ file, text: readFileSync(file, "utf8").replaceAll(/\n *(\*|\/\/|#) /g, " ") }))
  /** `gateway.md, "Routes", "Rewriting"` */
  const cited = texts.flatMap(({ file, text }) =>
    [...text.matchAll(/(?<![\w/])((?:docs\/)?[a-z-]+\.md)((?:, "[^"\n]+")+)/g)].flatMap(([, page = "", names = ""]) =>
      [...names.matchAll(/"([^"]+)"/g)].map(([, heading = ""]) => ({ file, page, heading }))
    )
  )

  it("cite pages and headings of the reference that exist", () => {
    assert.isAbove(cited.length, 300)
    assert.deepStrictEqual(
      cited.filter(({ page, heading }) => known.get(page)?.includes(heading) !== true),
      []
    )
  })

  it("name the heading with the page", () => {
    const alone = texts.flatMap(({ file, text }) =>
      [...text.matchAll(/(?:Reference|Contract): `?(?:docs\/(?:reference\/)?)?[a-z-]+\.md(?!, ")/g)].map(
        ([found]) => `${file}: ${found}`
      )
    )
    assert.deepStrictEqual(alone, [])
  })

  it("cite nothing that a reader of the repository cannot open", () => {
    const unreachable =
      /\b([Cc]ontract: (adapter|cluster|providers|operator|live)|[Cc]ontracts\/|contract (adapter|cluster|providers) \d|Spec: ["`]|[Dd]ecisions [1-9]\b|[Ll]ive facts|Quality [PB]\d|[Ff]aults? \d+\b(?! ms)|[Ii]ssue \d)/
    const found = code
      .filter((file) => file !== own)
      .flatMap((file) =>
        readFileSync(file, "utf8")
          .split("\n")
          .flatMap((line, at) => (unreachable.test(line) ? [`${file}:${at + 1} ${line.trim().slice(0, 120)}`] : []))
      )
    assert.deepStrictEqual(found, [])
  })
})
