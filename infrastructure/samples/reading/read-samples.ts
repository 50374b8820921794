/**
 * What the thread runs that reads the lines of calls; a bundle of its own. On Linux a priority is that of the thread which asks for it: who waits for an answer to
 * something short goes before a call of a thousand records.
 */
import { setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import { makeRest, type ShortWork } from "../../in-process/short-work.ts"
import { makeTextRoom } from "../text-room.ts"
import { columnsOf } from "./columns.ts"
import { makeLineReader, type Reading } from "./line-reader.ts"
import type { Answer, Place, Question } from "./read-thread.ts"

const places = new Map<number, Place>()

const rest = makeRest(workerData as ShortWork)

const answer = ({ id, length, options }: Question, { body, texts }: Place): Answer => {
  const memory = Buffer.from(texts)
  const room = makeTextRoom(memory)
  const reader = makeLineReader(Buffer.from(body, 0, length), options, room)
  let reading: Reading | undefined
  while (reading === undefined) {
    rest()
    reading = reader.next()
  }
  return {
    id,
    elsewhere: room.memory() === memory ? undefined : room.memory(),
    reading: reading._tag === "Read" ? { ...reading, records: columnsOf(reading.records) } : reading
  }
}

if (process.platform === "linux") setPriority(10)
parentPort?.on("message", (question: Question) => {
  const place = question.place ?? places.get(question.at)
  if (place === undefined) throw new Error(`no place ${question.at}`)
  places.set(question.at, place)
  const answered = answer(question, place)
  const { reading, elsewhere } = answered
  const moved = [
    ...(elsewhere === undefined ? [] : [elsewhere]),
    ...(reading._tag === "Read"
      ? [reading.records.digests, reading.records.numbers, reading.records.places, reading.records.named]
      : [])
  ]
  parentPort?.postMessage(
    answered,
    moved.map(({ buffer }) => buffer as ArrayBuffer)
  )
})
