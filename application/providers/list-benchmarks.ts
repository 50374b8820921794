/** The benchmarks of every provider that a tenant sees. Reference: api.md, "Lists". */
import { Effect } from "effect"
import { type BenchmarkFilter, offeredBenchmarks } from "../../domain/provider/benchmark-query.ts"
import type { Caller } from "../access/caller.ts"
import { visibleDefinitions } from "../definitions/find-definition.ts"
import { providers } from "./providers.ts"

/** all that match, in list order; `errors`: one line per provider that could not be read and is left out */
export const listBenchmarks = ({ tenant }: Caller, filter: BenchmarkFilter) =>
  Effect.map(visibleDefinitions(providers, tenant), ({ records, errors }) => ({
    offered: offeredBenchmarks(records, filter),
    errors
  }))
