/** Round robin: one of each queue that still has something, in the order of the queues, again and again. */

/** up to `limit` items; the order within a queue is kept */
export const inTurns = <A>(queues: ReadonlyArray<ReadonlyArray<A>>, limit: number): ReadonlyArray<A> => {
  const taken: Array<A> = []
  for (let round = 0; taken.length < limit; round++) {
    const next = queues.flatMap((queue) => queue.slice(round, round + 1))
    if (next.length === 0) break
    taken.push(...next.slice(0, limit - taken.length))
  }
  return taken
}
