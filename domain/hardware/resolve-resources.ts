/** Resource resolution: profile, then direct fields, then provider defaults, then built-in defaults; each value keeps its source. */

import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { Path } from "../path.ts"
import type { KubernetesRuntime } from "../provider/runtime.ts"
import { compareQuantity, type Quantity } from "../quantity.ts"
import { say, unquoted } from "../sentence.ts"
import { shown, type Violation, violation } from "../violation.ts"
import { parseAmount, parseLimit } from "./amount.ts"
import type { HardwareConfig } from "./hardware-config.ts"
import type { HardwareProfile } from "./hardware-profile.ts"
import type { QueueChoice } from "./resolve-queue.ts"
import { type Placement, placePod, type Toleration } from "./scheduling.ts"

export type { Toleration } from "./scheduling.ts"

export type ResourceSource = "profile" | "hardware_config" | "provider" | "built_in"

export interface Sourced<A> {
  readonly value: A
  readonly source: ResourceSource
}

/** what the pod of one benchmark asks for; quantities as given by their source (canonical Kubernetes syntax) */
export interface ResolvedResources {
  readonly cpuRequest: Sourced<string>
  readonly memoryRequest: Sourced<string>
  readonly cpuLimit: Sourced<string>
  readonly memoryLimit: Sourced<string>
  /** extended resources (accelerators): request equals limit unless a profile says otherwise */
  readonly extended?: ReadonlyArray<{
    readonly name: string
    readonly request: string
    readonly limit: string
    readonly source: ResourceSource
  }>
  /** only a profile can ask for it */
  readonly ephemeralStorage?: { readonly request: string; readonly limit?: string; readonly source: ResourceSource }
  readonly nodeSelector?: { readonly [label: string]: string }
  readonly tolerations?: ReadonlyArray<Toleration>
}

/** Reference: cluster-objects.md, "Resources" */
export const builtInResources = {
  cpuRequest: "250m",
  memoryRequest: "512Mi",
  cpuLimit: "1",
  memoryLimit: "2Gi"
} as const

export interface ResourceInput {
  readonly profile?: HardwareProfile
  /** the benchmark's own `hardware_config`, else the job's: it replaces the other as a whole. Its direct fields are skipped in profile mode. */
  readonly config?: HardwareConfig
  readonly provider?: KubernetesRuntime
  /** the queue already chosen (`resolveQueue`), since it clears the provider's placement */
  readonly queue?: QueueChoice
  readonly providerPlacement?: Placement
  /** of the effective hardware configuration */
  readonly path: Path
}

const first = (
  ...candidates: ReadonlyArray<readonly [value: string | undefined, source: ResourceSource]>
): Sourced<string> | undefined => {
  for (const [value, source] of candidates) if (value !== undefined && value !== "") return { value, source }
  return undefined
}

const sourceText: { readonly [Source in ResourceSource]: string } = {
  profile: "hardware profile",
  hardware_config: "hardware_config",
  provider: "provider",
  built_in: "built-in default"
}

interface Range {
  readonly request: Sourced<string>
  readonly limit: Sourced<string>
}

/** pairs of values found in order before: most benchmarks have those of their provider, or the built-in ones */
const inOrder = new Set<string>()
const mostInOrder = 1000

/** request ≤ limit after resolution; nothing is raised silently */
const checkRange = (kind: "cpu" | "memory", range: Range, input: ResourceInput): ReadonlyArray<Violation> => {
  const pair = `${kind} ${range.request.value} ${range.limit.value}`
  if (inOrder.has(pair)) return []
  const violations = rangeViolations(kind, range, input)
  if (violations.length === 0 && inOrder.size < mostInOrder && pair.length < 100) inOrder.add(pair)
  return violations
}

