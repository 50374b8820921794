/** A real MLflow server on a database and artifacts of its own. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Effect, Scope } from "effect"
import { type RunningPeer, startPeerProcess } from "./peer-process.ts"

export interface MlflowOptions {
  readonly port?: number
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

/** `bin`: programs of the environment; `folder` keeps what it stores, also beyond the end of the process */
export const mlflowServer = (
  bin: string,
  folder: string,
  options: MlflowOptions = {}
): Effect.Effect<RunningPeer, never, Scope.Scope> => {
  mkdirSync(folder, { recursive: true })
  return startPeerProcess(join(bin, "mlflow"), {
    ...(options.port === undefined ? {} : { port: options.port }),
    arguments: (port) => [
      ...["server", "--host", "127.0.0.1", "--port", String(port), "--workers", "1"],
      ...[
        "--backend-store-uri",
        `sqlite:///${join(folder, "mlflow.db")}`,
        "--artifacts-destination",
        join(folder, "artifacts")
      ],
      ...(options.args ?? [])
    ],
    env: {
      PATH: `${bin}:${process.env["PATH"]}`,
      MLFLOW_DISABLE_TELEMETRY: "true",
      DO_NOT_TRACK: "true",
      ...options.env
    },
    // the server starts workers of its own
    group: true,
    ready: "/health"
  })
}
