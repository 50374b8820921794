/** Files below the result folder that every adapter writes. Reference: adapter-contract.md, "Result files". */
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Data, Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import { isObject, type JsonObject, secretMember } from "../../../values/json.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { Adapter, Results } from "../adapter.ts"
import { describeMetric, jsonSafe } from "../events/event-body.ts"
import { withoutGatewaySecret } from "../gateway-secret.ts"

export class ResultFilesFailed extends Data.TaggedError("ResultFilesFailed")<{ readonly message: string }> {}

/** values of members with secret-like names, and the secret within gateway addresses, are replaced */
const withoutSecrets = (value: unknown): unknown => {
  if (typeof value === "string") return withoutGatewaySecret(value)
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, secretMember.test(name) ? "***" : withoutSecrets(member)])
  )
}

/** `{metric: {value, unit?, lower_is_better?, n?, stderr?, ci?, ci_level?, ci_method?}}` */
export const metricsFile = (results: Results): JsonObject =>
  Object.fromEntries(results.metrics.map((metric) => [metric.name, { value: metric.value, ...describeMetric(metric) }]))

export const environmentFile = (
  adapter: Pick<Adapter, "name" | "version">,
  job: JobSpec,
  results: Results | undefined
): JsonObject => {
  const { callback_url: _, model, ...rest } = job
  const { auth: __, ...plainModel } = model
  const framework = results?.additionalInfo?.["framework"]
  return {
    adapter: { name: adapter.name, ...defined({ version: adapter.version }) },
    ...defined({ framework }),
    runtime: { name: "node", version: process.versions.node },
    platform: { os: process.platform, arch: process.arch },
    job: withoutSecrets({ ...rest, model: plainModel })
  }
}

/** each file appears whole or not at all */
export const writeResultFiles = (
  folder: string,
  files: { readonly [name: string]: unknown }
): Effect.Effect<void, ResultFilesFailed> =>
  Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true })
      for (const [name, content] of Object.entries(files)) {
        const path = join(folder, name)
        writeFileSync(`${path}.tmp`, `${JSON.stringify(jsonSafe(content), null, 2)}\n`)
        renameSync(`${path}.tmp`, path)
      }
    },
    catch: (cause) => new ResultFilesFailed({ message: cause instanceof Error ? cause.message : String(cause) })
  })

const maxInfoBytes = 256 * 1024
const maxBodyBytes = 1024 * 1024
const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(jsonSafe(value)) ?? "")
const pointerTo = (bytes: number) => ({ moved_to: "result.json", bytes })

/** members in their order while they fit into `limit` bytes; the others point to the result file */
const shrink = (members: JsonObject, limit: number): JsonObject => {
  let left = limit
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const bytes = sizeOf(member)
      if (bytes > left) return [name, pointerTo(bytes)]
      left -= bytes
      return [name, member]
    })
  )
}

/** cards and further information that take more than a few lines are only in `result.json`, which the event points to */
const withoutDetails = (event: JsonObject): JsonObject => {
  const { additional_info: info, artifacts } = event
  return {
    ...event,
    ...(isObject(info) ? { additional_info: shrink(info, 4096) } : {}),
    ...(isObject(artifacts) ? { artifacts: shrink(artifacts, 4096) } : {})
  }
}

/** the same result for a receiver that takes no large bodies: without details and without descriptions of its metrics */
export const slimEvent = (event: JsonObject): JsonObject => {
  const { metrics_schema: _, ...rest } = withoutDetails(event)
  return rest
}

/** the event as it is sent: `additional_info` over 256 KiB, and cards of a body over 1 MiB, are only in `result.json` */
export const fitEvent = (event: JsonObject): JsonObject => {
  const info = event["additional_info"]
  const slim =
    isObject(info) && sizeOf(info) > maxInfoBytes ? { ...event, additional_info: shrink(info, maxInfoBytes) } : event
  return sizeOf(slim) <= maxBodyBytes ? slim : withoutDetails(slim)
}
