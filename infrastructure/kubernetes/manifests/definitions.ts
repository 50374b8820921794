/** ConfigMaps that hold definitions: what they offer, and what an instance gets copied. Reference: operator.md, "Definitions". */
import { createHash } from "node:crypto"
import { Either, ParseResult, Schema } from "effect"
import { parse } from "yaml"
import { CollectionFile, ProviderFile } from "../../../config/definition-schemas.ts"
import { definitionOfProvider } from "../../../config/definitions.ts"
import { modernKeys } from "../../../config/runtime-aliases.ts"
import { inWireWords } from "../../../config/wire-names.ts"
import type { DefinitionKind, OfferedDefinition, ShardNaming } from "../../../domain/operator/definitions.ts"
import { checkProvider } from "../../../domain/provider/check-provider.ts"
import { isObject } from "../../../values/json.ts"
import { pointer } from "../../../values/json-pointer.ts"
import type { KubeObject } from "../client/resources.ts"
import { core, type InstanceId, inside, type ManagedObject, own, type Place, shardCount, slug } from "./managed.ts"

/** a definition as an instance mounts it */
export interface ConfigDefinition {
  readonly kind: DefinitionKind
  readonly id: string
  readonly text: string
  /** ConfigMap in the instance's namespace that holds it */
  readonly objectName: string
}

export const configDefinition = (instance: InstanceId, { kind, id, text }: OfferedDefinition): ConfigDefinition => ({
  kind,
  id,
  text,
  objectName: inside(instance, `${kind}.${slug(id)}`)
})

const idPattern = /^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/

const problemOf = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  if (issue === undefined) return "can not be read"
  return `${pointer(issue.path.map(String))}: ${issue.message}`
}

/** one key of a ConfigMap, read with the schema that the server reads it with; never fails: what is wrong is its `problem` */
export const readDefinition = (
  kind: DefinitionKind,
  text: string,
  source: OfferedDefinition["source"]
): OfferedDefinition => {
  const plain = { kind, text, source, id: source.key, providers: [], runsLocally: false }
  const document = Either.try({
    try: (): unknown => parse(text, { maxAliasCount: 100 }),
    catch: (error) => (error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error))
  })
  if (Either.isLeft(document)) return { ...plain, problem: `is no YAML: ${document.left}` }
  const { value } = modernKeys(document.right)
  const decoded: Either.Either<Omit<OfferedDefinition, "kind" | "text" | "source">, string> = kind === "provider"
    ? Schema.decodeUnknownEither(ProviderFile)(value).pipe(
        Either.mapLeft(problemOf),
        Either.flatMap((file) =>
          checkProvider(definitionOfProvider(file)).pipe(
            Either.mapBoth({
              onLeft: ([first]) => {
                const { path, message } = inWireWords(first)
                return `${path}: ${message}`
              },
              onRight: ({ runtime }) => ({ id: file.id, providers: [], runsLocally: runtime.local !== undefined })
            })
          )
        )
      )
    : Schema.decodeUnknownEither(CollectionFile)(value).pipe(
        Either.mapBoth({
          onLeft: problemOf,
          onRight: ({ id, benchmarks }) => ({
            id,
            providers: [...new Set(benchmarks.map(({ providerId }) => providerId))].sort(),
            runsLocally: false
          })
        })
      )
  if (Either.isLeft(decoded)) return { ...plain, problem: decoded.left }
  const { id } = decoded.right
  return idPattern.test(id)
    ? { ...plain, ...decoded.right }
    : { ...plain, problem: `/id: '${id}' is not an id: use a-z, 0-9, '.', '_', '-', at most 63` }
}

/** everything that a labelled ConfigMap offers; nothing when its label is not one of the two */
export const offeredBy = ({ metadata, data }: KubeObject, domain: string): ReadonlyArray<OfferedDefinition> => {
  const kind = metadata.labels?.[`${domain}/definition`]
  if ((kind !== "provider" && kind !== "collection") || !isObject(data)) return []
  return Object.entries(data)
    .filter(([key, text]) => /\.ya?ml$/.test(key) && typeof text === "string")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, text]) =>
      readDefinition(kind, String(text), { namespace: metadata.namespace ?? "", configMap: metadata.name, key })
    )
}

/** which shard a tenant is in, and its keys there; the server takes the tenant from the key up to the first dot */
export const shardNaming: ShardNaming = {
  shards: shardCount,
  shardOf: (tenant) => (createHash("sha256").update(tenant).digest()[0] ?? 0) % shardCount,
  keyOf: ({ kind, id, source }) => `${source.namespace}.${kind}.${slug(id)}.yaml`
}

/** copies: a pod mounts nothing of another namespace */
export const definitionMaps = (
  place: Place,
  definitions: ReadonlyArray<ConfigDefinition>
): ReadonlyArray<ManagedObject> =>
  definitions.map(({ id, text, objectName }) =>
    own(place, core("ConfigMap"), { name: objectName, component: "config" }, { data: { [`${id}.yaml`]: text } })
  )

export const shardMaps = (
  place: Place,
  shards: ReadonlyArray<{ readonly [key: string]: string }>
): ReadonlyArray<ManagedObject> =>
  shards.map((data, shard) =>
    own(
      place,
      core("ConfigMap"),
      { name: inside(place.id, `tenant-definitions.${shard}`), component: "config" },
      { data }
    )
  )
