/** Providers that a tenant made through the API. */
import { Context } from "effect"
import type { Provider } from "../../../domain/provider/provider.ts"
import type { DefinitionStore } from "./definition-store.ts"

/** a removal is refused with `resource_in_use` while a collection of the tenant names the provider */
export class ProviderStore extends Context.Tag("evald/application/ports/ProviderStore")<
  ProviderStore,
  DefinitionStore<Provider>
>() {}
