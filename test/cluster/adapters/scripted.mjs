// An adapter without any library that does what its benchmark's parameter `script` says; the image of foreign adapters in cluster tests.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"

const job = JSON.parse(readFileSync("/meta/job.json", "utf8"))
const { script, ...given } = job.parameters
const say = (text) => process.stdout.write(`${text}\n`)
const pause = (millis) => new Promise((done) => setTimeout(done, millis))

const tell = async (event) => {
  const body = {
    benchmark_status_event: {
      provider_id: job.provider_id,
      id: job.benchmark_id,
      benchmark_index: job.benchmark_index,
      ...event
    }
  }
  const response = await fetch(`${job.callback_url}/api/v1/evaluations/jobs/${job.id}/events`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  say(`event ${event.status}: ${response.status} ${await response.text()}`)
}
const complete = (metrics = { score: 1 }) =>
  tell({ status: "completed", metrics, completed_at: new Date().toISOString() })
const answerOf = (url, headers = {}) =>
  fetch(url, { headers, signal: AbortSignal.timeout(5000) }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (error) => ({ status: 0, text: String(error.cause?.code ?? error) })
  )

/** every file that this process can read, but for programs and libraries */
const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder === "/" ? "" : folder}/${entry.name}`
    if (
      [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/lib32",
        "/sys",
        "/dev",
        "/proc",
        "/opt",
        "/etc/ssl",
        "/etc/alternatives"
      ].includes(path)
    )
      return []
    try {
      if (statSync(path).isDirectory()) return filesBelow(path)
      return [[path, readFileSync(path, "utf8")]]
    } catch (error) {
      return [[path, `unreadable: ${error.code}`]]
    }
  })

process.on("SIGTERM", () => {
  say("asked to stop")
  if (script !== "deaf") process.exit(143)
})
say(`adapter of ${job.id} ${job.benchmark_index} attempt ${job.attempt}`)

switch (script) {
  // what an adapter can reach and read: told in its results, for the test to judge
  case "look": {
    await tell({ status: "running", phase: "running_evaluation" })
    const own = Object.entries(process.env)
    const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    const reached = {}
    for (const [name, url] of Object.entries(given.urls)) {
      reached[name] = await answerOf(url)
      say(`${name}: ${reached[name].status}`)
    }
    reached.by_reference = await answerOf(`${job.model.url}/models`, { authorization: "Bearer api-key:ref" })
    reached.other_reference = await answerOf(`${job.model.url}/models`, { authorization: "Bearer other:ref" })
    mkdirSync("/data/look", { recursive: true })
    writeFileSync(
      "/data/look/found.json",
      JSON.stringify({
        env: own,
        processes,
        reached,
        files: filesBelow("/"),
        sockets: readFileSync("/proc/net/tcp", "utf8")
      })
    )
    await complete({ score: reached.by_reference.status })
    break
  }
  case "silent":
    break
  // records are left as files, one of them torn, and nobody sends them
  case "leave": {
    mkdirSync(`${job.output_dir}/samples`, { recursive: true })
    const record = (index) =>
      JSON.stringify({ v: 1, sample_id: `own:${index}`, task: "own", index, repeat: 0, verdict: "correct", score: 1 })
    writeFileSync(`${job.output_dir}/samples/own.ndjson`, `${[0, 1, 2].map(record).join("\n")}\n{"v":1,"sample_id"`)
    await complete()
    break
  }
  case "exit":
    say("before the end")
    process.exit(given.code)
    break
  case "crash":
    process.abort()
    break
  case "grow": {
    const kept = []
    setInterval(() => kept.push(Buffer.alloc(8e6, 1)), 10)
    break
  }
  // reports its result and stays
  case "deaf":
  case "linger":
    await complete()
    setInterval(() => undefined, 1000)
    break
  case "flood": {
    const line = "x".repeat(1023)
    for (let at = 0; at < given.mebibytes * 1024; at += 1)
      if (!process.stdout.write(`${line}\n`)) await new Promise((drained) => process.stdout.once("drain", drained))
    await complete()
    break
  }
  case "wait":
    await tell({ status: "running", phase: "running_evaluation" })
    setInterval(() => undefined, 1000)
    break
  // events while something happens to the sidecar or the server
  case "steps":
    for (let step = 0; step < given.steps; step += 1) {
      await tell({ status: "running", phase: "running_evaluation" }).catch((error) =>
        say(`event not taken: ${error.cause?.code ?? error}`)
      )
      await pause(given.pause_ms)
    }
    for (;;) {
      const told = await complete({ score: 1, steps: given.steps }).then(
        () => true,
        (error) => void say(`result not taken: ${error.cause?.code ?? error}`)
      )
      if (told === true) break
      await pause(200)
    }
    break
  default:
    throw new Error(`no such script: ${script}`)
}
