/** Tools that change something: each says what it would do, asks the agent's user, and does it then. None deletes, and none defines anything. */
import { type Allowance, allowanceText, isAllowance } from "../../values/allowance.ts"
import { member, parseJson } from "../../values/json.ts"
import { answered, recordOf } from "../cli/client/exit.ts"
import { countsOf, headOf, id, jobOf } from "./job-told.ts"
import { jobArguments, jobBodyOf, payloadOf } from "./planning.ts"
import { type Arguments, type Asking, record, type ToolText, textOf } from "./tool.ts"
import { foreignEndpoint, needsPerson, notForAgents, type Writing, type WritingName } from "./writing.ts"

/** what a call comes to, before anybody has said yes */
interface Prepared {
  /** to the agent's user */
  readonly question: string
  /** why it is not done where the user can not be asked; undefined: it is done */
  readonly needsPerson: string | undefined
  readonly act: () => Promise<unknown>
}

export interface WritingTool extends ToolText {
  readonly name: WritingName
  readonly destructive: boolean
  /** refuses, by an error, what no yes would allow */
  readonly prepare: (asking: Asking & { readonly writing: Writing }, args: Arguments) => Promise<Prepared>
}

/** a name that somebody chose, so that it can not look like a part of the question */
const quoted = (text: string): string => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)

/** what stands in a token, whoever wrote it; undefined: nothing that can be read */
const contentOf = (token: string): unknown => parseJson(Buffer.from(token.split(".")[0] ?? "", "base64url").toString())

/** what a token says of its plan; whether it is one, the server finds out */
const estimateIn = (token: string): Allowance => {
  const estimate = member(contentOf(token), "estimate")
  if (isAllowance(estimate)) return estimate
  throw new Error("plan_token is not what plan_job has told")
}

const bound = (most: Allowance | undefined): string => allowanceText(most ?? {}) || "no bound of its own"

const submitJob: WritingTool = {
  name: "submit_job",
  title: "Submit a job",
  description:
    "Runs what plan_job has planned: the same arguments, and its plan_token, which holds for ten minutes and for one job. Asks the user first. Asked again with the same token it tells the same job.",
  takes: { ...jobArguments, plan_token: { type: "string", description: "what plan_job told as plan_token" } },
  needs: ["model_url", "model_name", "budget", "plan_token"],
  destructive: false,
  prepare: async ({ client, signal, writing }, args) => {
    const body = jobBodyOf(args)
    const refusal = notForAgents(writing, body)
    if (refusal !== undefined) throw new Error(refusal)
    const token = textOf(args, "plan_token") ?? ""
    const [estimate, budget] = [estimateIn(token), body.budget ?? {}]
    const names = (body.benchmarks ?? []).map((one) => `${one.provider_id}/${one.id}`)
    const what =
      body.collection === undefined
        ? `the benchmarks ${quoted(names.join(", "))} (${names.length} in all)`
        : `the collection ${quoted(body.collection.id)}`
    return {
      question: `Evaluate the model ${quoted(body.model.name)} at ${quoted(body.model.url)} with ${what}? Estimate: ${allowanceText(estimate) || "not known"}. At most: ${bound(budget)}.`,
      needsPerson: needsPerson(writing, { estimate, budget }),
      act: async () => {
        const outcome = await client.submitJob({ signal, headers: { "plan-token": token }, payload: payloadOf(body) })
        const job = recordOf(outcome)
        if ("runtime" in job) throw new Error("the server answered a plan")
        const again = outcome.headers.get("idempotent-replayed") === "true"
        return { ...(again ? { submitted_before: true } : {}), ...headOf(job) }
      }
    }
  }
}

const alone = (what: string) => `this program can not ask its user, and ${what} without a yes`

const rerunJob: WritingTool = {
  name: "rerun_job",
  title: "Run a job again",
  description:
    "Makes a new job of the benchmarks of an ended one that failed, that are invalid, or of all; the results of the others are taken over. Asks the user first.",
  takes: {
    id,
    which: {
      type: "string",
      description: "failed, invalid or all; failed unless given",
      enum: ["failed", "invalid", "all"]
    }
  },
  needs: ["id"],
  destructive: false,
  prepare: async (asking, args) => {
    const { client, signal, writing } = asking
    const job = await jobOf(asking, args)
    const refusal = foreignEndpoint(writing, job)
    if (refusal !== undefined) throw new Error(refusal)
    const which = (textOf(args, "which") ?? "failed") as "failed" | "invalid" | "all"
    return {
      question: `Run job ${job.resource.id} (${quoted(job.name)}, ${job.status.state}, ${job.status.benchmarks.length} benchmarks) again, of its benchmarks ${which}, against ${quoted(job.model.name)} at ${quoted(job.model.url)}? At most: ${bound(job.budget)}.`,
      needsPerson: alone("nothing is run again"),
      act: async () => {
        const path = { id: job.resource.id }
        return headOf(await record(client.rerunJob({ signal, path, payload: { which, reuse: which !== "all" } })))
      }
    }
  }
}

const cancelJob: WritingTool = {
  name: "cancel_job",
  title: "Cancel a job",
  description: "Stops a job; results that its benchmarks have already stay. Asks the user first.",
  takes: { id },
  needs: ["id"],
  destructive: true,
  prepare: async (asking, args) => {
    const { client, signal } = asking
    const job = await jobOf(asking, args)
    const path = { id: job.resource.id }
    const counts = Object.entries(countsOf(job)).map(([state, count]) => `${count} ${state}`)
    return {
      question: `Cancel job ${job.resource.id} (${quoted(job.name)}, ${job.status.state}; benchmarks: ${counts.join(", ")})?`,
      needsPerson: alone("nothing is cancelled"),
      act: async () => {
        answered(await client.cancelJob({ signal, path }))
        return headOf(await record(client.getJob({ signal, path })))
      }
    }
  }
}

export const writingTools: ReadonlyArray<WritingTool> = [submitJob, rerunJob, cancelJob]
