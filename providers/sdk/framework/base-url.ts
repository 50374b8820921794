/** The forms of a model's address that frameworks want. Reference: providers-and-collections.md, "Framework wrappers". */

const withoutEnd = (url: string): string => {
  const plain = new URL(url)
  plain.search = ""
  plain.hash = ""
  return plain.href.replace(/\/+$/, "")
}

/** `model.url` with `/v1` appended unless it ends in a version; no trailing slash, no query. The URL must be valid (the probe has seen it). */
export const apiBase = (url: string): string => {
  const base = withoutEnd(url)
  return /\/v[0-9]+$/.test(base) ? base : `${base}/v1`
}

/** the same without its version, for frameworks that append it */
export const serverBase = (url: string): string => apiBase(url).replace(/\/v[0-9]+$/, "")
