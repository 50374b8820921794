/** `evald run`, `rerun`: a job from a file, from flags or from one that has ended, on a server or on one that is started for it. */

import { defined } from "../../../../values/defined.ts"
import { isObject } from "../../../../values/json.ts"
import { quoted } from "../../../../values/shell-word.ts"
import type { Operation } from "../../../http/api.ts"
import { connectionTo } from "../connection.ts"
import { documentOf } from "../documents.ts"
import { exits, recordOf, Stop } from "../exit.ts"
import { follow, type Job } from "../follow.ts"
import { ending, endOf, jobColumns, jobName, showResult } from "../job-shown.ts"
import { isWhole, show } from "../output.ts"
import {
  askedOf,
  type Connection,
  flagOf,
  type Handler,
  jobArgument,
  type Session,
  secondsOf,
  wholeNumber
} from "../session.ts"

type Body = Operation<"submitJob">["payload"]

/** the local secret under which a server that is started here finds the endpoint's key */
const keySecret = "run-endpoint"

const benchmarksOf = (session: Session): ReadonlyArray<object> =>
  (session.line.values.get("benchmark") ?? []).map((text) => {
    const [provider, id] = text.includes("/") ? text.split(/\/(.*)/s) : ["evald", text]
    const examples = wholeNumber(session, "num-examples", 1)
    return { id, provider_id: provider, ...(examples === undefined ? {} : { parameters: { num_examples: examples } }) }
  })

const earlyStopOf = (session: Session): Partial<Body> => {
  const text = flagOf(session, "early-stop")
  if (text === undefined) return {}
  const alpha = Number(text)
  if (text.trim() === "" || !Number.isFinite(alpha))
    throw new Stop(exits.usage, `--early-stop takes a chance such as 0.05, not '${text}'`)
  return { early_stop: { alpha } }
}

const tagsOf = (session: Session): ReadonlyArray<string> =>
  (flagOf(session, "tags") ?? "").split(",").filter((tag) => tag !== "")

/** the name of the secret with the endpoint's key, where the line says one */
const secretOf = (session: Session): string | undefined =>
  session.line.switches.has("local") ? keyOf(session) && keySecret : flagOf(session, "api-key-secret")

/** a file's job with what the line says beside it */
const withFlags = (session: Session, body: Body): Body => {
  const [name, tags, secret] = [flagOf(session, "job-name"), tagsOf(session), secretOf(session)]
  return {
    ...body,
    ...earlyStopOf(session),
    ...defined({ name }),
    // tags that are no list are left as they are: the server says so
    ...(tags.length === 0 || !Array.isArray(body.tags ?? []) ? {} : { tags: [...(body.tags ?? []), ...tags] }),
    ...(secret === undefined ? {} : { model: { ...body.model, auth: { secret_ref: secret } } })
  }
}

const bodyOf = async (session: Session): Promise<Body> => {
  const flag = (name: string) => flagOf(session, name)
  const [file, url, model] = [flag("file"), flag("model"), flag("name")]
  if (file !== undefined) {
    const extra = ["model", "name", "collection", "benchmark", "num-examples"].filter((name) =>
      session.line.values.has(name)
    )
    if (extra.length > 0)
      throw new Stop(exits.usage, `with -f the file says it all, --${extra.join(", --")} has no place beside it`)
    const document = await documentOf(file)
    // the server says what is wrong with it
    return isObject(document) ? withFlags(session, document as unknown as Body) : (document as Body)
  }
  if (flag("early-stop") !== undefined) throw new Stop(exits.usage, "--early-stop needs the gate of a file: -f FILE")
  if (url === undefined || model === undefined)
    throw new Stop(exits.usage, "what is to be run: -f FILE, or --model URL and --name MODEL", "evald run --help")
  const benchmarks = benchmarksOf(session)
  const collection = flag("collection")
  if (benchmarks.length > 0 && collection !== undefined)
    throw new Stop(exits.usage, "--collection and --benchmark exclude each other")
  const examples = wholeNumber(session, "num-examples", 1)
  const [secret, tags] = [secretOf(session), tagsOf(session)]
  return {
    name: flag("job-name") ?? model.slice(0, 256),
    ...(tags.length === 0 ? {} : { tags }),
    model: { url, name: model, ...(secret === undefined ? {} : { auth: { secret_ref: secret } }) },
    ...(benchmarks.length > 0
      ? { benchmarks }
      : {
          collection: {
            id: collection ?? "quick-smoke",
            ...(examples === undefined ? {} : { parameters: { num_examples: examples } })
          }
        })
  } as Body
}

/** where the endpoint's key is, for a server that is started here */
const keyOf = (session: Session): { readonly file: string } | { readonly value: string } | undefined => {
  const [name, file] = [flagOf(session, "api-key-env"), flagOf(session, "api-key-file")]
  if (name === undefined) return file === undefined ? undefined : { file }
  const value = session.environment[name]
  if (value) return { value }
  throw new Stop(exits.configuration, `the variable '${name}' has no key`, "evald run --help")
}

