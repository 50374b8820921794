/** Old spellings of `runtime.k8s` members: accepted, in files with a warning. */
import { isObject } from "../values/json.ts"

export const spellings: Readonly<Record<string, string>> = {
  Image: "image",
  Entrypoint: "entrypoint",
  CPURequest: "cpu_request",
  MemoryRequest: "memory_request",
  CPULimit: "cpu_limit",
  MemoryLimit: "memory_limit",
  Env: "env"
}

export interface Renamed {
  readonly path: string
  readonly to: string
}

/** the document with today's member names, and what was renamed; the input is not changed */
export const modernKeys = (value: unknown): { readonly value: unknown; readonly renamed: ReadonlyArray<Renamed> } => {
  const runtime = isObject(value) ? value["runtime"] : undefined
  const k8s = isObject(runtime) ? runtime["k8s"] : undefined
  if (!isObject(value) || !isObject(runtime) || !isObject(k8s)) return { value, renamed: [] }
  const renamed = Object.keys(k8s).flatMap((key) => {
    const to = Object.hasOwn(spellings, key) ? spellings[key] : undefined
    return to === undefined || Object.hasOwn(k8s, to) ? [] : [{ path: `/runtime/k8s/${key}`, to, from: key }]
  })
  if (renamed.length === 0) return { value, renamed: [] }
  const names = new Map(renamed.map(({ from, to }) => [from, to]))
  const modern = Object.fromEntries(Object.entries(k8s).map(([key, member]) => [names.get(key) ?? key, member]))
  return {
    value: { ...value, runtime: { ...runtime, k8s: modern } },
    renamed: renamed.map(({ path, to }) => ({ path, to }))
  }
}
