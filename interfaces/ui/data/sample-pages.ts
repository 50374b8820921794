/** The samples of one benchmark with their records, page after page in the order of the data, as fast as they are taken. */
import { defined } from "../../../values/defined.ts"
import type { Client } from "../../client/client.ts"
import { type Asked, ask, type RecordOf } from "./answer.ts"

type Page = RecordOf<"listBenchmarkSamples">
export type RecordedSample = Page["items"][number]

/** one benchmark of one job */
export interface Unit {
  readonly job: string
  /** position in the job */
  readonly index: number
}

/** of `next.href`; undefined: this was the last page */
export const cursorIn = (next: { readonly href: string } | undefined): string | undefined =>
  next === undefined ? undefined : (new URL(next.href, "http://server").searchParams.get("cursor") ?? undefined)

const pageSize = 100

/** ends behind the last page, and behind a problem; rejected when it is aborted */
export async function* samplePages(
  { job, index }: Unit,
  by: Client,
  signal: AbortSignal
): AsyncGenerator<Asked<Page>, undefined, undefined> {
  let cursor: string | undefined
  do {
    const urlParams = { content: true, limit: pageSize, ...defined({ cursor }) }
    const asked = await ask("listBenchmarkSamples", { path: { id: job, index: String(index) }, urlParams, signal }, by)
    yield asked
    cursor = asked.ok ? cursorIn(asked.value.next) : undefined
  } while (cursor !== undefined)
  return undefined
}
