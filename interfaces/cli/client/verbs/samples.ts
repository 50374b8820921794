/** `evald samples`: the items behind the scores, page by page. */
import { defined } from "../../../../values/defined.ts"
import { exits, type RecordOf, recordOf } from "../exit.ts"
import { type Column, show } from "../output.ts"
import { taken } from "../screen.ts"
import { askedOf, type Connection, flagOf, type Handler, jobArgument, wholeNumber } from "../session.ts"

export type Sample = RecordOf<"listJobSamples">["items"][number]

const columns: ReadonlyArray<Column<Sample>> = [
  { name: "benchmark", cell: ({ benchmark_index }) => benchmark_index },
  { name: "sample", cell: ({ sample_id }) => sample_id },
  { name: "task", wide: true, cell: ({ task }) => task },
  { name: "repeat", wide: true, cell: ({ repeat }) => repeat },
  { name: "verdict", cell: ({ verdict }) => verdict },
  { name: "reason", cell: ({ reason }) => reason },
  { name: "score", cell: ({ score }) => score },
  { name: "tokens", cell: ({ tokens }) => tokens?.completion },
  { name: "flags", cell: ({ flags }) => flags?.join(",") },
  { name: "extracted", cell: ({ record }) => record?.extracted },
  { name: "response", cell: ({ record }) => record?.response }
]

/** every sample that matches, up to `limit`, in pages */
export async function* samplesOf(
  { client }: Connection,
  id: string,
  index: number | undefined,
  query: object,
  limit: number
): AsyncGenerator<ReadonlyArray<Sample>> {
  let left = limit
  let cursor: string | undefined
  do {
    const urlParams = { ...query, limit: Math.min(100, left), ...defined({ cursor }) }
    const page =
      index === undefined
        ? recordOf(await client.listJobSamples({ path: { id }, urlParams }))
        : recordOf(await client.listBenchmarkSamples({ path: { id, index: String(index) }, urlParams }))
    yield page.items
    left -= page.items.length
    const next = page.next?.href
    cursor = next === undefined ? undefined : (new URL(next, "http://server").searchParams.get("cursor") ?? undefined)
  } while (cursor !== undefined && left > 0)
}

export const samples: Handler = async (session) => {
  const asked = askedOf(session)
  const content = session.line.switches.has("content")
  const query = Object.fromEntries(
    Object.entries({
      verdict: flagOf(session, "verdict"),
      flag: flagOf(session, "flag"),
      q: flagOf(session, "search"),
      content: content || undefined
    }).filter(([, value]) => value !== undefined)
  )
  const [index, limit] = [wholeNumber(session, "benchmark"), wholeNumber(session, "limit", 1) ?? 50]
  const shown = (rows: ReadonlyArray<Sample>) =>
    show(session.screen, asked, {
      rows,
      columns: content ? columns : columns.filter(({ name }) => name !== "extracted" && name !== "response"),
      name: ({ benchmark_index, sample_id }) => `sample/${benchmark_index}/${sample_id}`
    })
  // a line for each sample needs no other: many are passed on as they come
  const lineByLine = asked.format === "jsonl" || asked.format === "name"
  const rows: Array<Sample> = []
  let count = 0
  for await (const page of samplesOf(await session.connect(), jobArgument(session), index, query, limit)) {
    count += page.length
    if (!lineByLine) rows.push(...page)
    else {
      await shown(page)
      await taken()
    }
  }
  if (!lineByLine) await shown(rows)
  if (count === 0) session.screen.note("no sample matches")
  else if (count === limit) session.screen.note(`the first ${limit} are shown; more: --limit N`)
  return exits.done
}
