/** Jobs of the real server with an experiment on a real MLflow from PyPI: what it shows afterwards, and what happens without it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { mlflowServer } from "../../support/mlflow-server.ts"
import { peerEnvironments } from "../../support/peer-environments.ts"
import type { RunningPeer } from "../../support/peer-process.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { type ServiceHost, serviceHost } from "../../support/service-host.ts"

const venv = await peerVenv(peerEnvironments.mlflow)

interface Pair {
  readonly key: string
  readonly value: unknown
}
interface Run {
  readonly info: {
    readonly run_id: string
    readonly run_name: string
    readonly status: string
    readonly artifact_uri: string
  }
  readonly data: {
    readonly metrics: ReadonlyArray<Pair>
    readonly params: ReadonlyArray<Pair>
    readonly tags: ReadonlyArray<Pair>
  }
}
const byKey = (pairs: ReadonlyArray<Pair>) => Object.fromEntries(pairs.map(({ key, value }) => [key, value]))

const benchmark = (id: string, num_examples: number) => ({
  id,
  provider_id: "evald",
  parameters: { num_examples, seed: 7 }
})

describe.runIf(venv._tag === "Ready")("experiments on MLflow 3.17.2 from PyPI", () => {
  const scope = Effect.runSync(Scope.make())
  const folder = mkdtempSync(join(tmpdir(), "evald-mlflow-service-"))
  let mlflow: RunningPeer
  let host: ServiceHost

  const asked = async (path: string, body?: object): Promise<unknown> => {
    const init =
      body === undefined
        ? {}
        : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    const response = await fetch(`${mlflow.url}/api/2.0/mlflow/${path}`, init)
    assert.strictEqual(response.status, 200, path)
    return response.json()
  }
  const jobs = async () =>
    ((await host.expected(200, "GET", "jobs")).json as { readonly total_count: number }).total_count

  beforeAll(async () => {
    if (venv._tag !== "Ready") return
    mlflow = await Effect.runPromise(Scope.extend(mlflowServer(venv.bin, folder), scope))
    host = await serviceHost({ shipped: true, config: { tracker: { tracking_uri: mlflow.url } } })
  })
  afterAll(async () => {
    await host?.stop()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  })

  it("a job gets its experiment, and each benchmark a run with the metrics and parameters that the job shows; then MLflow is gone", async () => {
    const experiment = { name: "nightly & more", tags: [{ key: "team", value: "a" }] }
    const model = await host.demoModel()
    const job = await host.evaluate(model, [benchmark("arith_basic", 6), benchmark("date_understanding", 4)], {
      experiment
    })
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))

    const found = (await asked(`experiments/get-by-name?experiment_name=${encodeURIComponent(experiment.name)}`)) as {
      readonly experiment: { readonly experiment_id: string; readonly tags: ReadonlyArray<Pair> }
    }
    const { experiment_id: id, tags } = found.experiment
    assert.deepInclude(byKey(tags), { team: "a" })
    assert.deepInclude(job.resource, { tracker_experiment_id: id, mlflow_experiment_id: id })
    assert.strictEqual(job.results["tracker_experiment_url"], `${mlflow.url}/#/experiments/${id}`)

    const { runs } = (await asked("runs/search", { experiment_ids: [id], max_results: 10 })) as {
      readonly runs: ReadonlyArray<Run>
    }
    const named = new Map(runs.map((run) => [run.info.run_name, run]))
    assert.sameMembers([...named.keys()], [`${job.resource.id}_0`, `${job.resource.id}_1`])
    for (const [index, name, count] of [
      [0, "arith_basic", "6"],
      [1, "date_understanding", "4"]
    ] as const) {
      const run = named.get(`${job.resource.id}_${index}`)
      const result = job.results.benchmarks[index]
      assert.strictEqual(run?.info.status, "FINISHED")
      assert.deepInclude(result ?? {}, { id: name, tracker_run_id: run?.info.run_id })
      const numbers = Object.entries(result?.metrics ?? {}).filter(([, value]) => typeof value === "number")
      assert.isAbove(numbers.length, 0)
      const shown = byKey(run?.data.metrics ?? [])
      for (const [metric, value] of numbers) assert.closeTo(Number(shown[metric]), Number(value), 1e-9, metric)
      assert.deepInclude(byKey(run?.data.params ?? []), {
        ...{
          benchmark_id: name,
          provider_id: "evald",
          model_name: "evald-demo",
          num_examples_evaluated: count,
          seed: "7"
        }
      })
      const listed = (await asked(`artifacts/list?run_id=${run?.info.run_id}`)) as {
        readonly files: ReadonlyArray<{ readonly path: string }>
      }
      assert.include(
        listed.files.map(({ path }) => path),
        "result.json"
      )
    }

    await Effect.runPromise(mlflow.stop)
    assert.strictEqual(await jobs(), 1)
    const refused = await host.call("POST", "jobs", {
      name: "late",
      model,
      benchmarks: [benchmark("arith_basic", 2)],
      experiment
    })
    assert.strictEqual(refused.status, 502, refused.text)
    assert.deepInclude(refused.json as object, { message_code: "tracker_request_failed" })
    assert.strictEqual(await jobs(), 1)
    const without = await host.evaluate(model, [benchmark("arith_basic", 2)])
    assert.strictEqual(without.status.state, "completed", "a job without an experiment needs no tracker")
  })
})
