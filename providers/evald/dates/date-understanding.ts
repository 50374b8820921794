/** Calendar questions: days later or earlier, weekdays, days between, ends of months. Random guessing scores 1/7 on weekdays, else about 0. */

import { numberKind } from "../answers/number-kind.ts"
import { dateKind, wordKind } from "../answers/word-kinds.ts"
import { generatedBenchmark, type Level, type Puzzle, type PuzzleFamily } from "../generated.ts"
import type { SeededRandom } from "../random.ts"
import { addDays, type Day, dayNumber, daysInMonth, isoDay, spoken, WEEKDAYS, weekday } from "./calendar.ts"

/** longest distance in days by level */
const REACH: { readonly [level in Level]: { readonly least: number; readonly most: number } } = {
  easy: { least: 2, most: 12 },
  medium: { least: 20, most: 75 },
  hard: { least: 120, most: 800 }
}

const anyDay = (random: SeededRandom): Day => {
  const [year, month] = [random.int(1950, 2049), random.int(1, 12)]
  return { year, month, day: random.int(1, daysInMonth(year, month)) }
}

const generate = (level: Level, type: string, random: SeededRandom): Puzzle => {
  const day = anyDay(random)
  const distance = random.int(REACH[level].least, REACH[level].most)
  switch (type) {
    case "later":
      return {
        question: `Which date is ${distance} days after ${spoken(day)}?`,
        answer: isoDay(addDays(day, distance)),
        kind: dateKind
      }
    case "earlier":
      return {
        question: `Which date is ${distance} days before ${spoken(day)}?`,
        answer: isoDay(addDays(day, -distance)),
        kind: dateKind
      }
    case "between":
      return {
        question: `How many days after ${spoken(day)} is ${spoken(addDays(day, distance))}?`,
        answer: String(dayNumber(addDays(day, distance)) - dayNumber(day)),
        kind: numberKind
      }
    case "month end": {
      const months = level === "easy" ? 1 : level === "medium" ? random.int(2, 11) : random.int(13, 40)
      const index = day.month - 1 + months
      const [year, month] = [day.year + Math.floor(index / 12), (index % 12) + 1]
      return {
        question: `Today is ${spoken(day)}. What is the date of the last day of the month that comes ${months} month${months === 1 ? "" : "s"} after this one?`,
        answer: isoDay({ year, month, day: daysInMonth(year, month) }),
        kind: dateKind
      }
    }
    default:
      return {
        question: `${spoken(day)} is a ${weekday(day)}. Which day of the week is ${spoken(addDays(day, distance))}?`,
        answer: weekday(addDays(day, distance)),
        kind: wordKind(WEEKDAYS, "the name of the weekday in English")
      }
  }
}

const dateUnderstandingFamily: PuzzleFamily = {
  id: "date_understanding",
  version: 1,
  size: 100,
  types: ["later", "earlier", "weekday", "between", "month end"],
  maxTokens: 4096,
  generate
}

export const dateUnderstanding = generatedBenchmark(dateUnderstandingFamily)
