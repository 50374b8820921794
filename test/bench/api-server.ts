/**
 * The server with a runtime that accepts everything and starts nothing, so that only the API is measured: `api-server.mjs DIR`. A server
 * that really has nowhere to run benchmarks accepts no jobs.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer } from "effect"
import { Runtime } from "../../application/ports/runtime.ts"
import * as NoCluster from "../../infrastructure/kubernetes/client/no-cluster.ts"
import { serve } from "../../interfaces/main/server.ts"

const accepting = Layer.effect(
  Runtime,
  Effect.map(Runtime, (runtime) => ({ ...runtime, check: () => Effect.succeed([]) }))
).pipe(Layer.provide(NoCluster.layerRuntime))

NodeRuntime.runMain(serve(process.argv[2] ?? "config", false, accepting), { disablePrettyLogger: true })