const rangeViolations = (
  kind: "cpu" | "memory",
  { request, limit }: Range,
  input: ResourceInput
): ReadonlyArray<Violation> => {
  const named = (side: "request" | "limit", { value, source }: Sourced<string>) =>
    `${kind} ${side} ${shown(value)} (${sourceText[source]})`
  const parsed = [
    ["request", request, parseAmount(request.value, kind)],
    ["limit", limit, parseLimit(limit.value, kind)]
  ] as const
  const unreadable = parsed.flatMap(([side, sourced, amount]) =>
    Either.isLeft(amount)
      ? [
          violation(
            pathOf(side, sourced.source, kind, input),
            `${named(side, sourced)} ${amount.left.message}`,
            codeOf(sourced.source)
          )
        ]
      : []
  )
  if (unreadable.length > 0) return unreadable
  const [low, high] = parsed.map(([, , amount]) => Either.getOrUndefined(amount)) as ReadonlyArray<Quantity | undefined>
  if (low === undefined || high === undefined || compareQuantity(low, high) <= 0) return []
  const fromProfile = request.source === "profile" || limit.source === "profile"
  const fix =
    request.source === "profile"
      ? "set maxCount in the profile"
      : request.source === "hardware_config"
        ? say`set ${unquoted(["hardware", kind, "limit"])} or lower the request`
        : say`set ${unquoted(["hardware", kind])}`
  const side = request.source === "hardware_config" || limit.source !== "hardware_config" ? "request" : "limit"
  return [
    violation(
      fromProfile ? [...input.path, "profileName"] : [...input.path, kind, side],
      say`${named("request", request)} is larger than ${named("limit", limit)}; ${fix}`,
      fromProfile ? "hardware_profile_invalid" : "invalid_value"
    )
  ]
}

const pathOf = (
  side: "request" | "limit",
  source: ResourceSource,
  kind: "cpu" | "memory",
  input: ResourceInput
): Path => (source === "profile" ? [...input.path, "profileName"] : [...input.path, kind, side])
const codeOf = (source: ResourceSource): string => (source === "profile" ? "hardware_profile_invalid" : "invalid_value")

const accelerators = ({ profile, config }: ResourceInput): ResolvedResources["extended"] => {
  const fromProfile = profile?.accelerators ?? []
  if (fromProfile.length > 0) {
    const wanted = fromProfile.filter(({ count }) =>
      Either.match(parseAmount(count, "device"), { onLeft: () => false, onRight: ({ nanos }) => nanos > 0n })
    )
    return wanted.map(({ name, count }) => ({ name, request: count, limit: count, source: "profile" as const }))
  }
  const gpu = config?.profileName === undefined ? config?.gpu : undefined
  if (gpu?.name === undefined || gpu.count === undefined || gpu.count <= 0) return undefined
  return [{ name: gpu.name, request: String(gpu.count), limit: String(gpu.count), source: "hardware_config" }]
}

/** the resources of one benchmark with the source of every value, or all violations. Pure; a launch uses the stored answer. */
export const resolveResources = (input: ResourceInput): Either.Either<ResolvedResources, ReadonlyArray<Violation>> => {
  const { profile, provider } = input
  const direct = input.config?.profileName === undefined ? input.config : undefined
  const builtIn = (value: string): Sourced<string> => ({ value, source: "built_in" })
  const cpu: Range = {
    request:
      first(
        [profile?.cpu?.request, "profile"],
        [direct?.cpu?.request, "hardware_config"],
        [provider?.cpuRequest, "provider"]
      ) ?? builtIn(builtInResources.cpuRequest),
    limit:
      first(
        [profile?.cpu?.limit, "profile"],
        [direct?.cpu?.limit, "hardware_config"],
        [provider?.cpuLimit, "provider"]
      ) ?? builtIn(builtInResources.cpuLimit)
  }
  const memory: Range = {
    request:
      first(
        [profile?.memory?.request, "profile"],
        [direct?.memory?.request, "hardware_config"],
        [provider?.memoryRequest, "provider"]
      ) ?? builtIn(builtInResources.memoryRequest),
    limit:
      first(
        [profile?.memory?.limit, "profile"],
        [direct?.memory?.limit, "hardware_config"],
        [provider?.memoryLimit, "provider"]
      ) ?? builtIn(builtInResources.memoryLimit)
  }
  const violations = [...checkRange("cpu", cpu, input), ...checkRange("memory", memory, input)]
  if (violations.length > 0) return Either.left(violations)
  const extended = accelerators(input)
  const placement = placePod({
    ...defined({ scheduling: profile?.scheduling }),
    queued: input.queue !== undefined,
    ...defined({ provider: input.providerPlacement })
  })
  return Either.right({
    cpuRequest: cpu.request,
    memoryRequest: memory.request,
    cpuLimit: cpu.limit,
    memoryLimit: memory.limit,
    ...(extended === undefined || extended.length === 0 ? {} : { extended }),
    ...(profile?.ephemeralStorage === undefined
      ? {}
      : { ephemeralStorage: { ...profile.ephemeralStorage, source: "profile" as const } }),
    ...placement
  })
}
