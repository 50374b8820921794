/** Units of a hosted server that are killed from outside, and what the server knows of them. */
import { readdirSync, readFileSync } from "node:fs"
import { until } from "../../support/evald-process.ts"
import type { HostedJob, ServiceHost } from "../../support/service-host.ts"

/** kills every process of a unit of the job, which carry its folder in their environment; how many there were */
export const killUnits = (host: ServiceHost, job: string): number => {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== host.pid)
  const own = pids.filter((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
      return environment.includes(host.folder) && environment.includes(job)
    } catch {
      return false
    }
  })
  for (const pid of own) process.kill(Number(pid), "SIGKILL")
  return own.length
}

const answersKept = (host: ServiceHost): number =>
  readdirSync(host.folder, { recursive: true, withFileTypes: true }).filter(({ name }) => /^[0-9a-f]{64}$/.test(name))
    .length

/** how many answers lie in the request log when no more come: they are written after they were delivered. `isFull`: no more are given */
export const settledAnswers = async (host: ServiceHost, isFull: () => boolean): Promise<number> => {
  let still = { kept: -1, looks: 0 }
  await until(
    async () => {
      const kept = answersKept(host)
      still = { kept, looks: kept === still.kept ? still.looks + 1 : 0 }
      return isFull() && still.looks >= 20
    },
    (isStill) => isStill,
    200_000
  )
  return still.kept
}

/** the job in its terminal state */
export const endedJob = (host: ServiceHost, id: string): Promise<HostedJob> =>
  until(
    async () => (await host.expected(200, "GET", `jobs/${id}`)).json as HostedJob,
    ({ status }) => status.state !== "pending" && status.state !== "running",
    300_000
  )
