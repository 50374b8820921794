/** What each key of a model-auth secret means, judged by its name alone. Reference: gateway.md, "Model credentials"; cluster-objects.md, "Volumes". */

export type SecretKey =
  /** `api-key`, or `<prefix>_api-key` */
  | { readonly kind: "api_key"; readonly prefix?: string }
  | { readonly kind: "sa_token"; readonly prefix: string }
  | { readonly kind: "url"; readonly prefix: string }
  | { readonly kind: "ca_cert" }
  | { readonly kind: "hf_token" }
  | { readonly kind: "other" }

const prefixed = /^([A-Za-z0-9._-]+)_(api-key|sa_token|url)$/
const kindOfSuffix: { readonly [suffix: string]: "api_key" | "sa_token" | "url" } = {
  "api-key": "api_key",
  sa_token: "sa_token",
  url: "url"
}

/** total over any name; an empty prefix (`_api-key`) is no credential key */
export const classifyKey = (name: string): SecretKey => {
  if (name === "api-key") return { kind: "api_key" }
  if (name === "ca_cert") return { kind: "ca_cert" }
  if (name === "hf-token") return { kind: "hf_token" }
  const [, prefix, suffix = ""] = prefixed.exec(name) ?? []
  const kind = kindOfSuffix[suffix]
  return prefix === undefined || kind === undefined ? { kind: "other" } : { kind, prefix }
}

/** a key that an adapter may name in `Authorization: Bearer <key>:ref` */
export const isReferenceKey = (name: string): boolean => {
  const { kind } = classifyKey(name)
  return kind === "api_key" || kind === "sa_token"
}
