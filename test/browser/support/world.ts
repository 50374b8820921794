/** A real server in local mode with the demo model behind it: that of the suite in a tenant of one's own, or one for a test alone. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { inject } from "vitest"
import { makeClient, type RequestOf } from "../../../interfaces/client/client.ts"
import { listen, until } from "../../support/evald-process.ts"

export interface World {
  readonly url: string
  readonly modelUrl: string
  /**
   * a job of one benchmark with so many samples of an adapter of somebody else's, the first of them hostile, and a log of so many megabytes;
   * `more`: other parameters of support/sampling-adapter.mjs. Resolves when it has ended.
   */
  readonly sampled: (name: string, count: number, logMegabytes?: number, more?: object) => Promise<string>
  readonly submit: (body: Partial<RequestOf<"submitJob">["payload"]>) => Promise<string>
  /** resolves when the job has ended */
  readonly ended: (id: string) => Promise<void>
  readonly client: ReturnType<typeof makeClient>
  /** undefined: the server's own choice */
  readonly tenant: string | undefined
}

/** text that would run or load if it were taken for anything else than text */
export const hostile = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>"'&javascript:alert(1)`

const worldAt = (
  url: string,
  modelUrl: string,
  tenant: string | undefined,
  headers: { readonly [name: string]: string }
): World => {
  const client = makeClient({ baseUrl: url, headers })
  const submit: World["submit"] = async (body) => {
    const outcome = await client.submitJob({
      payload: {
        name: "two small benchmarks",
        model: { url: modelUrl, name: "evald-demo" },
        benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 20 } }],
        ...body
      }
    })
    if (!outcome.ok) throw new Error(`${outcome.status} ${outcome.error?.message}`)
    return (outcome.value as { readonly resource: { readonly id: string } }).resource.id
  }
  const ended: World["ended"] = async (id) => {
    await until(
      async () => {
        const outcome = await client.getJob({ path: { id } })
        return outcome.ok && typeof outcome.value === "object" ? outcome.value.status.state : "pending"
      },
      (state) => state !== "pending" && state !== "running",
      110_000
    )
  }
  const sampled: World["sampled"] = async (name, count, logMegabytes = 0, more = {}) => {
    const outcome = await client.createProvider({
      payload: {
        name: `samples-${count}-${logMegabytes}`,
        title: "Samples",
        description: "",
        runtime: {
          local: { command: `${process.execPath} ${resolve("test/browser/support/sampling-adapter.mjs")}` }
        },
        benchmarks: [
          {
            ...{ id: "sampled", name: "Sampled", category: "other", metrics: ["acc"] },
            primary_score: { metric: "acc", lower_is_better: false }
          }
        ]
      }
    })
    if (!outcome.ok) throw new Error(`${outcome.status} ${outcome.error?.message}`)
    const { id: provider } = (outcome.value as { readonly resource: { readonly id: string } }).resource
    const id = await submit({
      name,
      benchmarks: [
        { id: "sampled", provider_id: provider, parameters: { count, hostile, log_megabytes: logMegabytes, ...more } }
      ]
    })
    await ended(id)
    return id
  }
  return { url, modelUrl, tenant, sampled, submit, ended, client }
}

/** `tenant`: of this file alone */
export const sharedWorld = (tenant: string): World => {
  const shared = inject("shared")
  if (shared === undefined) throw new Error("the suite has no shared server")
  return worldAt(shared.serverUrl, shared.modelUrl, tenant, { "x-tenant": tenant })
}

/** for a test that needs other settings, or a server that nobody else uses */
export const startWorld = async (
  environment: { readonly [name: string]: string } = {}
): Promise<World & { readonly stop: () => Promise<void> }> => {
  const home = mkdtempSync(join(tmpdir(), "evald-pages-"))
  const server = await listen(["server", "-local"], { PORT: "0", HOME: home, TMPDIR: home, ...environment })
  const model = await listen(["demo-model", "--port", "0"])
  const token = environment["EVALD_LOCAL_TOKEN"]
  const stop = async () => {
    await Promise.all([server.stop(), model.stop()])
    rmSync(home, { recursive: true, force: true })
  }
  const world = worldAt(
    server.url,
    model.url,
    undefined,
    token === undefined ? {} : { authorization: `Bearer ${token}` }
  )
  return { ...world, stop }
}
