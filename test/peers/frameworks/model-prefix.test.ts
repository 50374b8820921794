/**
 * A sidecar that has the model below a path of its own (`sidecar.model_prefix`), under programs of other people: the real lm-eval, the real
 * Inspect and an adapter on the public Python package ask it there, and report at the paths that stay the sidecar's. Reference: gateway.md, "Routes".
 */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterEach, assert, describe, it } from "vitest"
import { listen } from "../../support/evald-process.ts"
import { bodyOf, serve } from "../../support/loopback-server.ts"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { configOf, eventsPath, makeScope, startedSidecar } from "../../support/running-sidecar.ts"
import { writeInspectSums, writeLmEvalSums } from "./own-sums.ts"

const count = 8
const prefix = "/m"
const jobId = eventsPath.split("/").at(-2) ?? ""
const scope = makeScope()
afterEach(scope.end)

interface Told {
  readonly benchmark_status_event: {
    readonly status?: string
    readonly metrics?: { readonly [name: string]: unknown }
  }
  readonly wire_counts?: { readonly [name: string]: unknown }
}
interface Program {
  readonly name: string
  readonly venv: Awaited<ReturnType<typeof peerVenv>>
  readonly benchmark: string
  readonly metric: string
  /** writes what it needs below the folder, and answers with the parameters of the job */
  readonly parameters: (folder: string) => object
  readonly command: (bin: string) => readonly [program: string, ...args: ReadonlyArray<string>]
}

const adapter = (name: string) => [process.execPath, resolve("dist/evald.mjs"), "adapter", name] as const
const programs: ReadonlyArray<Program> = [
  {
    ...{ name: "lm-eval", benchmark: "own_sums", metric: "exact_match" },
    venv: await peerVenv(peerEnvironments.lmEval),
    parameters: (folder) => writeLmEvalSums(folder, count),
    command: () => adapter("lm_evaluation_harness")
  },
  {
    ...{ name: "Inspect", benchmark: "inspect/custom", metric: "accuracy" },
    venv: await peerVenv(peerEnvironments.inspect),
    parameters: (folder) => writeInspectSums(folder, count),
    command: () => adapter("inspect")
  },
  {
    ...{ name: "the Python package", benchmark: "sums", metric: "exact_match" },
    venv: await peerVenv(peerEnvironments.pythonSdk),
    parameters: () => ({}),
    command: (bin) => [join(bin, "python"), resolve("docs/examples/adapters/sdk_adapter.py")]
  }
]

/** exit code, and both outputs */
const ended = ([file, ...args]: ReturnType<Program["command"]>, env: Readonly<Record<string, string>>) =>
  new Promise<readonly [code: number | null, output: string]>((done) => {
    const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"], timeout: 200_000, killSignal: "SIGKILL" })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    child.once("close", (code) => done([code, output]))
  })

/** a server that takes everything, and the terminal event of what it was told */
const server = async () => {
  const events: Array<Told> = []
  const { url } = await scope.keep(
    serve(async (request, response) => {
      const body = (await bodyOf(request)).toString()
      if (request.url?.endsWith("/events")) events.push(JSON.parse(body) as Told)
      response.writeHead(request.url?.endsWith("/samples") ? 200 : 204).end()
    })
  )
  const isTerminal = ({ benchmark_status_event: { status } }: Told) => status === "completed" || status === "failed"
  return { url, last: () => events.findLast(isTerminal) }
}

/** the demo model, and the paths at which it was asked */
const model = async () => {
  const demo = await scope.keep(
    listen(["demo-model", "--port", "0", "--skill", "1"]).then((running) => ({
      ...running,
      close: () => running.stop("SIGKILL")
    }))
  )
  const paths = new Set<string>()
  const { url } = await scope.keep(
    serve(async (request, response) => {
      paths.add(request.url ?? "")
      const body = await bodyOf(request)
      const answer = await fetch(new URL(request.url ?? "", demo.url), {
        method: request.method ?? "GET",
        ...(body.length === 0 ? {} : { body: body.toString(), headers: { "content-type": "application/json" } })
      })
      const type = answer.headers.get("content-type") ?? ""
      response.writeHead(answer.status, { "content-type": type }).end(Buffer.from(await answer.arrayBuffer()))
    })
  )
  return { url, paths }
}

for (const { name, venv, benchmark, metric, parameters, command } of programs)
  describe.runIf(venv._tag === "Ready")(`${name} at a sidecar with a prefix for the model`, () => {
    it("asks the model below it and nowhere else, and its score and the sidecar's counts arrive", async () => {
      const folder = mkdtempSync(join(tmpdir(), "evald-prefix-"))
      await scope.keep({ close: () => rmSync(folder, { recursive: true, force: true }) })
      const [told, upstream] = [await server(), await model()]
      const identity = { job_id: jobId, provider_id: "p", benchmark_id: benchmark }
      const sidecar = await scope.keep(
        startedSidecar(
          configOf(scope.place(), {
            identity,
            server: { base_url: told.url },
            model: { url: `${upstream.url}/v1`, prefix }
          })
        )
      )
      const job = {
        ...{ id: jobId, provider_id: "p", benchmark_id: benchmark, benchmark_index: 0, num_examples: count },
        model: { url: `${sidecar.url}${prefix}/v1`, name: "evald-demo" },
        parameters: parameters(folder),
        primary_score: { metric },
        callback_url: sidecar.url,
        output_dir: join(folder, "results")
      }
      mkdirSync(join(folder, "meta"))
      writeFileSync(join(folder, "meta", "job.json"), JSON.stringify(job))
      const bin = venv._tag === "Ready" ? venv.bin : ""
      const [code, output] = await ended(command(bin), {
        ...{ PATH: `${bin}:${process.env["PATH"]}`, HOME: folder, TMPDIR: folder, HF_HOME: join(folder, "hf") },
        ...{ HF_HUB_OFFLINE: "1", HF_DATASETS_OFFLINE: "1", EVALD_MODE: "local", EVALHUB_MODE: "local" },
        EVALD_JOB_SPEC_PATH: join(folder, "meta", "job.json"),
        EVALHUB_JOB_SPEC_PATH: join(folder, "meta", "job.json")
      })
      const refused = sidecar.lines.filter(({ fields }) => fields["message_code"] === "route_not_found")
      assert.deepStrictEqual([code, refused], [0, []], output)
      await sidecar.stop({ serveMillis: 0, flushMillis: 5000 })
      const last = told.last()
      assert.strictEqual(last?.benchmark_status_event.metrics?.[metric], 1, `${JSON.stringify(last)}\n${output}`)
      assert.deepInclude(last?.wire_counts, { questions: count, answers: count, failed: 0 })
      assert.include([...upstream.paths], "/v1/chat/completions")
      assert.isFalse([...upstream.paths].some((path) => path.startsWith(`${prefix}/`)))
    })
  })
