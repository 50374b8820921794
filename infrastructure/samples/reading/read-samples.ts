/**
 * What the thread runs that reads the lines of calls; a bundle of its own. On Linux a priority is that of the thread which asks for it: who waits for an answer to
 * something short goes before a call of a thousand records.
 */
import { setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import type { Numbered, NumberedPart } from "../../in-process/asked-thread.ts"
import { makeRest, type ShortWork } from "../../in-process/short-work.ts"
import { makeDivision } from "../division.ts"
import { makeTextRoom, type TextRoom } from "../text-room.ts"
import { columnsOf } from "./columns.ts"
import { makeLineReader, type Reading } from "./line-reader.ts"
import type { Answer, Divided, Question } from "./read-thread.ts"

const rest = makeRest(workerData as ShortWork)

/** chunks of which is told at once: each message takes the thread that serves a little */
const toldChunks = 4

/** `tell`: of chunks whose texts are written */
const answer = ({ memory, length, options }: Question, tell: (divided: Divided) => void): Answer => {
  const texts = Buffer.from(memory.texts)
  const room = makeTextRoom(texts)
  const division = makeDivision()
  const write: TextRoom["write"] = (text) => {
    const place = room.write(text)
    division.add(place.to - place.from)
    return place
  }
  const reader = makeLineReader(Buffer.from(memory.body, 0, length), options, { ...room, write })
  let told = 0
  let reading: Reading | undefined
  while (reading === undefined) {
    rest()
    reading = reader.next()
    const { closed } = division
    // in other memory the thread that serves sees them with the answer only
    if (closed.length - told < toldChunks || room.memory() !== texts) continue
    tell({ ends: closed.slice(told) })
    told = closed.length
  }
  return {
    elsewhere: room.memory() === texts ? undefined : room.memory(),
    reading: reading._tag === "Read" ? { ...reading, records: columnsOf(reading.records) } : reading
  }
}

if (process.platform === "linux") setPriority(10)
parentPort?.on("message", ({ id, message }: Numbered<Question>) => {
  const answered = answer(message, (part) => parentPort?.postMessage({ id, part } satisfies NumberedPart<Divided>))
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
