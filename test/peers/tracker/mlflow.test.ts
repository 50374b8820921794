/** A real MLflow server from PyPI: the cases of the double, and jobs of the real service. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe } from "vitest"
import { mlflowServer } from "../../support/mlflow-server.ts"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { type TrackerUnderTest, trackerSuite } from "../../support/tracker-suite.ts"

const venv = await peerVenv(peerEnvironments.mlflow)

describe.runIf(venv._tag === "Ready")("MLflow 3.17.2 from PyPI", () => {
  const scope = Effect.runSync(Scope.make())
  const folder = mkdtempSync(join(tmpdir(), "evald-mlflow-"))
  let plain: TrackerUnderTest
  let workspaces: TrackerUnderTest

  beforeAll(async () => {
    if (venv._tag !== "Ready") return
    const start = (name: string, ...args: ReadonlyArray<string>) => mlflowServer(venv.bin, join(folder, name), { args })
    const started = Effect.all([start("plain"), start("workspaces", "--enable-workspaces")], { concurrency: 2 })
    const [one, other] = await Effect.runPromise(Scope.extend(started, scope))
    plain = one
    workspaces = other
    for (const name of ["team-a", "team-b"])
      await fetch(`${other.url}/api/3.0/mlflow/workspaces`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name })
      })
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  })

  trackerSuite("as the double", { plain: () => plain, workspaces: () => workspaces })
})
