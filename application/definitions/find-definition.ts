/** One definition as a tenant sees it: built in, from a file (general, or of this tenant), or stored by the tenant. */
import { Effect } from "effect"
import type { Caller } from "../access/caller.ts"
import { NotFound, ReadOnly } from "../errors.ts"
import { Catalog } from "../ports/catalog.ts"
import type { DefinitionKind, DefinitionRecord } from "./definition-kind.ts"

const isVisible = (tenant: string) => (record: { readonly tenant?: string }) =>
  record.tenant === undefined || record.tenant === tenant

/** from the files; undefined when there is none for this tenant */
const findInCatalog = <D, K extends D & DefinitionRecord, S>(
  kind: DefinitionKind<D, K, S>,
  tenant: string,
  id: string
) =>
  Effect.map(
    Effect.flatMap(Catalog, ({ current }) => current),
    (snapshot): K | undefined =>
      kind.inCatalog(snapshot).find((record) => record.id === id && isVisible(tenant)(record))
  )

/** undefined when the tenant sees none of this id */
export const findDefinition = <D, K extends D & DefinitionRecord, S>(
  kind: DefinitionKind<D, K, S>,
  tenant: string,
  id: string
) =>
  Effect.gen(function* () {
    const defined = yield* findInCatalog(kind, tenant, id)
    if (defined !== undefined) return defined
    const store = yield* kind.store
    return yield* store
      .load(tenant, id)
      .pipe(Effect.catchTag("NotFound", () => Effect.sync((): K | undefined => undefined)))
  })

/** one of the tenant's, or `NotFound` */
export const getDefinition = <D, K extends D & DefinitionRecord, S>(
  kind: DefinitionKind<D, K, S>,
  { tenant }: Caller,
  id: string
) =>
  Effect.flatMap(findDefinition(kind, tenant, id), (found) =>
    found === undefined ? Effect.fail(new NotFound({ kind: kind.name, id })) : Effect.succeed(found)
  )

/** what comes from files is not changed through the API */
export const mayChange = <D, K extends D & DefinitionRecord, S>(
  kind: DefinitionKind<D, K, S>,
  tenant: string,
  id: string
) =>
  Effect.flatMap(findInCatalog(kind, tenant, id), (defined) =>
    defined === undefined ? Effect.void : Effect.fail(new ReadOnly({ kind: kind.name, id }))
  )

/** all that a tenant sees; `errors`: one line per definition or record that could not be read and is left out */
export const visibleDefinitions = <D, K extends D & DefinitionRecord, S>(
  kind: DefinitionKind<D, K, S>,
  tenant: string
) =>
  Effect.gen(function* () {
    const snapshot = yield* (yield* Catalog).current
    const stored = yield* (yield* kind.store).list(tenant)
    const shared = kind.inCatalog(snapshot).filter(isVisible(tenant))
    const records: ReadonlyArray<K> = stored.records.length === 0 ? shared : [...shared, ...stored.records]
    const defined = snapshot.errors.filter(isVisible(tenant)).map(({ line }) => line)
    return { records, errors: [...defined, ...stored.errors] }
  })
