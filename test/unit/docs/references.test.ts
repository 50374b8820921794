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
].flatMap((folder) => filesBelow(folder, /\.(ts|mts|mjs|sh|ya?ml|cjs)$|^run$/))

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
  it("names files that exist, fifteen rules and more", () => {
    const walk = /## Where is the rule for …\n(.*?)\n## /s.exec(readFileSync("ARCHITECTURE.md", "utf8"))?.[1] ?? ""
    const rows = walk.split("\n").filter((line) => line.startsWith("| ") && line.includes("`"))
    assert.isAtLeast(rows.length, 15)
    const named = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].flatMap(([, path]) => path ?? []))
    assert.deepStrictEqual(
      named.filter((path) => !existsSync(path)),
      []
    )
  })
})

describe("comments", () => {
  const reference = new Map(
    [...headings].flatMap(([page, known]) =>
      page.startsWith("docs/reference/") ? [[page.slice("docs/reference/".length), known]] : []
    )
  )
  /** `gateway.md, "Routes", "Rewriting"` */
  const cited = code.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line) =>
        [...line.matchAll(/(?<![\w/])([a-z-]+\.md)((?:, "[^"]+")+)/g)].flatMap(([, page = "", names = ""]) =>
          [...names.matchAll(/"([^"]+)"/g)].map(([, heading = ""]) => ({ file, page, heading }))
        )
      )
  )

  it("cite pages and headings of the reference that exist", () => {
    assert.isAbove(cited.length, 300)
    assert.deepStrictEqual(
      cited.filter(({ page, heading }) => reference.get(page)?.includes(heading) !== true),
      []
    )
  })

  it("cite nothing that a reader of the repository cannot open", () => {
    const unreachable =
      /\b([Cc]ontract: (adapter|cluster|providers|operator|live)|[Cc]ontracts\/|contract (adapter|cluster|providers) \d|Spec: ["`]|[Dd]ecisions [1-9]\b|[Ll]ive facts|Quality [PB]\d)/
    const found = code
      .filter((file) => file !== "test/unit/docs/references.test.ts")
      .flatMap((file) =>
        readFileSync(file, "utf8")
          .split("\n")
          .flatMap((line, at) => (unreachable.test(line) ? [`${file}:${at + 1} ${line.trim().slice(0, 120)}`] : []))
      )
    assert.deepStrictEqual(found, [])
  })
})
