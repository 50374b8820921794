/**
 * The log of one run of a benchmark: answers that an earlier run was given are given again, each once, and new ones are kept. The nth time a
 * question is asked it gets the nth answer; questions that are asked at the same moment share theirs out among themselves.
 * Reference: reruns.md, "Resuming".
 */

import type { AnswerFiles, KeptAnswer } from "./answer-files.ts"
import { type Asked, answerName, type LoggedQuestion, questionOf } from "./answer-key.ts"
import { isComplete } from "./complete-answer.ts"

export interface LoggedRequest {
  /** undefined: nobody was given an answer to it yet */
  readonly kept: () => Promise<KeptAnswer | undefined>
  /** its answer with a status of 2xx, which is kept when it is complete; resolves when the file is there */
  readonly answered: (answer: KeptAnswer, text: string) => Promise<void>
  /** it has no answer: the next one to ask takes its place */
  readonly failed: () => void
}

export interface RequestLog {
  readonly open: (asked: Omit<Asked, "tenant">) => LoggedRequest
}

/** of one question: the next occurrence, and those before it that were given back */
interface Places {
  next: number
  readonly free: Array<number>
}

export const makeRequestLog = (tenant: string, files: AnswerFiles): RequestLog => {
  const places = new Map<string, Places>()

  const take = ({ digest }: LoggedQuestion) => {
    const id = digest.toString("base64")
    const known: Places = places.get(id) ?? { next: 0, free: [] }
    places.set(id, known)
    const place = known.free.shift() ?? known.next++
    const giveBack = () => {
      known.free.push(place)
      known.free.sort((a, b) => a - b)
    }
    return { place, giveBack }
  }

  return {
    open: (asked) => {
      const question = questionOf({ ...asked, tenant })
      const { place, giveBack } = take(question)
      const name = answerName(question, place)
      let settled = false
      const failed = () => {
        if (!settled) giveBack()
        settled = true
      }
      return {
        kept: async () => {
          const answer = files.has(name) ? await files.read(name) : undefined
          if (answer === undefined) return undefined
          settled = true
          return answer
        },
        answered: async (answer, text) => {
          if (!isComplete(answer.headers["content-type"] ?? "", text, question.cutIsComplete)) return failed()
          settled = true
          await files.write(name, answer)
        },
        failed
      }
    }
  }
}
