/** How much is kept of each tenant: lengths of what its jobs left, read in pages of jobs, without reading the texts themselves. */
import { Effect, Layer } from "effect"
import { StoredBytes } from "../../../application/ports/stores/stored-bytes.ts"
import { Database } from "../connection/client.ts"

const text = `WITH page AS (SELECT key, id, tenant FROM jobs WHERE key > ? ORDER BY key LIMIT ?)
  SELECT tenant, max(key) AS last, count(*) AS jobs, sum(
    coalesce((SELECT octet_length(r.wire) + octet_length(r.data) FROM job_requests r WHERE r.job_key = page.key), 0)
    + coalesce((SELECT sum(octet_length(b.status) + coalesce(octet_length(b.result), 0) + octet_length(b.data) + octet_length(b.spec))
        FROM job_benchmarks b WHERE b.job_key = page.key), 0)
    + coalesce((SELECT sum(octet_length(c.data)) FROM sample_sets s JOIN sample_chunks c ON c.set_key = s.key
        WHERE s.job_id = page.id AND s.gone = 0), 0)
    + coalesce((SELECT sum(octet_length(l.text)) FROM unit_logs l WHERE l.job_id = page.id), 0)) AS bytes
  FROM page GROUP BY tenant`

interface PageRow {
  readonly tenant: string
  readonly last: number
  readonly jobs: number | string
  readonly bytes: number | string
}

/** jobs of one statement */
const page = 1000

const make = Effect.map(Database, (database) =>
  StoredBytes.of({
    measure: Effect.gen(function* () {
      const found = new Map<string, number>()
      let after = 0
      for (;;) {
        const rows = yield* database.readLong("storedBytes", (session) => session.query<PageRow>(text, [after, page]))
        for (const { tenant, bytes } of rows) found.set(tenant, (found.get(tenant) ?? 0) + Number(bytes))
        if (rows.reduce((sum, { jobs }) => sum + Number(jobs), 0) < page) return found
        after = Math.max(...rows.map(({ last }) => last))
      }
    })
  })
)

export const layer: Layer.Layer<StoredBytes, never, Database> = Layer.effect(StoredBytes, make)
