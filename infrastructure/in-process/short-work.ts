/**
 * What people wait for goes before what nobody waits for as long: threads that work for a call of a thousand records are told, through memory that they share with the thread
 * that serves, that something short is under way there, and rest meanwhile. On few processors whatever else runs makes it slower.
 */

/** how many short things are under way */
export type ShortWork = Int32Array<SharedArrayBuffer>

/** of this process */
export const shortWork: ShortWork = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** to be told of each change of one source of short work, which has none at first */
export const tellShortWork =
  (memory: ShortWork) =>
  (isUnderWay: boolean): void => {
    Atomics.add(memory, 0, isUnderWay ? 1 : -1)
    Atomics.notify(memory, 0)
  }

/** milliseconds that one rest lasts at most: what something short takes */
const restMillis = 10

/** time as a thread has it */
export interface RestClock {
  readonly now: () => number
  /** until the count is another one, so many milliseconds at most */
  readonly wait: (memory: ShortWork, count: number, millis: number) => void
}

const threadClock: RestClock = {
  now: () => performance.now(),
  wait: (memory, count, millis) => void Atomics.wait(memory, 0, count, millis)
}

/**
 * For a thread other than the serving one, to be called between two steps of its work: rests while something short is under way, in all no longer
 * than it works.
 */
export const makeRest = (memory: ShortWork, { now, wait }: RestClock = threadClock): (() => void) => {
  /** milliseconds that may be rested */
  let earned = 0
  let workedFrom = now()
  return () => {
    let at = now()
    earned = Math.min(restMillis, earned + at - workedFrom)
    for (let count = Atomics.load(memory, 0); count > 0 && earned > 0; count = Atomics.load(memory, 0)) {
      wait(memory, count, earned)
      const woken = now()
      earned -= woken - at
      at = woken
    }
    workedFrom = at
  }
}
