/** One flag from a share and its limit: the form that all witnesses share. Reference: validity.md, "Flags". */
import type { ValidityFlag } from "../score/validity.ts"
import type { Share } from "./sample-figures.ts"

/** below it a share may be chance */
const leastCount = 3

export const none: ReadonlyArray<ValidityFlag> = []

/** the flag when more than the limit, and at least `least` of them, show it; `says` completes "12 of 60 …" */
export const above = (
  code: string,
  level: ValidityFlag["level"],
  share: Share,
  limit: number,
  says: string,
  least = leastCount
): ReadonlyArray<ValidityFlag> =>
  share.count < least || share.count <= limit * share.of
    ? none
    : [
        {
          code,
          level,
          count: share.count,
          of: share.of,
          limit,
          samples: share.samples,
          message: `${share.count} of ${share.of} ${says}`
        }
      ]

export const counted = (count: number, of: number): Share => ({ count, of, samples: [] })
export const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
