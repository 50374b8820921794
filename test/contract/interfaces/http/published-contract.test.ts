import { assert, describe, expect, it } from "vitest"
import { tableProblems } from "../../../../interfaces/http/access/access-table.ts"
import { apiRoutes } from "../../../../interfaces/http/api.ts"
import { type RequestCode, requestCodes } from "../../../../interfaces/http/groups/request-codes.ts"
import { openApi } from "../../../../interfaces/http/openapi/openapi.ts"
import { isObject, type JsonObject, member, textMember } from "../../../../values/json.ts"
import { accessTable } from "../../../support/http-app.ts"

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly security: ReadonlyArray<object>
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly description?: string
    readonly schema: object
  }>
  readonly requestBody?: {
    readonly content: { readonly [type: string]: { readonly schema: object; readonly example?: unknown } }
  }
  readonly responses: {
    readonly [status: string]: {
      readonly description: string
      readonly headers: object
      readonly content?: { readonly [type: string]: { readonly schema?: { readonly $ref?: string } } }
    }
  }
}

interface Document {
  readonly openapi: string
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: { readonly schemas: object; readonly headers: object; readonly securitySchemes: object }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
}

const document = openApi().document as unknown as Document
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ key: `${method.toUpperCase()} ${path}`, path, operation }))
)

const refsOf = (node: unknown): ReadonlyArray<string> => {
  if (Array.isArray(node)) return node.flatMap(refsOf)
  if (typeof node !== "object" || node === null) return []
  return Object.entries(node).flatMap(([name, value]) =>
    name === "$ref" && typeof value === "string" ? [value] : refsOf(value)
  )
}

const resolves = (ref: string): boolean =>
  ref
    .slice(2)
    .split("/")
    .reduce<unknown>(
      (node, part) =>
        typeof node === "object" && node !== null ? (node as { readonly [name: string]: unknown })[part] : undefined,
      document
    ) !== undefined

describe("the published contract", () => {
  it("documents exactly the routes that are served, and each has a rule", () => {
    const served = apiRoutes()
    assert.sameMembers(
      operations.map(({ key }) => key),
      served.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)
    )
    assert.deepStrictEqual(tableProblems(accessTable, served), [])
  })

  it("changes only together with docs/openapi.yaml (vitest -u writes it)", async () => {
    await expect(openApi().yamlText).toMatchFileSnapshot("../../../../docs/openapi.yaml")
  })

  it("is OpenAPI 3.1.0 whose references all lead somewhere", () => {
    assert.strictEqual(document.openapi, "3.1.0")
    for (const ref of new Set(refsOf(document))) assert.isTrue(resolves(ref), ref)
  })

  it("names every operation once, with texts, a tag, and documented parameters", () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.strictEqual(new Set(ids).size, ids.length)
    const tags = document.tags.map(({ name }) => name)
    for (const { key, operation, path } of operations) {
      assert.match(operation.summary, /^[A-Z].+[^.]$/, key)
      assert.isNotEmpty(operation.description, key)
      assert.includeMembers(tags, [...operation.tags], key)
      const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      assert.strictEqual(new Set(names).size, names.length, key)
      for (const parameter of operation.parameters) assert.isNotEmpty(parameter.description, `${key} ${parameter.name}`)
      for (const [, name] of path.matchAll(/\{(\w+)\}/g)) assert.include(names, `path ${name}`, key)
    }
  })

  it("needs a token on guarded operations alone", () => {
    const open = new Set(
      accessTable.public.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`))
    )
    for (const { key, operation } of operations) {
      assert.deepStrictEqual(operation.security, open.has(key) ? [] : [{ bearer: [] }], key)
      assert.strictEqual("401" in operation.responses, !open.has(key), key)
    }
  })

  it("gives bodies by reference, and an example with each request body", () => {
    for (const { key, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const schema = response.content?.["application/json"]?.schema
        if (schema !== undefined && key !== "GET /openapi.yaml") assert.isString(schema.$ref, `${key} ${status}`)
      }
      if (operation.requestBody === undefined) continue
      const { content } = operation.requestBody
      assert.isDefined((content["application/json"] ?? content["application/x-ndjson"])?.example, key)
    }
  })

  it("documents every message code where its status says, and each is documented somewhere", () => {
    const documented = new Set<string>()
    for (const { key, operation } of operations) {
      for (const [status, { description }] of Object.entries(operation.responses)) {
        for (const [, code] of description.matchAll(/^- `(\w+)`:/gm)) {
          assert.strictEqual(String(requestCodes[code as RequestCode].status), status, `${key} ${code}`)
          documented.add(code ?? "")
        }
      }
    }
    // answered where no operation was found
    const beforeRouting = ["method_not_allowed"]
    assert.sameMembers([...documented, ...beforeRouting], Object.keys(requestCodes))
  })

  /** every schema below a node, references followed */
  const schemasBelow = (node: unknown, seen: Set<unknown> = new Set()): ReadonlyArray<JsonObject> => {
    if (Array.isArray(node)) return node.flatMap((one) => schemasBelow(one, seen))
    if (!isObject(node) || seen.has(node)) return []
    seen.add(node)
    const ref = textMember(node, "$ref")
    const component =
      ref === undefined ? [] : schemasBelow(member(document.components.schemas, ref.split("/").at(-1) ?? ""), seen)
    return [node, ...component, ...Object.values(node).flatMap((one) => schemasBelow(one, seen))]
  }

  it("leaves answers open for additions, and bodies of requests closed, their texts with an end", () => {
    for (const { key, operation } of operations) {
      const closed = schemasBelow(Object.values(operation.responses).map(({ content }) => content)).filter(
        ({ additionalProperties }) => additionalProperties === false
      )
      assert.deepStrictEqual(closed, [], key)
      // losing an event is worse than a member too many
      if (operation.requestBody === undefined || key.endsWith("/events") || key.endsWith("/samples")) continue
      const bodies = schemasBelow(Object.values(operation.requestBody.content).map(({ schema }) => schema))
      const open = bodies.filter(
        ({ properties, additionalProperties }) => isObject(properties) && additionalProperties === true
      )
      assert.deepStrictEqual(open, [], key)
      const endless = bodies.filter(
        (one) => one["type"] === "string" && one["enum"] === undefined && one["maxLength"] === undefined
      )
      assert.deepStrictEqual(endless, [], key)
    }
  })

  it("marks what is deprecated where it is named", () => {
    const told = schemasBelow(document.components.schemas).filter(({ description }) =>
      /^(deprecated|old spelling)\b/.test(String(description))
    )
    assert.isAbove(told.length, 8)
    assert.deepStrictEqual(
      told.filter(({ deprecated }) => deprecated !== true),
      []
    )
  })

  it("says null nowhere and has no component that nobody uses", () => {
    assert.notInclude(openApi().jsonText, '"type":"null"')
    const used = new Set(refsOf(document))
    for (const name of Object.keys(document.components.schemas))
      assert.isTrue(used.has(`#/components/schemas/${name}`), name)
  })
})
