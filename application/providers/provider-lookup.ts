/** Finding providers by id without further reads, for checks that run under a lock. */
import { Effect } from "effect"
import type { Provider } from "../../domain/provider/provider.ts"
import { visibleProviders } from "./visible-providers.ts"

export const providerLookup = Effect.fnUntraced(function* (tenant: string) {
  const { records } = yield* visibleProviders(tenant)
  const byId = new Map(records.map((provider): readonly [string, Provider] => [provider.id, provider]))
  return (id: string) => byId.get(id)
})
