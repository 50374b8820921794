/** A list by name shows the same rows whatever finds them: an index, or a look at every name. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { anyName, anyPart } from "../../support/name-search.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { cancel, remove } from "../../support/store-actions.ts"
import { jobId, makeJob } from "../../support/stored-jobs.ts"

const seed = 20_261_122
const size = 60

const idsOf = (items: ReadonlyArray<string>) =>
  items.map((item) => (JSON.parse(item) as { resource: { id: string } }).resource.id)

export const nameSearchSuite = (name: string, storage: StorageLayer) =>
  describe(`search by name: ${name}`, () => {
    layer(storage)((it) => {
      it.effect(
        "any part of any name finds the jobs that have it, and no others: patterns, quotes, cases, bidi marks, one letter or many",
        () =>
          Effect.gen(function* () {
            const store = yield* JobStore
            const names = fc.sample(anyName, { seed, numRuns: size })
            const tenantOf = (number: number) => (number % 3 === 0 ? "others" : "searched")
            for (const [number, one] of names.entries()) {
              const tags = number % 2 === 0 ? ["even"] : []
              yield* store.insert(
                makeJob({ id: jobId(number), tenant: tenantOf(number), benchmarks: 1, request: { name: one, tags } }),
                []
              )
            }
            const gone = [10, 20]
            for (const number of gone) yield* remove(tenantOf(number), jobId(number))
            yield* cancel("searched", jobId(1))
            const all = names
              .flatMap((one, number) =>
                gone.includes(number) || tenantOf(number) === "others" ? [] : [{ number, name: one.toLowerCase() }]
              )
              .reverse()
            for (const part of fc.sample(anyPart(names), { seed, numRuns: 300 })) {
              const found = all.filter((job) => job.name.includes(part.toLowerCase())).map(({ number }) => number)
              const page = yield* store.page("searched", { limit: 100, offset: 0, name: part })
              assert.deepEqual([idsOf(page.items), page.total], [found.map(jobId), found.length], JSON.stringify(part))
              const even = found.filter((number) => number % 2 === 0)
              const tagged = yield* store.page("searched", {
                limit: 1,
                offset: 0,
                name: part,
                tags: [["even"]],
                states: { values: ["cancelled"], negated: true }
              })
              assert.deepEqual(
                [idsOf(tagged.items), tagged.total],
                [even.slice(0, 1).map(jobId), even.length],
                JSON.stringify(part)
              )
            }
          })
      )
    })
  })
