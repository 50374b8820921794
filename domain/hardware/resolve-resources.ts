/** Resource resolution: profile, then direct fields, then provider defaults, then built-in defaults; each value keeps its source. */

export type ResourceSource = "profile" | "hardware_config" | "provider" | "built_in"

export interface Sourced<A> {
  readonly value: A
  readonly source: ResourceSource
}

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

/** what the pod of one benchmark asks for; quantities as given by their source (canonical Kubernetes syntax) */
export interface ResolvedResources {
  readonly cpuRequest: Sourced<string>
  readonly memoryRequest: Sourced<string>
  readonly cpuLimit: Sourced<string>
  readonly memoryLimit: Sourced<string>
  /** extended resources (accelerators): request equals limit unless a profile says otherwise */
  readonly extended?: ReadonlyArray<{ readonly name: string; readonly request: string; readonly limit: string; readonly source: ResourceSource }>
  readonly nodeSelector?: { readonly [label: string]: string }
  readonly tolerations?: ReadonlyArray<Toleration>
}
