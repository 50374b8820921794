/** What the collector is told of this process, from the variables that every exporter reads. Reference: metrics.md, "Traces". */
import { Either } from "effect"

/** what stands where the variables say nothing */
export interface Service {
  readonly name: string
  readonly version: string
  readonly instance: string
}

export interface Resource {
  readonly serviceName: string
  readonly serviceVersion: string
  readonly attributes: { readonly [name: string]: string }
}

const pairOf = (pair: string): readonly [string, string] | undefined => {
  const at = pair.indexOf("=")
  const name = pair.slice(0, at).trim()
  const value = Either.getOrUndefined(Either.try(() => decodeURIComponent(pair.slice(at + 1).trim())))
  return at < 1 || name === "" || value === undefined ? undefined : [name, value]
}

/** `OTEL_RESOURCE_ATTRIBUTES`: `name=value` pairs separated by commas, values percent-encoded; with one pair that is none it is not used at all */
const attributesIn = (text: string): { readonly [name: string]: string } => {
  const pairs = text
    .split(",")
    .filter((pair) => pair.trim() !== "")
    .map(pairOf)
  return pairs.includes(undefined)
    ? {}
    : Object.fromEntries(pairs.flatMap((pair) => (pair === undefined ? [] : [pair])))
}

/** a variable of its own goes before the attribute of the same meaning */
export const resourceOf = (
  environment: { readonly [variable: string]: string | undefined },
  service: Service
): Resource => {
  const {
    "service.name": name,
    "service.version": version,
    ...others
  } = attributesIn(environment["OTEL_RESOURCE_ATTRIBUTES"] ?? "")
  return {
    serviceName: environment["OTEL_SERVICE_NAME"] || name || service.name,
    serviceVersion: environment["OTEL_SERVICE_VERSION"] || version || service.version,
    attributes: { ...others, "service.instance.id": service.instance }
  }
}
