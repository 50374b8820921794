/**
 * Times of the domain's records: ISO 8601 in UTC with milliseconds ("2026-08-17T10:11:12.123Z"), so that comparing texts compares times.
 */

export const later = (a: string, b: string): string => (a >= b ? a : b)

/** `at`, moved forward to `start` when it lies before it, so that a duration is never negative */
export const notBefore = (at: string, start: string | undefined): string =>
  start === undefined ? at : later(at, start)

/** milliseconds since the epoch */
export const millisOf = (at: string): number => Date.parse(at)
