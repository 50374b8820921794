/** `evald apply`: providers and collections from files; one of the same name is replaced, so that the same file may be applied again. */
import type { Client } from "../../../client/client.ts"
import { documentsOf } from "../documents.ts"
import { answered, exits, recordOf, Stop } from "../exit.ts"
import { plain } from "../screen.ts"
import type { Handler } from "../session.ts"

type Kind = "provider" | "collection"
interface Definition {
  readonly kind: Kind
  readonly name: string
  readonly body: object
}

/** a collection's entries name providers; a provider says how it runs */
const kindOf = (value: {
  readonly kind?: unknown
  readonly benchmarks?: unknown
  readonly runtime?: unknown
}): Kind | undefined => {
  if (typeof value.kind === "string") {
    const kind = value.kind.toLowerCase()
    return kind === "provider" || kind === "collection" ? kind : undefined
  }
  if (value.runtime !== undefined) return "provider"
  const entries: ReadonlyArray<unknown> = Array.isArray(value.benchmarks) ? value.benchmarks : []
  return entries.some((entry) => typeof entry === "object" && entry !== null && "provider_id" in entry)
    ? "collection"
    : undefined
}

const definitionOf = (value: unknown, where: string): Definition => {
  if (typeof value !== "object" || value === null) throw new Stop(exits.usage, `${where} is no definition`)
  const kind = kindOf(value)
  if (kind === undefined)
    throw new Stop(
      exits.usage,
      `${where} is neither a provider nor a collection; 'kind: provider' or 'kind: collection' says which`
    )
  const { kind: _, ...body } = value as { readonly kind?: unknown; readonly name?: unknown }
  if (typeof body.name !== "string" || body.name === "") throw new Stop(exits.usage, `${where} has no name`)
  return { kind, name: body.name, body }
}

interface Listed {
  readonly items: ReadonlyArray<{ readonly resource: { readonly id: string }; readonly name?: string }>
  readonly next?: { readonly href: string } | undefined
}

/** every definition of the files, in their order */
export const definitionsIn = async (files: ReadonlyArray<string>): Promise<ReadonlyArray<Definition>> => {
  const definitions: Array<Definition> = []
  for (const file of files)
    for (const [at, value] of (await documentsOf(file)).entries())
      definitions.push(definitionOf(value, `${file === "-" ? "standard input" : file}, document ${at + 1}`))
  return definitions
}

/** the tenant's own record of exactly this name */
export const existing = async (
  client: Client,
  { kind, name }: Pick<Definition, "kind" | "name">
): Promise<string | undefined> => {
  const list = (kind === "provider" ? client.listProviders : client.listCollections) as Client["listCollections"]
  for (let offset = 0; ; offset += 100) {
    const page = recordOf(await list({ urlParams: { name, scope: "tenant", limit: 100, offset } })) as unknown as Listed
    const found = page.items.find((one) => one.name === name)
    if (found !== undefined || page.next === undefined) return found?.resource.id
  }
}

/** its id, and whether it was there before */
const applied = async (client: Client, definition: Definition): Promise<readonly [id: string, was: boolean]> => {
  const { kind, body } = definition
  const id = await existing(client, definition)
  // what is wrong with a body is the server's to say
  const payload = body as never
  if (id === undefined) {
    const made =
      kind === "provider"
        ? recordOf(await client.createProvider({ payload }))
        : recordOf(await client.createCollection({ payload }))
    return [made.resource.id, false]
  }
  if (kind === "provider") answered(await client.replaceProvider({ path: { id }, payload }))
  else answered(await client.replaceCollection({ path: { id }, payload }))
  return [id, true]
}

export const apply: Handler = async (session) => {
  const files = session.line.values.get("file") ?? []
  if (files.length === 0) throw new Stop(exits.usage, "which definitions: -f FILE", "evald apply --help")
  const definitions = await definitionsIn(files)
  const { client } = await session.connect()
  let runnable: string | undefined
  // a collection may name a provider of the same file
  for (const kind of ["provider", "collection"] as const)
    for (const definition of definitions.filter((one) => one.kind === kind)) {
      const [id, was] = await applied(client, definition)
      session.screen.out(`${kind} ${plain(definition.name)} ${was ? "replaced" : "created"}\n`)
      if (kind === "collection") runnable = id
    }
  if (runnable !== undefined)
    session.screen.note(`next: evald run --collection ${runnable} --model URL --name MODEL --wait`)
  return exits.done
}
