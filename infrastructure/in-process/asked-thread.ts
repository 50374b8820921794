/**
 * A thread of its own that answers questions. It starts with the first of them; what it leaves unanswered because it ended, or never began, is told with the reason,
 * and the next question starts another.
 */
import type { TransferListItem, Worker } from "node:worker_threads"

/** a question as the thread hears it, an answer as it sends it: of the same number */
export interface Numbered<A> {
  readonly id: number
  readonly message: A
}

/** what the thread sends of an answer before it */
export interface NumberedPart<A> {
  readonly id: number
  readonly part: A
}

/** there is no answer, and why */
export interface Unanswered {
  readonly reason: string
}

export interface AskedThread<Question, Answer, Part> {
  /** `moved`: memory that is handed over with the question; `hear`: what is sent of the answer before it */
  readonly ask: (
    question: Question,
    resume: (answer: Answer | Unanswered) => void,
    moved?: ReadonlyArray<TransferListItem>,
    hear?: (part: Part) => void
  ) => void
  /** ends the thread, if there is one */
  readonly end: () => Promise<void>
}

interface Asked<Answer, Part> {
  readonly resume: (answer: Answer | Unanswered) => void
  readonly hear: ((part: Part) => void) | undefined
}

interface Thread<Answer, Part> {
  readonly worker: Worker
  readonly waiting: Map<number, Asked<Answer, Part>>
}

/** `start`: begins the thread */
export const makeAskedThread = <Question, Answer, Part = never>(
  start: () => Worker
): AskedThread<Question, Answer, Part> => {
  let thread: Thread<Answer, Part> | undefined
  let last = 0
  const begin = (): Thread<Answer, Part> => {
    const begun: Thread<Answer, Part> = { worker: start(), waiting: new Map() }
    const { worker, waiting } = begun
    worker.on("message", (sent: Numbered<Answer> | NumberedPart<Part>) => {
      const asked = waiting.get(sent.id)
      if ("part" in sent) return asked?.hear?.(sent.part)
      waiting.delete(sent.id)
      // a thread that nobody waits for keeps no process alive
      if (waiting.size === 0) worker.unref()
      asked?.resume(sent.message)
    })
    const end = (reason: string): void => {
      if (thread === begun) thread = undefined
      const left = [...waiting.values()]
      waiting.clear()
      for (const { resume } of left) resume({ reason })
    }
    worker.on("error", (error) => end(error.message)).on("exit", () => end("it was ended"))
    return begun
  }
  return {
    ask: (message, resume, moved = [], hear) => {
      try {
        thread ??= begin()
      } catch (error) {
        resume({ reason: String(error) })
        return
      }
      const id = ++last
      thread.waiting.set(id, { resume, hear })
      thread.worker.ref()
      thread.worker.postMessage({ id, message } satisfies Numbered<Question>, [...moved])
    },
    end: async () => {
      await thread?.worker.terminate()
    }
  }
}
