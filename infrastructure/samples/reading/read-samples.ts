/**
 * What the thread runs that reads the lines of calls; a bundle of its own. On Linux a priority is that of the thread which asks for it: who waits for an answer to
 * something short goes before a call of a thousand records.
 */
import { setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import type { Numbered } from "../../in-process/asked-thread.ts"
import { makeRest, type ShortWork } from "../../in-process/short-work.ts"
import { makeTextRoom } from "../text-room.ts"
import { columnsOf } from "./columns.ts"
import { makeLineReader, type Reading } from "./line-reader.ts"
import type { Answer, Question } from "./read-thread.ts"

const rest = makeRest(workerData as ShortWork)

const answer = ({ memory, length, options }: Question): Answer => {
  const texts = Buffer.from(memory.texts)
  const room = makeTextRoom(texts)
  const reader = makeLineReader(Buffer.from(memory.body, 0, length), options, room)
  let reading: Reading | undefined
  while (reading === undefined) {
    rest()
    reading = reader.next()
  }
  return {
    elsewhere: room.memory() === texts ? undefined : room.memory(),
    reading: reading._tag === "Read" ? { ...reading, records: columnsOf(reading.records) } : reading
  }
}

if (process.platform === "linux") setPriority(10)
parentPort?.on("message", ({ id, message }: Numbered<Question>) => {
  const answered = answer(message)
  const { reading, elsewhere } = answered
  const moved = [
    ...(elsewhere === undefined ? [] : [elsewhere]),
    ...(reading._tag === "Read"
      ? [reading.records.digests, reading.records.numbers, reading.records.places, reading.records.named]
      : [])
  ]
  parentPort?.postMessage(
    { id, message: answered } satisfies Numbered<Answer>,
    moved.map(({ buffer }) => buffer as ArrayBuffer)
  )
})
