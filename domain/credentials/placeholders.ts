/**
 * What an adapter gets to see of a model-auth secret. Works on key names only, so that no real value can slip into a placeholder.
 * Reference: gateway.md, "Model credentials"; cluster-objects.md, "Volumes".
 */
import { classifyKey } from "./secret-keys.ts"

export interface AdapterSecret {
  /** content of the ephemeral internal secret: key → placeholder; empty when none must be created */
  readonly references: { readonly [key: string]: string }
  /** keys the adapter reads with their real value: model hubs and TLS bypass the gateway */
  readonly passthrough: ReadonlyArray<"hf-token" | "ca_cert">
  /** keys only the gateway reads */
  readonly gateway: ReadonlyArray<string>
  /** set when the secret opens no model; the benchmark still runs */
  readonly warning?: string
}

/** an internal secret exists exactly when there is something to hide */
export const needsInternalSecret = ({ references }: AdapterSecret): boolean => Object.keys(references).length > 0

/** `keys`: names found in the user's secret; `gateway`: base URL under which the adapter reaches the gateway */
export const planAdapterSecret = (keys: ReadonlyArray<string>, gateway: string): AdapterSecret => {
  const names = [...new Set(keys)].sort()
  const references = names.flatMap((name): ReadonlyArray<readonly [string, string]> => {
    const { kind } = classifyKey(name)
    if (kind === "url") return [[name, gateway]]
    return kind === "api_key" || kind === "sa_token" ? [[name, `${name}:ref`]] : []
  })
  const passthrough = (["hf-token", "ca_cert"] as const).filter((name) => names.includes(name))
  const hidden = references.map(([name]) => name)
  const gatewayKeys = passthrough.includes("ca_cert") ? [...hidden, "ca_cert"] : hidden
  const plan = { references: Object.fromEntries(references), passthrough, gateway: gatewayKeys }
  if (gatewayKeys.length > 0) return plan
  return {
    ...plan,
    warning:
      passthrough.length > 0
        ? "the model secret holds only 'hf-token', which opens no model; add 'api-key' or 'ca_cert'"
        : "the model secret holds none of the recognised keys: api-key, <prefix>_api-key, <prefix>_sa_token, <prefix>_url, ca_cert, hf-token"
  }
}