/** what of the line can be wrong before anybody is asked; nothing is started or stored with a wrong one */
const checkLine = (session: Session): void => {
  const { line } = session
  askedOf(session)
  secondsOf(session, "timeout")
  const failOn = flagOf(session, "fail-on")
  if (failOn !== undefined && failOn !== "verdict") throw new Stop(exits.usage, "--fail-on takes 'verdict'")
  const local = line.switches.has("local")
  const wrong = local ? ["api-key-secret", "server", "context", "tenant"] : ["api-key-env", "api-key-file"]
  const found = wrong.filter((name) => line.values.has(name))
  if (found.length > 0)
    throw new Stop(
      exits.usage,
      `--${found.join(", --")} ${local ? "has no meaning with --local" : "is for --local only; a server has --api-key-secret"}`
    )
  const modes = ["wait", "watch", "detach"].filter((name) => line.switches.has(name))
  if (modes.length > 1) throw new Stop(exits.usage, `--${modes.join(" and --")} exclude each other`)
  if (local && modes[0] === "detach")
    throw new Stop(exits.usage, "with --local the server ends with the command: --detach can not be")
  const awaiting = ["timeout", "fail-on"].filter((name) => line.values.has(name))
  if (modes[0] === "detach" && awaiting.length > 0)
    throw new Stop(exits.usage, `--${awaiting.join(" and --")} and --detach exclude each other: nothing is awaited`)
  if (modes.length === 0 && !local && line.values.has("timeout") && failOn === undefined)
    throw new Stop(exits.usage, "--timeout is how long to wait: --wait or --watch")
}

const submitted = async (session: Session, connection: Connection, payload: Body): Promise<Job | number> => {
  if (!session.line.switches.has("dry-run")) {
    const job = recordOf(await connection.client.submitJob({ payload }))
    if ("resource" in job) return job
    throw new Stop(exits.other, "the server's answer is not a job record")
  }
  const plan = recordOf(await connection.client.submitJob({ payload, urlParams: { dry_run: true } }))
  if (!("runtime" in plan)) throw new Stop(exits.other, "the server's answer is not a plan")
  for (const warning of plan.warnings) session.screen.note(`warning: ${warning}`)
  const asked = askedOf(session)
  // a plan is one record, of which a table shows the benchmarks
  if (isWhole(asked.format))
    await show(session.screen, asked, { rows: [plan], columns: [], name: () => "plan", single: true })
  else
    await show(session.screen, asked, {
      rows: plan.benchmarks,
      name: ({ id }) => id,
      columns: [
        { name: "benchmark", cell: ({ provider_id, id }) => `${provider_id}/${id}` },
        { name: "weight", cell: ({ weight }) => weight },
        { name: "metric", cell: ({ primary_score }) => primary_score?.metric },
        { name: "threshold", cell: ({ threshold }) => threshold?.value },
        {
          name: "parameters",
          cell: ({ parameters }) => (parameters === undefined ? undefined : JSON.stringify(parameters))
        }
      ]
    })
  return exits.done
}

const go = async (session: Session, connection: Connection, body: Body): Promise<number> => {
  const job = await submitted(session, connection, body)
  return typeof job === "number" ? job : stored(session, connection, job)
}

/** how to look at a job once the server that ran it has ended: another one on its database */
const laterOf = ({ environment }: Session, database: string, id: string): string =>
  `job ${id} is kept; its page is http://127.0.0.1:${environment["PORT"] || 8080}/jobs/${id} while a server has its database\n` +
  `next: DB_URL=${quoted(`file:${database}`)} evald server -local`

/** what is asked to be done with a job that is stored: nothing, or its end awaited */
const stored = async (session: Session, connection: Connection, job: Job): Promise<number> => {
  const { line, screen } = session
  const failOn = line.values.has("fail-on")
  const { id } = job.resource
  const waits = ["wait", "watch", "local"].some((name) => line.switches.has(name)) || failOn
  if (!waits) {
    const asked = askedOf(session)
    if (asked.format === "table") screen.out(`${id}\n`)
    else await show(screen, asked, { rows: [job], columns: jobColumns, name: jobName, single: true })
    screen.note(`job ${id} is stored; next: evald watch ${id}`)
    return exits.done
  }
  const progress = line.switches.has("watch") || line.switches.has("local") || screen.noteWidth !== undefined
  const ended = await follow(connection, screen, { id, progress, timeout: secondsOf(session, "timeout") }).catch(
    async (error: unknown) => {
      // a job that nobody asks for any more would begin anew with the next server on the same database
      if (connection.temporary) await connection.client.cancelJob({ path: { id } }).catch(() => undefined)
      throw error
    }
  )
  await showResult(screen, askedOf(session), ended)
  const exitCode = endOf(ended, failOn)
  if (connection.temporary === undefined) return ending(screen, ended, exitCode)
  // of a server that ends with the command nobody asks anything
  screen.note(laterOf(session, connection.temporary.database, id))
  return exitCode
}

export const rerun: Handler = async (session) => {
  checkLine(session)
  const only = (["failed", "invalid"] as const).filter((which) => session.line.switches.has(which))
  if (only.length > 1) throw new Stop(exits.usage, "--failed and --invalid exclude each other")
  const [which] = only
  const connection = await session.connect()
  const payload = which === undefined ? ({ which: "all" } as const) : { which, reuse: true }
  const job = recordOf(await connection.client.rerunJob({ path: { id: jobArgument(session) }, payload }))
  return stored(session, connection, job)
}

export const run: Handler = async (session) => {
  checkLine(session)
  // standard input can be read once
  const body = await bodyOf(session)
  if (!session.line.switches.has("local")) return go(session, await session.connect(), body)
  const { startLocal } = await import("../local/local-server.ts")
  const local = await startLocal(session, keySecret, keyOf(session))
  try {
    const from = { server: "started here", token: "none" }
    const target = { server: local.server, tenant: undefined, token: undefined, ca: undefined, from }
    const connection = await connectionTo(target, {}, session.build.version)
    return await go(session, { ...connection, temporary: { database: local.database } }, body)
  } finally {
    await local.stop()
  }
}
