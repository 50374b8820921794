/** A real server in local mode: where it starts the processes of its benchmarks, and what a refused cancellation leaves alone. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Either } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { find } from "../../infrastructure/local/process/process-namespace.ts"
import { until } from "../support/evald-process.ts"
import { sumsProvider } from "../support/foreign-adapter.ts"
import { outcomes, type ServiceHost, serviceHost } from "../support/service-host.ts"

const hosts: Array<ServiceHost> = []
afterAll(async () => {
  for (const host of hosts) await host.stop()
})
const started = async (local: object): Promise<ServiceHost> => {
  const host = await serviceHost({ config: { local } })
  hosts.push(host)
  return host
}

const found = await Effect.runPromise(find(process.env["PATH"] ?? ""))

describe("local.process_namespace", () => {
  /** the process namespace that a unit of such a server says it has, and the server's own */
  const namespaces = async (setting: string) => {
    const host = await started({ process_namespace: setting })
    const event = {
      id: "sums",
      provider_id: "where",
      benchmark_index: 0,
      status: "completed",
      metrics: { exact_match: 1 }
    }
    const says = `readlink /proc/self/ns/pid; echo '${JSON.stringify({ benchmark_status_event: event })}' > ../spool/1-a.json`
    const provider = await host.defineByFile("where", sumsProvider(says))
    const job = await host.evaluate({ url: "http://127.0.0.1:9/v1", name: "m" }, [
      { id: "sums", provider_id: provider }
    ])
    assert.deepStrictEqual(outcomes(job), ["completed"])
    const unit = /^pid:\[\d+\]$/m.exec(await host.logs(job))?.[0]
    assert.isDefined(unit)
    return { unit, server: readlinkSync(`/proc/${host.pid}/ns/pid`) }
  }

  it("off: a unit is started beside its server, whatever the system grants", async () => {
    const { unit, server } = await namespaces("off")
    assert.strictEqual(unit, server)
  })

  it.runIf(Either.isRight(found))("auto: a unit has a namespace of its own where the system grants one", async () => {
    const { unit, server } = await namespaces("auto")
    assert.notStrictEqual(unit, server)
  })

  it.runIf(Either.isLeft(found))("auto: a unit is started beside its server where the system grants none", async () => {
    const { unit, server } = await namespaces("auto")
    assert.strictEqual(unit, server)
  })
})

/** processes of this job's units */
const processesOf = (jobId: string): number =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`EVALD_JOB_ID=${jobId}`)
    } catch {
      return false
    }
  }).length

describe("a job that is over while a process of it goes on", () => {
  it("refuses to be cancelled with 409 and stays as it is, process and log included; its removal ends the process", async () => {
    const host = await started({ linger_seconds: 600 })
    const adapter = `${process.execPath} ${resolve("docs/examples/adapters/minimal-adapter.mjs")}`
    const provider = await host.defineByApi(sumsProvider(`${adapter}; echo lingers; exec sleep 600`))
    const job = await host.evaluate(await host.demoModel(), [{ id: "sums", provider_id: provider }])
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    const { id } = job.resource
    await until(
      () => host.logs(job),
      (log) => log.includes("lingers")
    )
    assert.isAbove(processesOf(id), 0)
    const before = await host.expected(200, "GET", `jobs/${id}`)
    const refused = await host.expected(409, "DELETE", `jobs/${id}`)
    assert.strictEqual((refused.json as { readonly message_code: string }).message_code, "job_can_not_be_updated")
    assert.strictEqual((await host.expected(200, "GET", `jobs/${id}`)).text, before.text)
    assert.isAbove(processesOf(id), 0)
    assert.include(await host.logs(job), "lingers")
    await host.expected(204, "DELETE", `jobs/${id}?hard_delete=true`)
    await until(
      async () => processesOf(id),
      (count) => count === 0
    )
    assert.strictEqual((await host.call("GET", `jobs/${id}`)).status, 404)
  })
})

describe("the result of an embedded benchmark", () => {
  it("names the build that made it: the one that the server says it is", async () => {
    const host = await serviceHost({ shipped: true })
    hosts.push(host)
    const health = (await (await fetch(`${host.url}/api/v1/health`)).json()) as {
      readonly build: string
      readonly git_hash: string
    }
    const benchmark = { id: "arith_basic", provider_id: "evald", parameters: { num_examples: 2 } }
    const { results } = await host.evaluate(await host.demoModel(), [benchmark])
    assert.match(health.git_hash, /^[0-9a-f]{12}$/)
    assert.deepStrictEqual(results.benchmarks[0]?.additional_info?.["framework"], {
      ...{ name: "evald", version: health.build, revision: health.git_hash }
    })
  })
})
