/** The items that two jobs were asked alike and answered differently, found while their samples come. */
import type { RecordedSample } from "../../../data/sample-pages.ts"
import { count, number } from "../../../format.ts"

export interface Pair {
  readonly id: string
  readonly task: string
  readonly repeat: number
  /** of the baseline, and of the candidate */
  readonly verdicts: readonly [RecordedSample["verdict"], RecordedSample["verdict"]]
  readonly scores: readonly [number | undefined, number | undefined]
  /** what the candidate gained; below nought it lost */
  readonly gain: number
}

/** of a sample that waits for the other job's: texts of prompts are not kept */
interface Answered {
  readonly verdict: RecordedSample["verdict"]
  readonly score: number | undefined
  readonly digest: string | undefined
  readonly response: string | undefined
  readonly extracted: string | undefined
}

const answeredOf = ({ verdict, score, record }: RecordedSample): Answered => ({
  ...{ verdict, score },
  digest: record?.response_sha256,
  response: record?.response,
  extracted: record?.extracted
})

/** the texts where both are kept, else what was read from them and how it was judged */
const isOther = (a: Answered, b: Answered): boolean => {
  if (a.verdict !== b.verdict || a.score !== b.score) return true
  if (a.digest !== undefined && b.digest !== undefined) return a.digest !== b.digest
  if (a.response !== undefined && b.response !== undefined) return a.response !== b.response
  return a.extracted !== b.extracted
}

const worth = ({ score, verdict }: Answered): number => score ?? (verdict === "correct" ? 1 : 0)

export interface Pairing {
  /** `side`: 0 for the baseline's samples, 1 for the candidate's */
  readonly take: (side: 0 | 1, samples: ReadonlyArray<RecordedSample>) => void
  /** answered differently, the largest loss first */
  readonly differing: () => ReadonlyArray<Pair>
  /** items that both jobs have, of those that were taken */
  readonly looked: () => number
}

export const makePairing = (lowerIsBetter: boolean): Pairing => {
  const waiting = [new Map<string, Answered>(), new Map<string, Answered>()] as const
  const found: Array<Pair> = []
  let looked = 0
  const meet = ({ sample_id: id, task, repeat }: RecordedSample, before: Answered, after: Answered) => {
    looked += 1
    if (!isOther(before, after)) return
    const difference = worth(after) - worth(before)
    found.push({
      ...{ id, task, repeat },
      verdicts: [before.verdict, after.verdict],
      scores: [before.score, after.score],
      gain: lowerIsBetter ? -difference : difference
    })
  }
  return {
    take: (side, samples) => {
      const [own, others] = side === 0 ? waiting : [waiting[1], waiting[0]]
      for (const sample of samples) {
        const key = JSON.stringify([sample.task, sample.sample_id, sample.repeat])
        const [one, other] = [answeredOf(sample), others.get(key)]
        if (other === undefined) own.set(key, one)
        else if (others.delete(key)) meet(sample, side === 0 ? one : other, side === 0 ? other : one)
      }
    },
    differing: () => found.toSorted((a, b) => a.gain - b.gain),
    looked: () => looked
  }
}

/** `0.250 → 1.000` where the scores say more than the verdicts do */
export const scoresSaid = ({ scores: [before, after] }: Pair): string | undefined =>
  before === undefined || after === undefined || before === after ? undefined : `${number(before)} → ${number(after)}`

export const foundSaid = (differing: number, looked: number, hasMore: boolean): string =>
  `${count(differing)} answered differently among ${count(looked)} items${hasMore ? " so far" : ""}`
