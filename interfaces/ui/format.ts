/** Numbers, times and foreign texts as people read them. */

/** control and direction-changing characters are shown as what they are: nothing that can hide or reorder text */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (one) => (/[\t\n]/.test(one) ? one : "\u{FFFD}"))

/** made once: `toLocaleString` looks its rules up each time, which for the rows of a list is a tenth of a frame */
const whole = new Intl.NumberFormat("en")

export const number = (value: number): string => {
  if (Number.isInteger(value) && Math.abs(value) >= 100) return whole.format(value)
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 3)
}

/** a chance that is never rounded down to nought */
export const chance = (value: number): string => (value < 0.001 ? "< 0.001" : value.toFixed(3))

export const count = (value: number): string => whole.format(value)

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

export const localTime = (instant: string): string => day.format(new Date(instant))
export const utcTime = (instant: string): string =>
  `${new Date(instant).toISOString().replace("T", " ").slice(0, 19)} UTC`

/** `1 h 02 min`, `3 min 05 s`, `4.2 s` */
export const duration = (millis: number): string => {
  const seconds = millis / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0")
  return minutes < 60
    ? `${minutes} min ${two(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`
}
