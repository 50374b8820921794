/** Entity tags of compressed answers: the tag of the plain one with the coding at its end, so that a cache never mixes them up. */

/** in order of preference */
export const codings = ["br", "gzip"] as const
export type Coding = (typeof codings)[number]

/** `"abc"` is `"abc-br"` */
export const tagFor = (etag: string, coding: Coding): string => etag.replace(/"$/, `-${coding}"`)

/** the tag of the record itself: both forms stand for the same version */
export const plainTag = (tag: string): string => tag.replace(/-(?:br|gzip)"$/, '"')
