import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Identifiers } from "../../../../application/ports/identifiers.ts"
import { layer } from "../../../../infrastructure/in-process/identifiers.ts"

/** more than the random bytes that are asked for at once last for */
const many = 1000

const randomPart = (id: string): string => id.slice(-16).replace("-", "")

describe("ids", () => {
  it.effect("are in order, and no two of them have the same random part", () =>
    Effect.gen(function* () {
      const { next } = yield* Identifiers
      const ids = yield* Effect.replicateEffect(next, many)
      assert.deepStrictEqual(ids.toSorted(), ids)
      assert.strictEqual(new Set(ids.map(randomPart)).size, many)
      for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }).pipe(Effect.provide(layer))
  )
})
