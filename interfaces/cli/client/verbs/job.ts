/** `evald watch`, `wait`, `logs`, `cancel`: one job followed, read or ended. */
import { defined } from "../../../../values/defined.ts"
import { answered, exits, opened, Stop } from "../exit.ts"
import { follow } from "../follow.ts"
import { conditionOf, ending, endOf, showResult, verdictOf } from "../job-shown.ts"
import { plainLines, taken } from "../screen.ts"
import { askedOf, flagOf, type Handler, idIn, jobArgument, secondsOf, wholeNumber } from "../session.ts"

export const watch: Handler = async (session) => {
  const asked = askedOf(session)
  const failOn = flagOf(session, "fail-on")
  if (failOn !== undefined && failOn !== "verdict") throw new Stop(exits.usage, "--fail-on takes 'verdict'")
  const connection = await session.connect()
  const job = await follow(connection, session.screen, {
    id: jobArgument(session),
    progress: true,
    timeout: secondsOf(session, "timeout")
  })
  await showResult(session.screen, asked, job)
  return ending(session.screen, job, endOf(job, failOn !== undefined))
}

export const wait: Handler = async (session) => {
  const { until, exit } = conditionOf(flagOf(session, "for"))
  const timeout = secondsOf(session, "timeout")
  const job = await follow(await session.connect(), session.screen, {
    id: jobArgument(session),
    progress: false,
    timeout,
    until
  })
  session.screen.out(`${job.status.state}\t${verdictOf(job) ?? "-"}\n`)
  return ending(session.screen, job, exit(job))
}

export const logs: Handler = async (session) => {
  const id = jobArgument(session)
  const [index, tail, since] = [
    wholeNumber(session, "benchmark"),
    wholeNumber(session, "tail", 1),
    secondsOf(session, "since")
  ]
  const { client } = await session.connect()
  const urlParams = {
    ...defined({ tail_lines: tail }),
    ...(since === undefined ? {} : { since_seconds: Math.ceil(since) }),
    ...defined({ contains: flagOf(session, "contains") }),
    ...(session.line.switches.has("follow") ? { follow: true } : {})
  }
  const parts = await opened(
    index === undefined
      ? await client.open("getJobLogs", { path: { id }, urlParams })
      : await client.open("getBenchmarkLogs", { path: { id, index: String(index) }, urlParams })
  )
  const decoder = new TextDecoder()
  for await (const part of parts) {
    session.screen.out(plainLines(decoder.decode(part, { stream: true })))
    await taken()
  }
  session.screen.out(plainLines(decoder.decode()))
  return exits.done
}

export const cancel: Handler = async (session) => {
  const { client } = await session.connect()
  for (const id of session.line.positional.map((text) => idIn(text))) {
    answered(await client.cancelJob({ path: { id } }))
    session.screen.note(`job ${id} is cancelled`)
  }
  return exits.done
}
