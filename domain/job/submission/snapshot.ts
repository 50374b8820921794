/**
 * What a job copies from a provider when it is created, so that later edits of the provider change nothing: primary metric, threshold,
 * weight, runtime, requirements, resolved resources and queue, each with its source. Reference: api.md, "Submitting a job"; cluster-objects.md, "Resources".
 */

import { Either } from "effect"
import { defined } from "../../../values/defined.ts"
import type { HardwareConfig } from "../../hardware/hardware-config.ts"
import type { HardwareProfile } from "../../hardware/hardware-profile.ts"
import type { Queue } from "../../hardware/queue.ts"
import { resolveQueue } from "../../hardware/resolve-queue.ts"
import { builtInResources, type ResolvedResources, resolveResources } from "../../hardware/resolve-resources.ts"
import type { Path } from "../../path.ts"
import type { Provider, ProviderBenchmark } from "../../provider/provider.ts"
import type { OwnLimits } from "../../validity/limits.ts"
import type { Violation } from "../../violation.ts"
import type { BenchmarkEntry, BenchmarkSnapshot, PrimaryScore, Source } from "../job.ts"

export interface SnapshotInput {
  readonly entry: BenchmarkEntry
  /** who wrote the entry */
  readonly source: "job" | "collection"
  readonly provider: Provider
  readonly benchmark: ProviderBenchmark
  readonly validityLimits?: OwnLimits
  /** what hardware the benchmark asks for; absent where hardware does not matter (local processes) */
  readonly hardware?: {
    readonly config?: HardwareConfig
    readonly profile?: HardwareProfile
    readonly jobQueue?: Queue
    /** of the effective hardware configuration */
    readonly path: Path
  }
}

const builtIn: ResolvedResources = {
  cpuRequest: { value: builtInResources.cpuRequest, source: "built_in" },
  memoryRequest: { value: builtInResources.memoryRequest, source: "built_in" },
  cpuLimit: { value: builtInResources.cpuLimit, source: "built_in" },
  memoryLimit: { value: builtInResources.memoryLimit, source: "built_in" }
}

const hardwareOf = (
  input: SnapshotInput
): Either.Either<Pick<BenchmarkSnapshot, "resources" | "queue">, ReadonlyArray<Violation>> => {
  const provider = input.provider.runtime.k8s === undefined ? {} : { provider: input.provider.runtime.k8s }
  if (input.hardware === undefined) {
    const resources = resolveResources({ ...provider, path: [] })
    return Either.right({ resources: Either.getOrElse(resources, () => builtIn) })
  }
  const { jobQueue, path, ...asked } = input.hardware
  const queue = resolveQueue({ ...asked, ...defined({ jobQueue }) })
  const chosen = queue === undefined ? {} : { queue }
  return Either.map(resolveResources({ ...asked, ...provider, ...chosen, path }), (resources) => ({
    resources,
    ...chosen
  }))
}

const firstOf = <A>(
  own: A | undefined,
  source: Source,
  fallback: A | undefined
): { readonly value: A; readonly source: Source } | undefined => {
  if (own !== undefined) return { value: own, source }
  return fallback === undefined ? undefined : { value: fallback, source: "provider" }
}

/** an entry that names the provider's own metric need not say its scale again */
const withScale = (primary: PrimaryScore, benchmark: ProviderBenchmark): PrimaryScore => {
  const { metric, scale } = benchmark.primaryScore ?? {}
  return primary.scale === undefined && scale !== undefined && primary.metric === metric
    ? { ...primary, scale }
    : primary
}

const made = (input: SnapshotInput): Either.Either<BenchmarkSnapshot, ReadonlyArray<Violation>> => {
  const { entry, source, provider, benchmark } = input
  const primary = firstOf(entry.primaryScore, source, benchmark.primaryScore)
  const threshold = firstOf(entry.threshold, source, benchmark.threshold)
  return Either.map(hardwareOf(input), (hardware) => ({
    ...(primary === undefined
      ? {}
      : { primaryScore: { ...withScale(primary.value, benchmark), source: primary.source } }),
    ...defined({ threshold }),
    weight: entry.weight ?? 1,
    runtime: provider.runtime,
    ...defined({
      requirements: benchmark.requirements,
      numFewShot: benchmark.numFewShot,
      validityLimits: input.validityLimits
    }),
    ...hardware
  }))
}

/** the snapshot follows from the definition alone */
const isPlain = ({ entry, validityLimits, hardware }: SnapshotInput): boolean =>
  entry.primaryScore === undefined &&
  entry.threshold === undefined &&
  (entry.weight ?? 1) === 1 &&
  validityLimits === undefined &&
  hardware?.config === undefined &&
  hardware?.profile === undefined &&
  hardware?.jobQueue === undefined

interface Plain {
  readonly provider: Provider
  readonly withHardware: boolean
  readonly snapshot: BenchmarkSnapshot
}

/** of definitions that stay the same objects while nobody changes them, as the shipped ones do */
const plain = new WeakMap<ProviderBenchmark, Plain>()

/**
 * The snapshot of one benchmark; Left when its resources can not be resolved. One that follows from the definition alone is the same frozen object
 * for all jobs.
 */
export const snapshotOf = (input: SnapshotInput): Either.Either<BenchmarkSnapshot, ReadonlyArray<Violation>> => {
  if (!isPlain(input)) return made(input)
  const { provider, benchmark } = input
  const withHardware = input.hardware !== undefined
  const known = plain.get(benchmark)
  if (known?.provider === provider && known.withHardware === withHardware) return Either.right(known.snapshot)
  return Either.map(made(input), (value) => {
    const snapshot = Object.freeze(value)
    plain.set(benchmark, { provider, withHardware, snapshot })
    return snapshot
  })
}
