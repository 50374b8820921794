import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import ts from "typescript"
import { wirePointer } from "../../../config/wire-names.ts"
import type { Member } from "../../../domain/path.ts"

/** patches and samples are documents that callers wrote: their rules speak of members by the documents' own names */
const documentRules = /^domain\/(patch|sample)\//
/** the source of a resource and a note of a result: stored as they are told */
const toldAsStored = ["hardware_config", "primary_score.scale"]

const sources = ["domain", "application"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name))
    .filter((path) => !documentRules.test(path))
)

/** texts of a module; a member in a template that is not put into words is a text that nobody can read */
const textsOf = (path: string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const visit = (node: ts.Node, parent?: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isTemplateExpression(node) && !(parent !== undefined && ts.isTaggedTemplateExpression(parent)))
      for (const { expression } of node.templateSpans)
        if (ts.isCallExpression(expression) && ts.isIdentifier(expression.expression))
          assert.notInclude(["member", "unquoted", "say"], expression.expression.text, path)
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      texts.push(node.text)
    ts.forEachChild(node, (child) => visit(child, node))
  }
  visit(ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest))
  return texts
}

const members = [...readFileSync("domain/path.ts", "utf8").matchAll(/^ {2}\| "(\w+)"/gm)].map(
  ([, name = ""]) => name as Member
)
const wireNames = new Set(members.flatMap((name) => wirePointer([name]).split("/").slice(1)))
/** what callers call members that have another name here */
const foreign = new Set([...wireNames].filter((name) => name.includes("_")))

const isPointer = (text: string): boolean => wireNames.has(/^\/(\w+)/.exec(text)?.[1] ?? "")
const namesForeign = (text: string): boolean => (text.match(/\w+/g) ?? []).some((word) => foreign.has(word))

describe("names of the wire", () => {
  it("are known", () => {
    assert.isAbove(members.length, 70)
    assert.includeMembers([...foreign], ["provider_id", "hardware_config", "pass_criteria", "oci_host", "num_few_shot"])
  })
  it("and JSON Pointers stand in no rule and in no use case", () => {
    const found = sources.flatMap((path) =>
      textsOf(path)
        .map((text) => toldAsStored.reduce((rest, told) => rest.replaceAll(told, ""), text))
        .filter((text) => isPointer(text) || namesForeign(text))
        .map((text) => `${path}: ${text}`)
    )
    assert.deepStrictEqual(found, [])
  })
})
