/** Providers and collections of a tenant, small unless told otherwise. */
import type { Collection } from "../../domain/collection/collection.ts"
import type { Provider } from "../../domain/provider/provider.ts"

const stamp = {
  scope: "tenant",
  readOnly: false,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z"
} as const

export const makeProvider = (tenant: string, id: string, members: Partial<Provider> = {}): Provider => ({
  ...stamp,
  ...{ id, tenant, owner: "user:ann", name: id },
  runtime: { local: { command: "run" } },
  benchmarks: [{ id: "b", name: "b", category: "other", metrics: [] }],
  ...members
})

export const makeCollection = (
  tenant: string,
  id: string,
  providers: ReadonlyArray<string>,
  members: Partial<Collection> = {}
): Collection => ({
  ...stamp,
  ...{ id, tenant, owner: "user:ann", name: id, category: "general" },
  benchmarks: providers.map((providerId) => ({ id: "b", providerId })),
  ...members
})
