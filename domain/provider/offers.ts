/** Finding benchmarks by id: every provider is looked up and indexed once, however many entries name it. */
import type { Provider, ProviderBenchmark } from "./provider.ts"

export interface Offer<P> {
  readonly provider: P
  readonly benchmarks: ReadonlyMap<string, ProviderBenchmark>
}

export const offersOf = <P extends Pick<Provider, "benchmarks">>(findProvider: (id: string) => P | undefined): ((id: string) => Offer<P> | undefined) => {
  const known = new Map<string, Offer<P> | undefined>()
  return (id) => {
    if (!known.has(id)) {
      const provider = findProvider(id)
      known.set(id, provider === undefined ? undefined : { provider, benchmarks: new Map(provider.benchmarks.map((one) => [one.id, one])) })
    }
    return known.get(id)
  }
}
