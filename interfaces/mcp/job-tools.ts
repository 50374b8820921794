/** Tools that read jobs: where they are and why, what came of them, what stands behind their scores. */

import { plainText as withoutCommands } from "../../values/clean-text.ts"
import { defined } from "../../values/defined.ts"
import { countsOf, headOf, id, jobOf, resultOf, statusOf } from "./job-told.ts"
import { type Arguments, type Asking, cursorOf, endOfText, numberOf, record, type Tool, textOf } from "./tool.ts"

const benchmark = { type: "integer", description: "position of one benchmark in the job", minimum: 0 } as const
const offset = { type: "integer", description: "benchmarks to leave out from the beginning", minimum: 0 } as const
const page = {
  type: "integer",
  description: "largest number of benchmarks, 50 unless given",
  minimum: 1,
  maximum: 100
} as const
const cursor = { type: "string", description: "position that the page before answered as next" } as const

/** characters and lines of a log that are told */
const [mostLog, mostLines] = [32_768, 1000]

/** some of many, and how many there are */
const sliced = <A, B>(all: ReadonlyArray<A>, args: Arguments, tell: (one: A) => B) => {
  const from = numberOf(args, "offset") ?? 0
  return {
    benchmarks_in_all: all.length,
    benchmarks: all.slice(from, from + (numberOf(args, "limit") ?? 50)).map(tell)
  }
}

const listJobs: Tool = {
  name: "list_jobs",
  title: "List jobs",
  description: "Evaluation jobs of the tenant, newest first: state, model, and how many benchmarks are in which state.",
  takes: {
    status: {
      type: "string",
      description: "pending, running, completed, failed, cancelled or partially_failed; several with |"
    },
    name: { type: "string", description: "part of the job's name" },
    model: { type: "string", description: "only jobs of this model name" },
    limit: { type: "integer", description: "largest number of jobs, 20 unless given", minimum: 1, maximum: 50 },
    cursor
  },
  ask: async ({ client, signal }, args) => {
    const jobs = await record(
      client.listJobs({
        signal,
        urlParams: {
          limit: numberOf(args, "limit") ?? 20,
          cursor: textOf(args, "cursor") ?? "",
          ...defined({ status: textOf(args, "status"), name: textOf(args, "name"), model: textOf(args, "model") })
        }
      })
    )
    const items = jobs.items as unknown as ReadonlyArray<Parameters<typeof headOf>[0]>
    return {
      total: jobs.total_count,
      ...defined({ next: cursorOf(jobs) }),
      jobs: items.map((job) => ({ ...headOf(job), benchmarks: countsOf(job) }))
    }
  }
}

/** the job with the reasons for where it is */
export const jobTold = async (asking: Asking, args: Arguments) => {
  const job = await jobOf(asking, args)
  const { client, signal } = asking
  const { findings } = await record(client.explainJob({ signal, path: { id: job.resource.id } }))
  return {
    ...headOf(job),
    counts: countsOf(job),
    why: findings.map(({ code, says, remedy, since, eta }) => ({ code, says, remedy, since, ...defined({ eta }) })),
    ...sliced(job.status.benchmarks, args, statusOf)
  }
}

const getJob: Tool = {
  name: "get_job",
  title: "Read a job",
  description:
    "State of a job and of its benchmarks, and why it is where it is: the first reason is what the others follow from.",
  takes: { id, offset, limit: page },
  needs: ["id"],
  ask: jobTold
}

const getResults: Tool = {
  name: "get_results",
  title: "Read results",
  description:
    "Scores of a job with their intervals, thresholds and verdicts, and whether each can be believed (validity). A score without its interval and validity says little: tell all three.",
  takes: { id, offset, limit: page },
  needs: ["id"],
  ask: async (asking, args) => {
    const { results, ...job } = await jobOf(asking, args)
    return {
      ...headOf({ results, ...job }),
      ...defined({ verdict: results.test, usage: results.usage }),
      ...sliced(results.benchmarks, args, resultOf)
    }
  }
}

const listSamples: Tool = {
  name: "list_samples",
  title: "List samples",
  description:
    "Items behind the scores of a job: verdict, score, flags, tokens and time of each. Prompts and responses are told only where the operator allows it and content is asked for.",
  takes: {
    id,
    benchmark,
    verdict: { type: "string", description: "only samples with this verdict, such as incorrect" },
    flag: { type: "string", description: "only samples with this flag" },
    sort: { type: "string", description: "index, score, latency_ms or tokens; -score: downwards" },
    content: { type: "boolean", description: "prompts and responses as well" },
    limit: { type: "integer", description: "largest number of samples, 20 unless given", minimum: 1, maximum: 100 },
    cursor
  },
  needs: ["id"],
  ask: async ({ client, seen, signal }, args) => {
    const wanted = args["content"] === true
    if (wanted && !seen.content)
      throw new Error(
        "prompts and responses are not told here; the operator may allow it (mcp.content, or evald mcp --content)"
      )
    const path = { id: textOf(args, "id") ?? "" }
    const urlParams = {
      limit: numberOf(args, "limit") ?? 20,
      ...defined({
        verdict: textOf(args, "verdict") as "correct" | undefined,
        flag: textOf(args, "flag"),
        sort: textOf(args, "sort"),
        cursor: textOf(args, "cursor"),
        content: wanted ? true : undefined
      })
    }
    const index = numberOf(args, "benchmark")
    const samples = await record(
      index === undefined
        ? client.listJobSamples({ signal, path, urlParams })
        : client.listBenchmarkSamples({ signal, path: { ...path, index: String(index) }, urlParams })
    )
    return {
      ...defined({ total: samples.total_count, next: cursorOf(samples) }),
      samples: samples.items.map(({ record: whole, ...figures }) =>
        whole === undefined
          ? figures
          : {
              ...figures,
              untrusted: defined({
                prompt: whole.prompt,
                response: whole.response,
                reference: whole.reference,
                extracted: whole.extracted,
                error: whole.error
              })
            }
      )
    }
  }
}

const getLogs: Tool = {
  name: "get_logs",
  title: "Read a log",
  description: "Last lines that the programs of a job's benchmarks wrote.",
  takes: {
    id,
    benchmark,
    lines: { type: "integer", description: "last lines, 100 unless given", minimum: 1, maximum: mostLines },
    contains: { type: "string", description: "only lines with this text, in any case, of which the last are told" }
  },
  needs: ["id"],
  ask: async ({ client, signal }, args) => {
    const path = { id: textOf(args, "id") ?? "" }
    const urlParams = {
      tail_lines: numberOf(args, "lines") ?? 100,
      ...defined({ contains: textOf(args, "contains") })
    }
    const index = numberOf(args, "benchmark")
    const { text, isWhole } = await endOfText(
      index === undefined
        ? client.open("getJobLogs", { signal, path, urlParams })
        : client.open("getBenchmarkLogs", { signal, path: { ...path, index: String(index) }, urlParams }),
      // no character takes more
      4 * mostLog
    )
    const log = withoutCommands(text)
    return { cut: !isWhole || log.length > mostLog, lines: log.slice(-mostLog).split("\n") }
  }
}

export const jobTools: ReadonlyArray<Tool> = [listJobs, getJob, getResults, listSamples, getLogs]
