/** Finding benchmarks by id: every provider is looked up and indexed once, however many entries name it. */

import type { Hints, Named } from "../hints.ts"
import type { Path } from "../path.ts"
import { shown, type Violation, violation } from "../violation.ts"
import type { Provider, ProviderBenchmark } from "./provider.ts"

export interface Offer<P> {
  readonly provider: P
  readonly benchmarks: ReadonlyMap<string, ProviderBenchmark>
}

export const offersOf = <P extends Pick<Provider, "benchmarks">>(
  findProvider: (id: string) => P | undefined
): ((id: string) => Offer<P> | undefined) => {
  const known = new Map<string, Offer<P> | undefined>()
  return (id) => {
    if (!known.has(id)) {
      const provider = findProvider(id)
      known.set(
        id,
        provider === undefined
          ? undefined
          : { provider, benchmarks: new Map(provider.benchmarks.map((one) => [one.id, one])) }
      )
    }
    return known.get(id)
  }
}

const missing = "resource_does_not_exist"

/** "provider 'x' does not exist", with what was most likely meant; `path` points at the id */
export const noSuchProvider = (path: Path, id: string, hint: Hints, known: () => ReadonlyArray<Named>): Violation => ({
  ...violation(path, `provider ${shown(id)} does not exist${hint(id, known)}`, missing),
  lookUp: { _tag: "Providers" }
})

/** "provider 'p' has no benchmark 'x'", with what was most likely meant; `path` points at the id */
export const noSuchBenchmark = (
  path: Path,
  provider: { readonly id: string; readonly benchmarks: ReadonlyArray<ProviderBenchmark> },
  id: string,
  hint: Hints
): Violation => ({
  ...violation(
    path,
    `provider ${shown(provider.id)} has no benchmark ${shown(id)}${hint(id, () => benchmarksOnce(provider.benchmarks))}`,
    missing
  ),
  lookUp: { _tag: "Benchmarks", provider: provider.id, count: provider.benchmarks.length }
})

/** benchmarks are named by their ids alone */
const benchmarksOnce = (benchmarks: ReadonlyArray<ProviderBenchmark>): ReadonlyArray<Named> =>
  benchmarks.map(({ id }) => ({ id, name: id }))
