/** Tools that ask the server to decide: what would run, whether a model is worse, whether it may ship, what was used. */

import { defined } from "../../values/defined.ts"
import type { Operation } from "../http/api.ts"
import { numberOf, record, type Tool, textOf, textsOf } from "./tool.ts"

const compareJobs: Tool = {
  name: "compare_jobs",
  title: "Compare jobs",
  description:
    "Holds jobs against a baseline, item by item: difference, interval and outcome of each benchmark, corrected for looking at many. Where prompts differ the server refuses to compare, and says so.",
  takes: {
    baseline: { type: "string", description: "identifier of the job that the others are held against" },
    candidates: {
      type: "array",
      description: "identifiers of one to eight jobs",
      items: { type: "string" },
      minItems: 1,
      maxItems: 8
    },
    tolerance: { type: "number", description: "a loss that is accepted, in units of the metric", minimum: 0 }
  },
  needs: ["baseline", "candidates"],
  records: true,
  ask: ({ client, signal }, args) =>
    record(
      client.createComparison({
        signal,
        payload: {
          baseline: { job: textOf(args, "baseline") ?? "" },
          candidates: textsOf(args, "candidates").map((job) => ({ job })),
          ...defined({ tolerance: numberOf(args, "tolerance") })
        }
      })
    )
}

const checkGate: Tool = {
  name: "check_gate",
  title: "Check a gate",
  description:
    "Judges a finished job by a policy: GO, NO-GO or INCONCLUSIVE, with each criterion's value, bounds and reason.",
  takes: {
    id: { type: "string", description: "identifier of the job" },
    policy: {
      type: "object",
      description:
        'the policy, such as {"criteria": [{"benchmark": "arith_basic", "kind": "absolute", "threshold": 0.8}]}'
    },
    baseline: { type: "string", description: "job that criteria of the kind no_worse compare with" }
  },
  needs: ["id", "policy"],
  records: true,
  ask: ({ client, signal }, args) => {
    const baseline = textOf(args, "baseline")
    return record(
      client.createGate({
        signal,
        path: { id: textOf(args, "id") ?? "" },
        // what is wrong with it is the server's to say
        payload: {
          policy: args["policy"] as Operation<"createGate">["payload"]["policy"],
          ...(baseline === undefined ? {} : { baseline: { job: baseline } })
        }
      })
    )
  }
}

const getUsage: Tool = {
  name: "get_usage",
  title: "Read usage",
  description: "Requests, tokens and cost of the tenant's evaluations, by model.",
  takes: {
    from: { type: "string", description: "only benchmarks that ended at or after this date or time (UTC)" },
    to: { type: "string", description: "only benchmarks that ended before it" },
    model: { type: "string", description: "only this model" }
  },
  ask: ({ client, signal }, args) =>
    record(
      client.getUsage({
        signal,
        urlParams: defined({ from: textOf(args, "from"), to: textOf(args, "to"), model: textOf(args, "model") })
      })
    )
}

export const decidingTools: ReadonlyArray<Tool> = [compareJobs, checkGate, getUsage]
