/**
 * The HTTP contract: every route with its shapes. Routing, the OpenAPI document and typed clients come from here; no handler is imported.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Collections } from "./groups/collections.ts"
import { Jobs } from "./groups/jobs.ts"
import { Providers } from "./groups/providers.ts"
import { Service } from "./groups/service.ts"
import type { Route } from "./routing.ts"

export const Api = HttpApi.make("evald").add(Jobs).add(Providers).add(Collections).add(Service)

type NamesOf<G extends HttpApiGroup.HttpApiGroup.Any> = HttpApiEndpoint.HttpApiEndpoint.Name<HttpApiGroup.HttpApiGroup.Endpoints<G>>

export type GuardedName = NamesOf<typeof Jobs> | NamesOf<typeof Providers> | NamesOf<typeof Collections>
export type OpenName = NamesOf<typeof Service>

export interface ApiRoute extends Route {
  readonly name: GuardedName | OpenName
}

/** every route of the contract, in its order */
export const apiRoutes = (): ReadonlyArray<ApiRoute> => {
  const routes: Array<ApiRoute> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const path = endpoint.path.length > 1 && endpoint.path.endsWith("/") ? endpoint.path.slice(0, -1) : endpoint.path
      // reflection widens the literal names that the types above list
      routes.push({ method: endpoint.method, path, name: endpoint.name as GuardedName | OpenName })
    }
  })
  return routes
}
