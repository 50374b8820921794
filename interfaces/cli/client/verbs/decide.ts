/** `evald compare` and `gate`: questions that the server answers; here they are shown, and a gate becomes an exit code. */
import { defined } from "../../../../values/defined.ts"
import type { Operation } from "../../../http/api.ts"
import { documentOf } from "../documents.ts"
import { exits, recordOf, Stop } from "../exit.ts"
import { isWhole, show } from "../output.ts"
import { askedOf, type Connection, flagOf, type Handler, idIn, jobArgument, type Session } from "../session.ts"

const rounded = (value: number | undefined): string | undefined => value?.toFixed(4)
const range = (ends: { readonly low: number; readonly high: number } | undefined): string | undefined =>
  ends === undefined ? undefined : `${ends.low.toFixed(4)}..${ends.high.toFixed(4)}`

/** `ids`: the baseline, then what is held against it */
export const comparisonOf = async (session: Session, { client }: Connection, ids: ReadonlyArray<string>) => {
  const [baseline = "", ...candidates] = ids
  const tolerance = toleranceOf(session)
  return recordOf(
    await client.createComparison({
      payload: {
        baseline: { job: baseline },
        candidates: candidates.map((job) => ({ job })),
        ...defined({ tolerance })
      }
    })
  )
}

/** `--tolerance` */
export const toleranceOf = (session: Session): number | undefined => {
  const text = flagOf(session, "tolerance")
  const tolerance = text === undefined ? undefined : Number(text)
  if (tolerance === undefined || tolerance >= 0) return tolerance
  throw new Stop(exits.usage, "--tolerance must be a number of at least 0")
}

export const compare: Handler = async (session) => {
  const asked = askedOf(session)
  toleranceOf(session)
  const comparison = await comparisonOf(
    session,
    await session.connect(),
    session.line.positional.map((text) => idIn(text))
  )
  if (isWhole(asked.format)) {
    const name = () => `comparison/${comparison.resource.id}`
    await show(session.screen, asked, { rows: [comparison], columns: [], name, single: true })
    return exits.done
  }
  const rows = comparison.candidates.flatMap(({ job, benchmarks }, at) =>
    benchmarks.map((row) => ({ number: at + 1, job, ...row }))
  )
  await show(session.screen, asked, {
    rows,
    name: ({ id }) => id,
    columns: [
      // an identifier would take half of the terminal
      { name: "candidate", cell: ({ number }) => number },
      { name: "benchmark", cell: ({ provider_id, id }) => `${provider_id}/${id}` },
      { name: "outcome", cell: ({ outcome }) => outcome },
      { name: "difference", cell: ({ difference }) => rounded(difference) },
      { name: "interval", cell: ({ interval }) => range(interval) },
      { name: "n", cell: ({ n }) => n },
      { name: "why", wide: true, cell: ({ reason, message }) => message ?? reason },
      { name: "job", wide: true, cell: ({ job }) => job },
      { name: "p_holm", wide: true, cell: ({ p_holm }) => rounded(p_holm) }
    ]
  })
  for (const { number, provider_id, id, reason, message } of rows)
    if (asked.format === "table" && (message ?? reason) !== undefined)
      session.screen.note(`candidate ${number}, ${provider_id}/${id}: ${message ?? reason}`)
  for (const [at, { job, overall, overall_missing }] of comparison.candidates.entries())
    session.screen.note(
      `candidate ${at + 1}, job ${job}: ${overall === undefined ? `no overall difference: ${overall_missing}` : `${overall.outcome}, ${overall.difference.toFixed(4)} [${range(overall.interval)}]`}`
    )
  return exits.done
}

const partOf = (stopped: { readonly asked: number; readonly of: number } | undefined): string | undefined =>
  stopped === undefined ? undefined : `stopped early after ${stopped.asked} of ${stopped.of} items`

type Policy = Operation<"createGate">["payload"]["policy"]

export const gate: Handler = async (session) => {
  const asked = askedOf(session)
  const [file, baseline] = [flagOf(session, "policy"), flagOf(session, "baseline")]
  if (file === undefined) throw new Stop(exits.usage, "by which policy: --policy FILE", "evald gate --help")
  if (baseline === "")
    throw new Stop(exits.usage, "--baseline is empty; is there no job to hold it against yet?", "evald get jobs")
  // what is wrong with it is the server's to say
  const policy = (await documentOf(file)) as Policy
  const { client } = await session.connect()
  const payload = { policy, ...(baseline === undefined ? {} : { baseline: { job: idIn(baseline) } }) }
  const judged = recordOf(await client.createGate({ path: { id: jobArgument(session) }, payload }))
  if (isWhole(asked.format))
    await show(session.screen, asked, {
      rows: [judged],
      columns: [],
      name: () => `gate/${judged.resource.id}`,
      single: true
    })
  else {
    await show(session.screen, asked, {
      rows: judged.criteria,
      name: ({ benchmark }) => benchmark,
      columns: [
        { name: "benchmark", cell: ({ benchmark }) => benchmark },
        { name: "kind", cell: ({ kind }) => kind },
        { name: "tier", cell: ({ tier }) => tier },
        { name: "outcome", cell: ({ outcome }) => outcome },
        // the bounds are of the loss where there is one
        { name: "value", cell: ({ value, loss }) => (loss === undefined ? rounded(value) : `loss ${rounded(loss)}`) },
        { name: "bounds", cell: ({ bounds }) => range(bounds) },
        { name: "n", cell: ({ n }) => n },
        { name: "why", cell: ({ reason, message, early_stopped }) => message ?? reason ?? partOf(early_stopped) }
      ]
    })
    session.screen.note(judged.outcome)
  }
  const id = jobArgument(session)
  if (judged.outcome !== "GO")
    session.screen.note(
      `next: ${baseline === undefined ? `evald samples ${id} --verdict incorrect` : `evald compare ${idIn(baseline)} ${id}`}`
    )
  return judged.outcome === "GO" ? exits.done : judged.outcome === "NO-GO" ? exits.belowThreshold : exits.inconclusive
}
