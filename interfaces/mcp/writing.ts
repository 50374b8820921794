/**
 * What agents may change, and how far that goes: which tools there are, which models may be asked, what may be spent without a person's yes. All of it
 * comes from who runs the server or the command, none of it from an agent. Reference: docs/mcp.md, "Writing".
 */
import { type Allowance, allowanceText, boundsAny, covers } from "../../values/allowance.ts"
import { leadsTo } from "../../values/host.ts"

export const writingNames = ["submit_job", "rerun_job", "cancel_job"] as const
export type WritingName = (typeof writingNames)[number]

export interface Writing {
  readonly tools: ReadonlyArray<WritingName>
  /** `host` or `host:port` */
  readonly modelHosts: ReadonlyArray<string>
  /** the most of one job; absent: nothing is submitted without a yes */
  readonly unattended?: Allowance
}

/** the body of a job, as far as an agent says it */
export interface AskedJob {
  readonly name: string
  readonly model: { readonly url: string; readonly name: string }
  readonly tags?: ReadonlyArray<string>
  readonly collection?: { readonly id: string }
  readonly benchmarks?: ReadonlyArray<{
    readonly provider_id: string
    readonly id: string
    readonly parameters?: { readonly [name: string]: unknown }
  }>
  readonly budget?: Allowance & { readonly seconds?: number }
}

/** why the model may not be asked; undefined: it may */
const foreignModel = ({ modelHosts }: Writing, address: string): string | undefined =>
  leadsTo(modelHosts, address)
    ? undefined
    : `'${address}' is no endpoint that agents may have evaluated; allowed are ${modelHosts.join(", ") || "none"} (mcp.model_hosts, evald mcp --model-hosts)`

/** whatever a program could take for an address, each of a text with several; `http:host` leads to a host as well */
const addressesIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.split(/(?=https?:)/i).filter((part) => /:\/\/|^https?:/i.test(part))
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(addressesIn) : []
}

/** why no agent may have the job run; undefined: it asks none but the models that may be asked */
export const foreignEndpoint = (
  writing: Writing,
  { model, benchmarks = [] }: Pick<AskedJob, "model" | "benchmarks">
): string | undefined =>
  // parameters name further endpoints, such as a judge's
  [model.url, ...benchmarks.flatMap(({ parameters }) => addressesIn(parameters))]
    .map((address) => foreignModel(writing, address))
    .find((reason) => reason !== undefined)

/** why no agent may submit the job; undefined: it may be asked for */
export const notForAgents = (writing: Writing, job: AskedJob): string | undefined =>
  boundsAny(job.budget ?? {})
    ? foreignEndpoint(writing, job)
    : 'a job of an agent needs a budget, such as {"requests": 200}: requests, tokens or cost, of all its benchmarks together'

/** why the job needs a person's yes; undefined: the budget for jobs without one covers what it may use */
export const needsPerson = (
  { unattended }: Writing,
  { estimate, budget }: { readonly estimate: Allowance; readonly budget: Allowance }
): string | undefined => {
  if (unattended === undefined)
    return "this program can not ask its user, and nothing may be submitted without (mcp.unattended_budget)"
  if (covers(unattended, estimate) && covers(unattended, budget)) return undefined
  const told = (amount: Allowance) => allowanceText(amount) || "not known"
  return `this program can not ask its user, and without a yes a job may use ${told(unattended)} (mcp.unattended_budget): the estimate is ${told(estimate)}, the job's budget ${told(budget)}`
}
