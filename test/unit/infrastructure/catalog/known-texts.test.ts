import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "yaml"
import { CollectionFile, ProviderFile } from "../../../../config/definition-schemas.ts"
import { modernKeys } from "../../../../config/runtime-aliases.ts"
import { readDefinitions } from "../../../../infrastructure/catalog/read-definitions.ts"

const decoders = {
  providers: Schema.decodeUnknownSync(ProviderFile),
  collections: Schema.decodeUnknownSync(CollectionFile)
}

/** what the build stores of the shipped files */
const known = Object.fromEntries(
  (["providers", "collections"] as const).flatMap((kind) =>
    readdirSync(`config/${kind}`).map((name) => {
      const text = readFileSync(`config/${kind}/${name}`, "utf8")
      const value: unknown = parse(text)
      return [
        createHash("sha256").update(text).digest("hex"),
        { value, decoded: decoders[kind](modernKeys(value).value) }
      ]
    })
  )
)
const recordsOf = (parsedTexts: Parameters<typeof readDefinitions>[0]["parsedTexts"] = {}) => {
  const { providers, collections, problems, version } = readDefinitions({
    configDir: "config",
    images: {},
    parsedTexts
  })
  return { version, problems, records: [...providers, ...collections].map(({ record }) => record) }
}

/** the same, where the build found the providers sound */
const judged = Object.fromEntries(
  Object.entries(known).map(([sha, one]) => [sha, "runtime" in (one.value as object) ? { ...one, sound: true } : one])
) as Parameters<typeof recordsOf>[0]

describe("definition files that the build has read", () => {
  it("are the same records as when the server reads them itself, through JSON too", () => {
    const read = recordsOf()
    assert.isAbove(read.records.length, 20)
    assert.deepStrictEqual(recordsOf(known), read)
    assert.deepStrictEqual(recordsOf(JSON.parse(JSON.stringify(known))), read)
    assert.deepStrictEqual(recordsOf(judged), read)
  })

  it("are taken as they were decoded, and a changed file is read anew", () => {
    const [sha = ""] = Object.keys(known)
    const other = Object.fromEntries(Object.entries(known).map(([key, one]) => [key === sha ? `not ${key}` : key, one]))
    assert.deepStrictEqual(recordsOf(other), recordsOf())
    const renamed = {
      ...known,
      [sha]: { value: known[sha]?.value, decoded: { ...(known[sha]?.decoded as object), name: "as the build read it" } }
    }
    assert.isTrue(recordsOf(renamed).records.some(({ name }) => name === "as the build read it"))
  })
})
