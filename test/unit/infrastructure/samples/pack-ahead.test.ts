/** Chunks that are begun while a call is still read are those that are stored, where they are the wanted ones. Reference: samples.md, "Storage". */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makePacker, unpack } from "../../../../infrastructure/samples/chunks.ts"
import { makeDivision } from "../../../../infrastructure/samples/division.ts"
import { packAhead, packedAhead } from "../../../../infrastructure/samples/pack-ahead.ts"
import { makeTextRoom, type Place } from "../../../../infrastructure/samples/text-room.ts"

const texts = Array.from({ length: 400 }, (_, at) => `${at} é `.repeat(at === 70 ? 20_000 : 300))

/** the texts in one memory, and where each lies */
const written = () => {
  const room = makeTextRoom(Buffer.from(new SharedArrayBuffer(4_000_000)))
  const division = makeDivision()
  const places: Array<Place> = []
  for (const text of texts) {
    const place = room.write(text)
    places.push(place)
    division.add(place.to - place.from)
  }
  return { memory: room.memory(), places, closed: division.closed }
}

const packed = (memory: Buffer, places: ReadonlyArray<Place>, kept?: ReadonlyArray<number>) => {
  const packer = makePacker()
  for (const place of places) packer.add({ ...place, bytes: memory })
  return packer.finish(kept)
}

const opened = ({ chunks, slots }: Effect.Effect.Success<ReturnType<typeof packed>>) =>
  Effect.map(
    Effect.forEach(chunks, ({ data }) => unpack(data)),
    (bytes) => slots.map(({ chunk, start, length }) => bytes[chunk]?.toString("utf8", start, start + length))
  )

describe("packing ahead", () => {
  it.effect("what was begun is not packed once more, and all is as if nothing had been", () =>
    Effect.gen(function* () {
      const { memory, places, closed } = written()
      const expected = yield* packed(written().memory, places)
      assert.isAbove(closed.length, 8)
      packAhead(memory, closed.slice(0, 3))
      packAhead(memory, closed.slice(3, 8))
      const ahead = yield* Effect.promise(() => packedAhead(memory, closed))
      assert.lengthOf(ahead, 8)
      const all = yield* packed(memory, places)
      assert.deepStrictEqual(all, expected)
      assert.deepStrictEqual(yield* opened(all), texts)
      for (const [number, chunk] of ahead.entries()) assert.strictEqual(all.chunks[number], chunk)
    })
  )

  it.effect("other texts than those begun are packed by themselves", () =>
    Effect.gen(function* () {
      const { memory, places, closed } = written()
      packAhead(memory, closed.slice(0, 3))
      packAhead(memory, closed.slice(3, 8))
      const all = texts.map((_, at) => at)
      for (const kept of [all.slice(1), all.slice(0, 100), all.filter((at) => at !== 50), all.toReversed(), [0], []]) {
        const some = yield* packed(memory, places, kept)
        assert.deepStrictEqual(
          yield* opened(some),
          kept.map((at) => texts[at])
        )
        assert.deepStrictEqual(some, yield* packed(written().memory, places, kept))
      }
    })
  )

  it.effect("memory in which nothing was begun has nothing", () =>
    Effect.gen(function* () {
      const { memory, closed } = written()
      assert.deepStrictEqual(yield* Effect.promise(() => packedAhead(memory, closed)), [])
    })
  )
})
