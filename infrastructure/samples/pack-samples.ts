/** What the thread runs that packs chunks; a bundle of its own. On Linux a priority is that of the thread which asks for it, and nobody waits for a chunk as people wait for answers. */
import { createHash } from "node:crypto"
import { setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import { brotliCompressSync } from "node:zlib"
import type { Numbered } from "../in-process/asked-thread.ts"
import { makeRest } from "../in-process/short-work.ts"
import type { Answer, PackSettings, Question } from "./pack-thread.ts"

const { params, shortWork } = workerData as PackSettings

const rest = makeRest(shortWork)

const chunkOf = (part: Uint8Array): Answer["chunks"][number] => {
  rest()
  const packed = brotliCompressSync(part, { params })
  // in memory of its own, which is handed over
  const data = new Uint8Array(packed.byteLength)
  data.set(packed)
  return { hash: createHash("sha256").update(part).digest("hex"), data }
}

if (process.platform === "linux") setPriority(10)
parentPort?.on("message", ({ id, message: { bytes, ends } }: Numbered<Question>) => {
  const chunks = ends.map((end, at) => chunkOf(bytes.subarray(ends[at - 1] ?? 0, end)))
  const handedOver = bytes.buffer instanceof SharedArrayBuffer ? undefined : bytes
  parentPort?.postMessage(
    { id, message: { chunks, bytes: handedOver } } satisfies Numbered<Answer>,
    [...(handedOver === undefined ? [] : [handedOver]), ...chunks.map(({ data }) => data)].map(
      ({ buffer }) => buffer as ArrayBuffer
    )
  )
})
