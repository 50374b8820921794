/** Requests for every operation of the OpenAPI document: half of them fit it, the others are broken somewhere. The same for the same seed. */
import { FastCheck as fc } from "effect"
import { anyText, brokenOnce, makeValues, type Schema, type Words } from "./schema-values.ts"

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly schema: Schema
}

export interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: { readonly [type: string]: { readonly schema: Schema } } }
}

export interface OpenApiDocument {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: { readonly schemas: { readonly [name: string]: Schema } }
}

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer | undefined
}

/** what can be sent in a header; anything else never leaves a client */
const headerText = anyText.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?").slice(0, 300))

/** lone surrogates have no encoding in an address */
const encoded = (value: unknown): string => encodeURIComponent(String(value).replaceAll(/\p{Surrogate}/gu, "?"))

const bodies = (
  values: ReturnType<typeof makeValues>,
  content: NonNullable<Operation["requestBody"]>["content"],
  known: ReadonlyArray<unknown>
) =>
  fc.constantFrom(...Object.entries(content)).chain(([type, { schema }]) => {
    const good = fc.constantFrom(...known)
    const value = fc.oneof(
      { weight: 2, arbitrary: good },
      { weight: 4, arbitrary: brokenOnce(good) },
      { weight: 3, arbitrary: values.fitting(schema) },
      { weight: 2, arbitrary: brokenOnce(values.fitting(schema)) },
      { weight: 1, arbitrary: fc.jsonValue() }
    )
    return fc.record({
      body: fc.oneof(
        { weight: 12, arbitrary: value.map((one) => Buffer.from(JSON.stringify(one))) },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) }
      ),
      contentType: fc.oneof(
        { weight: 12, arbitrary: fc.constant(type) },
        { weight: 1, arbitrary: fc.constantFrom("text/plain", "application/json; charset=utf-16", "", "x/") }
      )
    })
  })

const requestsOf = (
  document: OpenApiDocument,
  words: Words,
  path: string,
  method: string,
  operation: Operation,
  known: ReadonlyArray<unknown>
): fc.Arbitrary<FuzzRequest> => {
  const values = makeValues(document.components.schemas, words)
  const valueFor = ({ schema, name }: Parameter) =>
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc
          .constantFrom(...(words[name] ?? [undefined]))
          .chain((word) => (word === undefined ? values.fitting(schema) : fc.constant(word)))
      },
      { weight: 1, arbitrary: anyText }
    )
  const placed = (where: Parameter["in"]) => {
    const parameters = (operation.parameters ?? []).filter((one) => one.in === where)
    return fc.record(Object.fromEntries(parameters.map((one) => [one.name, valueFor(one)])), {
      requiredKeys: where === "path" ? parameters.map(({ name }) => name) : []
    })
  }
  const content = operation.requestBody?.content
  return fc
    .record({
      inPath: placed("path"),
      inQuery: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 3, arbitrary: placed("query") }),
      unknown: fc.oneof(
        { weight: 12, arbitrary: fc.constant("") },
        { weight: 1, arbitrary: fc.constantFrom("x=1", "limit=1&limit=2", "%zz", "=", "limit[]=1") }
      ),
      inHeaders: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: placed("header") }),
      accept: fc.oneof(
        { weight: 8, arbitrary: fc.constant("*/*") },
        {
          weight: 1,
          arbitrary: fc.constantFrom("text/event-stream", "application/json", "image/png", ";;", "application/yaml;q=0")
        }
      ),
      requestId: fc.oneof({ weight: 3, arbitrary: fc.constant("fuzz") }, { weight: 1, arbitrary: headerText }),
      sent: content === undefined ? fc.constant(undefined) : bodies(values, content, known)
    })
    .map(({ inPath, inQuery, unknown, inHeaders, accept, requestId, sent }) => {
      const query = [
        ...Object.entries(inQuery).map(([name, value]) => `${name}=${encoded(value)}`),
        ...(unknown === "" ? [] : [unknown])
      ].join("&")
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(inPath[name]))
      const headers = Object.fromEntries(
        Object.entries(inHeaders).map(([name, value]) => [name, String(value).replaceAll(/[^\x20-\x7e]/g, "?")])
      )
      return {
        method: method.toUpperCase(),
        path: query === "" ? filled : `${filled}?${query}`,
        headers: {
          ...headers,
          accept,
          "x-request-id": requestId,
          ...(sent === undefined ? {} : { "content-type": sent.contentType })
        },
        body: sent?.body
      }
    })
}

export interface FuzzedOperation {
  readonly name: string
  /** has something to vary */
  readonly varied: boolean
  /** `known`: bodies that are accepted */
  readonly sample: (
    words: Words,
    known: ReadonlyArray<unknown>,
    count: number,
    seed: number
  ) => ReadonlyArray<FuzzRequest>
  /** without chance: the address made of the first words, every known body in every type */
  readonly plain: (words: Words, known: ReadonlyArray<unknown>) => ReadonlyArray<FuzzRequest>
}

const plainRequests = (
  path: string,
  method: string,
  operation: Operation,
  words: Words,
  known: ReadonlyArray<unknown>
): ReadonlyArray<FuzzRequest> => {
  const request = {
    method: method.toUpperCase(),
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(words[name]?.[0]))
  }
  const types = Object.keys(operation.requestBody?.content ?? {})
  if (types.length === 0) return [{ ...request, headers: { accept: "*/*" }, body: undefined }]
  return types.flatMap((type) =>
    known.map((body) => ({
      ...request,
      headers: { accept: "*/*", "content-type": type },
      body: Buffer.from(JSON.stringify(body))
    }))
  )
}

/** every operation of the document */
export const fuzzedOperations = (document: OpenApiDocument): ReadonlyArray<FuzzedOperation> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      varied: (operation.parameters ?? []).length > 1 || operation.requestBody !== undefined,
      sample: (words: Words, known: ReadonlyArray<unknown>, count: number, seed: number) =>
        fc.sample(requestsOf(document, words, path, method, operation, known), { numRuns: count, seed }),
      plain: (words: Words, known: ReadonlyArray<unknown>) => plainRequests(path, method, operation, words, known)
    }))
  )
