/**
 * Can this benchmark run here at all? The provider must have a runtime for the server's mode, and what the benchmark needs beyond a
 * plain endpoint must be given. Reference: api.md, "Submitting a job"; providers-and-collections.md, "Framework wrappers".
 */

import { judgeParameters } from "../../../values/benchmark/judge-parameters.ts"
import type { FreeForm } from "../../free-form.ts"
import type { Path } from "../../path.ts"
import type { Provider, ProviderBenchmark } from "../../provider/provider.ts"
import { member, type Sentence, say } from "../../sentence.ts"
import { type Violation, violation } from "../../violation.ts"
import type { BenchmarkEntry } from "../job.ts"

export type Mode = "local" | "cluster"

const given = (parameters: FreeForm, name: string): boolean =>
  Object.hasOwn(parameters, name) && parameters[name] !== null && parameters[name] !== "" && parameters[name] !== false

/** why the benchmark can not run as it is asked for, and the way out; completes "benchmark '<p>/<b>' …". `where`: parameters are given */
const unsupported = (benchmark: ProviderBenchmark, parameters: FreeForm = {}, where: Path): Sentence | undefined => {
  const { endpoint, flags = [] } = benchmark.requirements ?? {}
  if (flags.includes("unavailable")) return "is not available in any version of its framework; choose another benchmark"
  if (endpoint === "none") return "can not be run through a model endpoint; choose another benchmark"
  if (flags.includes("needs_judge") && !judgeParameters.some((name) => given(parameters, name)))
    return say`needs a model that judges the answers and there is no default; name it with one of ${judgeParameters.join(", ")} in ${member(where)}`
  if (flags.includes("code_execution") && parameters["allow_code_execution"] !== true)
    return say`runs code that the model writes; permit it with allow_code_execution: true in ${member(where)}`
  return undefined
}

/** the provider's runtime for this mode; `path`: of the entry */
export const checkRuntime = (provider: Provider, mode: Mode, path: Path): ReadonlyArray<Violation> => {
  const at: Path = [...path, "providerId"]
  if (mode === "local" && provider.runtime.local === undefined)
    return [
      violation(
        at,
        `provider '${provider.id}' has no local command (runtime.local), so it can not run on this server`,
        "local_runtime_unavailable"
      )
    ]
  if (mode === "cluster" && provider.runtime.k8s === undefined)
    return [
      violation(
        at,
        `provider '${provider.id}' has no container runtime (runtime.k8s), so it can not run in the cluster`
      )
    ]
  return []
}

/**
 * A local server knows its adapters, so it refuses what they would refuse; an image in the cluster may be able to do more than its
 * provider's file says, so there it is only a warning and the adapter decides. `where`: the caller gives parameters.
 */
export const checkSupported = (
  entry: BenchmarkEntry,
  benchmark: ProviderBenchmark,
  mode: Mode,
  path: Path,
  where: Path = ["parameters"]
): { readonly violations: ReadonlyArray<Violation>; readonly warnings: ReadonlyArray<Sentence> } => {
  const problem = unsupported(benchmark, entry.parameters, where)
  if (problem === undefined) return { violations: [], warnings: [] }
  const text = say`benchmark '${entry.providerId}/${entry.id}' ${problem}`
  return mode === "local"
    ? { violations: [violation([...path, "id"], text, "benchmark_not_supported")], warnings: [] }
    : { violations: [], warnings: [text] }
}
