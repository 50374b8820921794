/** `evald operator`: turns resources of a cluster into running services. Exit codes: 64 usage, 78 configuration, 1 when it no longer leads or can not go on. */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Data, Effect } from "effect"
import { ConfigInvalid, load } from "../../config/load.ts"
import type { Settings } from "../../config/settings.ts"
import * as KubeClient from "../../infrastructure/kubernetes/client/client.ts"
import { fenced, makeLeadership } from "../../infrastructure/kubernetes/controller/leader-election.ts"
import { findConnection } from "../../infrastructure/kubernetes/kubeconfig/kubeconfig.ts"
import type { Platform } from "../../infrastructure/kubernetes/manifests/managed.ts"
import { runOperator } from "../../infrastructure/kubernetes/operator/operator.ts"
import { makeOperatorWatch } from "../../infrastructure/kubernetes/operator/operator-watch.ts"
import { configCommand } from "../cli/config-command.ts"
import { packagedConfig } from "../cli/config-directory.ts"
import * as Logging from "../cli/logging.ts"
import { operatorHelp } from "../cli/own-commands.ts"
import { serveProbes } from "../operator/probes.ts"
import { build } from "./build-info.ts"
import { platformNames } from "./compose/platform-names.ts"

class NoCluster extends Data.TaggedError("NoCluster")<{ readonly message: string }> {}

const exit = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })
const give = (message: string, code: number) => Effect.zipRight(Console.error(`evald operator: ${message}`), exit(code))

const platformOf = (settings: Settings, home: string | undefined): Platform | ConfigInvalid => {
  const image = settings["operator.image"]
  const namespace = settings["operator.namespace"] ?? home
  const problems = [
    ...(image === undefined || image === ""
      ? ["operator.image: no image is built in: set it, or EVALD_OPERATOR_IMAGE, to the image of the servers"]
      : []),
    ...(namespace === undefined
      ? ["operator.namespace: set it, or EVALD_OPERATOR_NAMESPACE: this process runs in no pod that tells"]
      : []),
    ...(settings["operator.lease.renew_seconds"] >= settings["operator.lease.duration_seconds"]
      ? ["operator.lease.renew_seconds: must be less than operator.lease.duration_seconds"]
      : [])
  ]
  if (problems.length > 0 || image === undefined || namespace === undefined) return new ConfigInvalid({ problems })
  return {
    ...platformNames(settings),
    image,
    namespace,
    defaultTlsMode: settings["operator.default_tls_mode"],
    securityProfile: settings["operator.security_profile"]
  }
}

/** the API server's own fairness and its Retry-After are the limit */
const unlimited = { qps: 1_000_000, burst: 1_000_000 }

const operate = (settings: Settings) =>
  Effect.gen(function* () {
    const connection = yield* findConnection({ environment: process.env })
    if (connection === undefined)
      return yield* new NoCluster({ message: "no cluster was found: neither a service account nor a kubeconfig" })
    const platform = platformOf(settings, connection.namespace)
    if (platform instanceof ConfigInvalid) return yield* platform
    const client = yield* KubeClient.make({ connection, ...unlimited })
    const watch = makeOperatorWatch()
    const leadership = yield* makeLeadership({
      client,
      namespace: platform.namespace,
      name: settings["operator.lease.name"],
      holder: `${process.env["EVALD_POD_NAME"] ?? hostname()}_${randomUUID()}`,
      durationSeconds: settings["operator.lease.duration_seconds"],
      renewSeconds: settings["operator.lease.renew_seconds"],
      retrySeconds: settings["operator.lease.retry_seconds"]
    })
    const { isLeader } = leadership
    const ports = yield* serveProbes(
      { health: settings["operator.health_port"], metrics: settings["operator.metrics_port"] },
      {
        sickness: watch.sickness,
        isLeader,
        figures: Effect.suspend(() => watch.figures(isLeader()))
      }
    )
    yield* Effect.logInfo(
      `health at http://localhost:${ports.health}/healthz, metrics at http://localhost:${ports.metrics}/metrics`
    )
    const options = {
      platform,
      version: build.version,
      authRules: readFileSync(join(packagedConfig, "auth.yaml"), "utf8"),
      workers: settings["operator.workers"],
      resyncSeconds: settings["operator.resync_seconds"]
    }
    return yield* leadership.lead(runOperator(fenced(client, isLeader), options, watch))
  }).pipe(Effect.scoped)

const run = (configDir: string) =>
  Effect.gen(function* () {
    const settings = yield* load(configDir, process.env)
    const logging = Logging.layer({
      level: settings["log.level"],
      format: settings["log.format"],
      terminal: process.stderr.isTTY
    })
    return yield* Effect.provide(operate(settings), logging)
  }).pipe(
    Effect.catchTags({
      ConfigInvalid: ({ message }) => give(message, 78),
      KubeConfigUnusable: ({ message }) => give(message, 78),
      NoCluster: ({ message }) => give(message, 78),
      ListenFailed: ({ message }) => give(message, 1),
      LeadershipLost: ({ message }) => give(message, 1)
    })
  )

const operatorCommand = configCommand("operator", operatorHelp, (configDir) =>
  NodeRuntime.runMain(run(configDir), { disablePrettyLogger: true })
)

export const main = (args: ReadonlyArray<string>): void => {
  const [first, ...rest] = args
  // an operator that runs needs nothing of what makes manifests
  if (first === "manifests") void import("./compose/manifests.ts").then((manifests) => manifests.main(rest))
  else operatorCommand(args)
}
