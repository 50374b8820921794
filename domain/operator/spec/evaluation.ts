/** What an instance evaluates with: definitions, pods of jobs, time limits. Reference: operator.md, "Custom resource". */
import { Schema } from "effect"
import { always, byDefault, listOf, name, optional, text, whole } from "../crd-field.ts"

const label63 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const definitionId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const definitionIds = listOf(text(128, definitionId), 200, { "x-kubernetes-list-type": "set" })

const defaultProviders = ["evald", "lm_evaluation_harness", "garak", "guidellm", "lighteval"] as const

export const evaluation = {
  providers: byDefault(definitionIds, [...defaultProviders], "ids of the providers that are offered; [] is none"),
  collections: optional(
    definitionIds,
    "ids of the collections that are offered; absent are all whose providers are offered, [] is none"
  ),
  tenantDefinitions: byDefault(
    Schema.Boolean,
    true,
    "take providers and collections from labelled ConfigMaps of tenants"
  ),
  hardwareProfilesNamespace: optional(text(63, label63), "namespace of hardware profiles; absent is the own one"),
  jobs: always(
    Schema.Struct({
      image: optional(text(512), "image of sidecar and init containers; absent is that of the server"),
      imagePullSecrets: byDefault(
        listOf(name(), 10, { "x-kubernetes-list-type": "set" }),
        [],
        "Secrets in the tenant's namespace for pulling images"
      )
    }),
    "pods of jobs"
  ),
  timeouts: always(
    Schema.Struct({
      benchmarkSeconds: byDefault(whole(0, 2_592_000), 0, "deadline of a running benchmark; 0 is off"),
      pendingSeconds: byDefault(whole(0, 2_592_000), 0, "time until its first event; 0 is off"),
      shutdownSeconds: byDefault(whole(10, 600), 60, "time in which a pod of the API ends"),
      progressSeconds: byDefault(whole(60, 3600), 300, "time in which a roll must make progress")
    }),
    "time limits"
  )
}
