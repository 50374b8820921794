/** `evald adapter evald`: the embedded benchmarks, run through the same contract as anybody else's adapter. */
import { evaldAdapter } from "../../../providers/evald/adapter.ts"
import { runAdapterProcess } from "../../../providers/sdk/run-adapter.ts"
import { build } from "../build-info.ts"

export const main = (): void =>
  runAdapterProcess(evaldAdapter(build.version, build.gitHash === "unknown" ? undefined : build.gitHash))
