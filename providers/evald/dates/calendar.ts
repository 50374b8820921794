/** Days of the Gregorian calendar counted from 1 March of year 0, without any time zone. */
import { monthNames } from "../../../values/month-names.ts"

export interface Day {
  readonly year: number
  /** 1..12 */
  readonly month: number
  readonly day: number
}

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

export const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

/** running number of a day; consecutive days have consecutive numbers */
export const dayNumber = ({ year, month, day }: Day): number => {
  // years begin in March, so that the leap day is the last day of a year
  const shifted = month <= 2 ? year - 1 : year
  const monthFromMarch = (month + 9) % 12
  const leaps = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400)
  return shifted * 365 + leaps + Math.floor((153 * monthFromMarch + 2) / 5) + day - 1
}

/** the day `count` days later (earlier when negative), walked month by month */
export const addDays = (from: Day, count: number): Day => {
  let { year, month } = from
  let day = from.day + count
  while (day > daysInMonth(year, month)) {
    day -= daysInMonth(year, month)
    month = month === 12 ? 1 : month + 1
    if (month === 1) year++
  }
  while (day < 1) {
    month = month === 1 ? 12 : month - 1
    if (month === 12) year--
    day += daysInMonth(year, month)
  }
  return { year, month, day }
}

export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const

/** 1 March of year 0 was a Wednesday */
export const weekday = (day: Day): (typeof WEEKDAYS)[number] =>
  WEEKDAYS[(dayNumber(day) + 2) % 7] as (typeof WEEKDAYS)[number]

/** "14 March 2021" */
export const spoken = ({ year, month, day }: Day): string => `${day} ${monthNames[month - 1]} ${year}`

/** "2021-03-14" */
export const isoDay = ({ year, month, day }: Day): string =>
  `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`
