import { createHash } from "node:crypto"
import { join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makePacker, unpack } from "../../../../infrastructure/samples/chunks.ts"
import { type Chunk, makePackThread } from "../../../../infrastructure/samples/pack-thread.ts"
import { bundleProgram } from "../../../support/bundled-program.ts"
import { tempDir } from "../../../support/temp-dir.ts"

/** the program as it is built, in a thread of its own */
const thread = Effect.gen(function* () {
  const file = join(yield* tempDir, "pack-samples.mjs")
  yield* Effect.promise(() => bundleProgram("infrastructure/samples/pack-samples.ts", file))
  return yield* Effect.acquireRelease(
    Effect.sync(() => makePackThread(file)),
    ({ end }) => Effect.promise(end)
  )
})

const bytes = Buffer.from(Array.from({ length: 5000 }, (_, at) => `word ${at % 97} `).join(""))
const ends = [20_000, 20_001, bytes.length]
const parts = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))

const check = (chunks: ReadonlyArray<Chunk>) => {
  assert.deepStrictEqual(
    chunks.map(({ hash }) => hash),
    parts.map((part) => createHash("sha256").update(part).digest("hex"))
  )
  assert.deepStrictEqual(
    chunks.map(({ data }) => brotliDecompressSync(data)),
    parts.map((part) => Buffer.from(part))
  )
}

describe("the thread that packs chunks", () => {
  it.scopedLive("hashes and compresses all chunks of a call, several calls at once", () =>
    Effect.gen(function* () {
      const { pack } = yield* thread
      const all = yield* Effect.promise(() => Promise.all([pack(bytes, ends), pack(bytes, ends), pack(bytes, [])]))
      check(all[0])
      check(all[1])
      assert.deepStrictEqual(all[2], [])
    })
  )
  it.scopedLive("memory that both threads see is read where it lies, and stays as it was", () =>
    Effect.gen(function* () {
      const { pack, end } = yield* thread
      const shared: Buffer = Buffer.from(new SharedArrayBuffer(bytes.length + 7)).subarray(7)
      shared.set(bytes)
      const all = yield* Effect.promise(() => Promise.all([pack(shared, ends), pack(bytes, ends), pack(shared, ends)]))
      for (const chunks of all) check(chunks)
      assert.deepStrictEqual(shared, bytes)
      const left = pack(shared, ends)
      yield* Effect.promise(end)
      check(yield* Effect.promise(() => left))
    })
  )
  it.scopedLive("what it leaves unanswered is packed all the same, and so is the next call", () =>
    Effect.gen(function* () {
      const { pack, end } = yield* thread
      const waiting = pack(bytes, ends)
      yield* Effect.promise(end)
      check(yield* Effect.promise(() => waiting))
      check(yield* Effect.promise(() => pack(bytes, ends)))
    })
  )
})

it.effect("chunks are packed by the platform's pool where there is no program of a thread", () =>
  Effect.gen(function* () {
    check(yield* Effect.promise(() => makePackThread(undefined).pack(bytes, ends)))
  })
)

describe("a packer", () => {
  it.effect("records lie where their slots say, chunks hold at most 64 KiB unless one record is larger", () =>
    Effect.gen(function* () {
      const texts = [
        ...Array.from({ length: 300 }, (_, at) => `${at} é😀 ${"x".repeat(at * 7)}`),
        "y".repeat(70_000),
        "",
        "z".repeat(700_000)
      ]
      const packer = makePacker()
      for (const text of texts) packer.add(text)
      const { chunks, slots } = yield* packer.finish()
      const opened = yield* Effect.forEach(chunks, ({ data }) => unpack(data))
      assert.deepStrictEqual(
        slots.map(({ chunk, start, length }) => opened[chunk]?.toString("utf8", start, start + length)),
        texts
      )
      const large = opened.filter(({ length }) => length > 65_536)
      assert.deepStrictEqual(
        large.map(({ length }) => length),
        [70_000, 700_000]
      )
    })
  )

  it.scopedLive("packs only the texts that are wanted, in the order in which they are", () =>
    Effect.gen(function* () {
      const texts = Array.from({ length: 90 }, (_, at) => `${at} é `.repeat(at === 7 ? 20_000 : 300))
      const packer = makePacker()
      for (const text of texts) packer.add(text)
      for (const kept of [[3, 7, 8, 60], [8, 3], [], texts.map((_, at) => at)]) {
        const { chunks, slots } = yield* packer.finish(kept)
        const opened = yield* Effect.forEach(chunks, ({ data }) => unpack(data))
        assert.deepStrictEqual(
          slots.map(({ chunk, start, length }) => opened[chunk]?.toString("utf8", start, start + length)),
          kept.map((at) => texts[at])
        )
      }
    })
  )
})
