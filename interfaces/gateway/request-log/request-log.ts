/**
 * The log of one run of a benchmark: answers that an earlier run was given are given again, each once, and new ones are kept. The nth time a
 * question is asked it gets the nth answer; questions that are asked at the same moment share theirs out among themselves.
 * Reference: reruns.md, "Resuming".
 */

import type { AnswerFiles, KeptAnswer } from "./answer-files.ts"
import { type Asked, answerName, type LoggedQuestion, questionOf } from "./answer-key.ts"
import { isComplete } from "./complete-answer.ts"

export interface LoggedRequest {
  /** undefined: nobody was given an answer to it yet. Asked once, before the request is sent */
  readonly kept: () => Promise<KeptAnswer | undefined>
  /** its answer with a status of 2xx, which is kept when its text is complete; `text`: undefined when it can not be read. Resolves when the file is there */
  readonly answered: (answer: KeptAnswer, text: () => Promise<string | undefined>) => Promise<void>
  /** it has no answer: the next one to ask takes its place */
  readonly failed: () => void
}

export interface RequestLog {
  readonly open: (asked: Omit<Asked, "tenant">) => LoggedRequest
  /** resolves when every answer that was given is kept: before the process ends */
  readonly flush: () => Promise<void>
}

/** of one question: the next occurrence, those before it that were given back, and answers of which it is not known yet whether they count */
interface Places {
  next: number
  readonly free: Array<number>
  readonly judged: Set<Promise<unknown>>
}

export const makeRequestLog = (tenant: string, files: AnswerFiles): RequestLog => {
  const places = new Map<string, Places>()
  const keeping = new Set<Promise<void>>()

  const placesOf = ({ digest }: LoggedQuestion): Places => {
    const id = digest.toString("base64")
    const known = places.get(id) ?? { next: 0, free: [], judged: new Set() }
    places.set(id, known)
    return known
  }

  return {
    flush: async () => {
      await Promise.allSettled(keeping)
    },
    open: (asked) => {
      const question = questionOf({ ...asked, tenant })
      const known = placesOf(question)
      let place: number | undefined
      const failed = () => {
        if (place === undefined) return
        known.free.push(place)
        known.free.sort((a, b) => a - b)
        place = undefined
      }
      return {
        kept: async () => {
          // who asks again at once, because the answer was cut, is to take its place
          while (known.judged.size > 0) await Promise.allSettled(known.judged)
          const taken = known.free.shift() ?? known.next++
          place = taken
          const name = answerName(question, taken)
          const answer = files.has(name) ? await files.read(name) : undefined
          if (answer !== undefined) place = undefined
          return answer
        },
        answered: (answer, text) => {
          const keep = async () => {
            const judgement = text().then(
              (read) =>
                read !== undefined && isComplete(answer.headers["content-type"] ?? "", read, question.cutIsComplete)
            )
            known.judged.add(judgement)
            const isKept = await judgement.catch(() => false)
            known.judged.delete(judgement)
            if (!isKept || place === undefined) return failed()
            const name = answerName(question, place)
            place = undefined
            await files.write(name, answer)
          }
          const done = keep().finally(() => keeping.delete(done))
          keeping.add(done)
          return done
        },
        failed
      }
    }
  }
}
