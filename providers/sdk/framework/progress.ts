/** Progress that frameworks print. Reference: providers-and-collections.md, "Framework wrappers"; states-and-scores.md, "Benchmark states". */
import type { ReportedPhase } from "../adapter.ts"

export interface Progress {
  readonly phase: ReportedPhase
  readonly message?: string
  readonly completed?: number
  readonly total?: number
}

export interface Bar {
  /** text before the percentage, without its colon */
  readonly label: string
  readonly completed: number
  readonly total: number
}

/** a bar as tqdm draws it: `label:  72%|███ | 58/80 [00:01<00:00, 3.1it/s]` */
export const readBar = (line: string): Bar | undefined => {
  const found = /^(.*?):?\s*\d{1,3}%\|[^|]*\|\s*(\d+)\/(\d+)/.exec(line)
  if (found === null) return undefined
  return { label: (found[1] ?? "").trim(), completed: Number(found[2]), total: Number(found[3]) }
}
