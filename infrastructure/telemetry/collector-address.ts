/** Where and how the collector is reached, from the settings that the `OTEL_EXPORTER_OTLP_*` variables fill. Reference: metrics.md, "Traces". */
import { Either } from "effect"

/** `/v1/traces` is added unless the endpoint ends so */
export const tracesAddress = (endpoint: string): Either.Either<string, string> => {
  const address = endpoint.endsWith("/v1/traces") ? endpoint : `${endpoint.replace(/\/+$/, "")}/v1/traces`
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return Either.left("telemetry.endpoint must be an http or https address")
  if (url.username !== "" || url.password !== "")
    return Either.left("telemetry.endpoint must not hold a user name or password; use telemetry.headers")
  return Either.right(address)
}

/** encodings by the names of `OTEL_EXPORTER_OTLP_PROTOCOL`, and by the exporter's name */
const encodings: { readonly [protocol: string]: "json" | "protobuf" } = {
  "http/json": "json",
  "http/protobuf": "protobuf",
  "otlp-http": "json"
}

/** how batches are encoded; Left: why this protocol is not spoken here */
export const encodingOf = (protocol: string): Either.Either<"json" | "protobuf", string> => {
  const asked = protocol.trim().toLowerCase()
  const known = Object.hasOwn(encodings, asked) ? encodings[asked] : undefined
  if (known !== undefined) return Either.right(known)
  return Either.left(
    asked === "grpc" || asked === "otlp-grpc"
      ? "traces are sent over HTTP, not gRPC: use http/protobuf or http/json with the collector's HTTP port, by default 4318"
      : `the protocol '${protocol.slice(0, 80)}' is not known; use http/protobuf or http/json`
  )
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** `name=value` pairs separated by commas, values percent-encoded. A problem names the header and never shows its value. */
export const readHeaders = (text: string): Either.Either<{ readonly [name: string]: string }, string> => {
  const headers: Array<readonly [string, string]> = []
  for (const [index, pair] of text.split(",").entries()) {
    if (pair.trim() === "") continue
    const at = pair.indexOf("=")
    const name = pair.slice(0, at).trim()
    if (at < 1 || !token.test(name)) return Either.left(`header ${index + 1} is not of the form name=value`)
    const value = Either.getOrUndefined(Either.try(() => decodeURIComponent(pair.slice(at + 1).trim())))
    if (value === undefined || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return Either.left(`the value of header '${name}' cannot be sent; percent-encode it`)
    headers.push([name.toLowerCase(), value])
  }
  return Either.right(Object.fromEntries(headers))
}
