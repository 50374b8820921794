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

/** there is no answer, and why */
export interface Unanswered {
  readonly reason: string
}

export interface AskedThread<Question, Answer> {
  /** `moved`: memory that is handed over with the question */
  readonly ask: (
    question: Question,
    resume: (answer: Answer | Unanswered) => void,
    moved?: ReadonlyArray<TransferListItem>
  ) => void
  /** ends the thread, if there is one */
  readonly end: () => Promise<void>
}

interface Thread<Answer> {
  readonly worker: Worker
  readonly waiting: Map<number, (answer: Answer | Unanswered) => void>
}

/** `start`: begins the thread */
export const makeAskedThread = <Question, Answer>(start: () => Worker): AskedThread<Question, Answer> => {
  let thread: Thread<Answer> | undefined
  let last = 0
  const begin = (): Thread<Answer> => {
    const begun: Thread<Answer> = { worker: start(), waiting: new Map() }
    const { worker, waiting } = begun
    worker.on("message", ({ id, message }: Numbered<Answer>) => {
      const resume = waiting.get(id)
      waiting.delete(id)
      // a thread that nobody waits for keeps no process alive
      if (waiting.size === 0) worker.unref()
      resume?.(message)
    })
    const end = (reason: string): void => {
      if (thread === begun) thread = undefined
      const left = [...waiting.values()]
      waiting.clear()
      for (const resume of left) resume({ reason })
    }
    worker.on("error", (error) => end(error.message)).on("exit", () => end("it was ended"))
    return begun
  }
  return {
    ask: (message, resume, moved = []) => {
      try {
        thread ??= begin()
      } catch (error) {
        resume({ reason: String(error) })
        return
      }
      const id = ++last
      thread.waiting.set(id, resume)
      thread.worker.ref()
      thread.worker.postMessage({ id, message } satisfies Numbered<Question>, [...moved])
    },
    end: async () => {
      await thread?.worker.terminate()
    }
  }
}
