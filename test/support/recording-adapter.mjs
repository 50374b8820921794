// An adapter that keeps a record of its own: each start and each acknowledged event is a line of a file in `RECORDS`. What it does is told
// by its parameters: `hold_millis`, and `outcome`, one of completed, failed, silent (ends without an event) and spooled (leaves it in a file).
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const job = JSON.parse(readFileSync(process.env.EVALD_JOB_SPEC_PATH, "utf8"))
const { hold_millis: holdMillis = 0, outcome = "completed", accuracy = 0.5 } = job.parameters
const unit = `${job.id}/${job.benchmark_index}`
const note = (file, line) => appendFileSync(join(process.env.RECORDS, file), `${line}\n`)
const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis))

note("launches", `${unit} ${new URL(job.callback_url).port}`)

const named = { provider_id: job.provider_id, id: job.benchmark_id, benchmark_index: job.benchmark_index }
const bodyOf = (members) => JSON.stringify({ benchmark_status_event: { ...named, ...members } })

/** again until somebody decides: 2xx is accepted, 404 and 409 mean that it is superseded */
const deliver = async (members) => {
  const body = bodyOf(members)
  for (;;) {
    const status = await fetch(`${job.callback_url}/api/v1/evaluations/jobs/${job.id}/events`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(5000)
    }).then(
      (response) => response.status,
      () => 0
    )
    if (status === 200) return note("acknowledged", `${unit} ${members.status}`)
    if (status === 404 || status === 409) return note("superseded", `${unit} ${members.status}`)
    await sleep(200)
  }
}

await deliver({ status: "running", phase: "running_evaluation" })
await sleep(holdMillis)
if (outcome === "completed") await deliver({ status: "completed", metrics: { accuracy } })
else if (outcome === "failed")
  await deliver({ status: "failed", error_message: { message: "as told", message_code: "no_samples_scored" } })
else if (outcome === "spooled") {
  writeFileSync("../spool/.new", bodyOf({ status: "completed", metrics: { accuracy } }))
  renameSync("../spool/.new", "../spool/1-event.json")
}
