/** Everyday problems in words with whole-number answers: one, two and several steps on the three levels. Random guessing scores about 0. */
import { numberKind } from "../answers/number-kind.ts"
import { generatedBenchmark, type Level, type Puzzle, type PuzzleFamily } from "../generated.ts"
import type { SeededRandom } from "../random.ts"
import { NAMES } from "./names.ts"

interface Problem {
  readonly text: string
  readonly value: number
}

type Template = { readonly [level in Level]: (random: SeededRandom) => Problem }

const GOODS = ["notebooks", "mugs", "lamps", "scarves", "plants", "candles", "baskets", "posters"]
const SWEETS = ["cookies", "cherries", "nuts", "biscuits", "grapes", "plums"]

const shopping: Template = {
  easy: (random) => {
    const [count, price] = [random.int(2, 12), random.int(2, 12)]
    return {
      text: `${random.pick(NAMES)} buys ${count} ${random.pick(GOODS)} at ${price} dollars each. How many dollars does that cost?`,
      value: count * price
    }
  },
  medium: (random) => {
    const [first, second] = random.sample(GOODS, 2)
    const [a, p, b, q] = [random.int(3, 15), random.int(3, 25), random.int(3, 15), random.int(3, 25)]
    return {
      text: `${random.pick(NAMES)} buys ${a} ${first} at ${p} dollars each and ${b} ${second} at ${q} dollars each. How many dollars does everything cost?`,
      value: a * p + b * q
    }
  },
  hard: (random) => {
    const [first, second] = random.sample(GOODS, 2)
    const [a, p, b, q] = [random.int(6, 25), random.int(6, 35), random.int(6, 25), random.int(6, 35)]
    const voucher = random.int(5, 30)
    const due = a * p + b * q - voucher
    const paid = Math.ceil(due / 100) * 100 + 100
    return {
      text: `${random.pick(NAMES)} buys ${a} ${first} at ${p} dollars each and ${b} ${second} at ${q} dollars each, uses a voucher worth ${voucher} dollars and pays the rest with ${paid} dollars in cash. How many dollars of change are given back?`,
      value: paid - due
    }
  }
}

const travel: Template = {
  easy: (random) => {
    const [speed, hours] = [random.int(3, 12) * 10, random.int(2, 6)]
    return {
      text: `A train travels at ${speed} kilometres per hour for ${hours} hours. How many kilometres does it travel?`,
      value: speed * hours
    }
  },
  medium: (random) => {
    const [a, s, b, t] = [random.int(30, 95), random.int(2, 6), random.int(30, 95), random.int(2, 6)]
    return {
      text: `A bus drives for ${s} hours at ${a} kilometres per hour and then for ${t} hours at ${b} kilometres per hour. How many kilometres does it drive altogether?`,
      value: a * s + b * t
    }
  },
  hard: (random) => {
    const [a, b, hours] = [random.int(45, 120), random.int(45, 120), random.int(4, 9)]
    const stop = random.int(2, hours - 1)
    return {
      text: `Two trains leave the same station at the same time in opposite directions, one at ${a} and the other at ${b} kilometres per hour. The second train stops for good after ${stop} hours. How many kilometres apart are the trains ${hours} hours after they left?`,
      value: a * hours + b * stop
    }
  }
}

const sharing: Template = {
  easy: (random) => {
    const [children, each] = [random.int(2, 9), random.int(2, 12)]
    return {
      text: `${random.pick(NAMES)} shares ${children * each} ${random.pick(SWEETS)} equally among ${children} children. How many does each child get?`,
      value: each
    }
  },
  medium: (random) => {
    const [children, each, kept] = [random.int(3, 12), random.int(4, 20), random.int(3, 15)]
    return {
      text: `${random.pick(NAMES)} has ${children * each + kept} ${random.pick(SWEETS)}, keeps ${kept} and shares the others equally among ${children} children. How many does each child get?`,
      value: each
    }
  },
  hard: (random) => {
    const [boxes, inside, children] = [random.int(6, 20), random.int(11, 30), random.int(7, 13)]
    const given = random.int(10, 50)
    const sweets = random.pick(SWEETS)
    return {
      text: `${random.pick(NAMES)} has ${boxes} boxes with ${inside} ${sweets} each, gives ${given} ${sweets} to a neighbour and shares the others as far as possible equally among ${children} children. How many ${sweets} are left over?`,
      value: (boxes * inside - given) % children
    }
  }
}

const ages: Template = {
  easy: (random) => {
    const [one, other] = random.sample(NAMES, 2)
    const [age, more] = [random.int(5, 60), random.int(2, 25)]
    return {
      text: `${one} is ${age} years old. ${other} is ${more} years older than ${one}. How old is ${other}?`,
      value: age + more
    }
  },
  medium: (random) => {
    const [one, other] = random.sample(NAMES, 2)
    const [age, times] = [random.int(4, 20), random.int(2, 5)]
    return {
      text: `${one} is ${times} times as old as ${other}. Together they are ${age * (times + 1)} years old. How old is ${other}?`,
      value: age
    }
  },
  hard: (random) => {
    const [one, other] = random.sample(NAMES, 2)
    const [age, times, years] = [random.int(4, 20), random.int(2, 4), random.int(3, 15)]
    return {
      text: `${one} is now ${times} times as old as ${other}. In ${years} years the sum of their ages will be ${age * (times + 1) + 2 * years}. How old is ${one} now?`,
      value: age * times
    }
  }
}

const percent: Template = {
  easy: (random) => {
    const [hundreds, share] = [random.int(1, 9), random.int(1, 9) * 10]
    return {
      text: `A coat costs ${hundreds * 100} dollars. Its price is reduced by ${share} percent. How many dollars does it cost now?`,
      value: hundreds * (100 - share)
    }
  },
  medium: (random) => {
    const [base, share] = [random.int(2, 20) * 20, random.int(1, 12) * 5]
    return {
      text: `A club has ${base} members. This year the number grows by ${share} percent, and then 7 members leave. How many members does it have afterwards?`,
      value: (base * (100 + share)) / 100 - 7
    }
  },
  hard: (random) => {
    const [hundreds, first, second] = [random.int(3, 40), random.int(1, 6) * 10, random.int(1, 6) * 10]
    return {
      text: `A machine costs ${hundreds * 100} dollars. Its price is raised by ${first} percent, and later the new price is reduced by ${second} percent. How many dollars does it cost in the end?`,
      value: (hundreds * (100 + first) * (100 - second)) / 100
    }
  }
}

const work: Template = {
  easy: (random) => {
    const [parts, hours] = [random.int(5, 40), random.int(2, 9)]
    return {
      text: `A machine makes ${parts} parts in one hour. How many parts does it make in ${hours} hours?`,
      value: parts * hours
    }
  },
  medium: (random) => {
    const [machines, parts, hours, faulty] = [random.int(2, 9), random.int(8, 40), random.int(3, 9), random.int(2, 15)]
    return {
      text: `Each of ${machines} machines makes ${parts} parts in one hour. They run for ${hours} hours, and ${faulty} of all the parts turn out to be faulty. How many parts are good?`,
      value: machines * parts * hours - faulty
    }
  },
  hard: (random) => {
    const [days, workers, factor] = [random.int(2, 9), random.int(2, 6), random.int(2, 5)]
    return {
      text: `${workers * factor} workers need ${days * workers} days to build a wall. How many days would ${workers * workers * factor} workers need for the same wall at the same pace?`,
      value: days
    }
  }
}

const garden: Template = {
  easy: (random) => {
    const [long, wide] = [random.int(5, 20), random.int(2, 12)]
    return {
      text: `A rectangular garden is ${long} metres long and ${wide} metres wide. What is its area in square metres?`,
      value: long * wide
    }
  },
  medium: (random) => {
    const [long, wide, price] = [random.int(8, 40), random.int(5, 30), random.int(3, 15)]
    return {
      text: `A rectangular garden is ${long} metres long and ${wide} metres wide. A fence around it costs ${price} dollars per metre. How many dollars does the whole fence cost?`,
      value: 2 * (long + wide) * price
    }
  },
  hard: (random) => {
    const [long, wide, path] = [random.int(10, 40), random.int(8, 30), random.int(1, 3)]
    return {
      text: `A rectangular garden is ${long} metres long and ${wide} metres wide. Around it, outside, runs a path that is ${path} ${path === 1 ? "metre" : "metres"} wide everywhere, corners included. What is the area of the path in square metres?`,
      value: (long + 2 * path) * (wide + 2 * path) - long * wide
    }
  }
}

const marbles: Template = {
  easy: (random) => {
    const [one, other] = random.sample(NAMES, 2)
    const [has, more] = [random.int(4, 40), random.int(3, 30)]
    return {
      text: `${one} has ${has} marbles. ${other} has ${more} more marbles than ${one}. How many marbles do they have together?`,
      value: 2 * has + more
    }
  },
  medium: (random) => {
    const [one, other, third] = random.sample(NAMES, 3)
    const [has, times, fewer] = [random.int(6, 40), random.int(2, 5), random.int(2, 6)]
    return {
      text: `${one} has ${has} marbles. ${other} has ${times} times as many marbles as ${one}. ${third} has ${fewer} fewer marbles than ${one}. How many marbles do the three have together?`,
      value: has + has * times + has - fewer
    }
  },
  hard: (random) => {
    const [one, other, third] = random.sample(NAMES, 3)
    const [has, times, fewer, given] = [random.int(10, 40), random.int(2, 6), random.int(3, 9), random.int(2, 9)]
    return {
      text: `${one} has ${has} marbles. ${other} has ${times} times as many marbles as ${one}. ${third} has ${fewer} fewer marbles than ${other}. Then ${third} gives ${given} marbles to ${one}. How many more marbles than ${one} does ${third} have now?`,
      value: has * times - fewer - given - (has + given)
    }
  }
}

const TEMPLATES: { readonly [type: string]: Template } = {
  shopping,
  travel,
  sharing,
  ages,
  percent,
  work,
  garden,
  marbles
}

const generate = (level: Level, type: string, random: SeededRandom): Puzzle => {
  const { text, value } = (TEMPLATES[type] as Template)[level](random)
  return { question: text, answer: String(value), kind: numberKind }
}

const wordProblemsFamily: PuzzleFamily = {
  id: "word_problems",
  version: 1,
  size: 150,
  types: Object.keys(TEMPLATES),
  maxTokens: 3072,
  generate
}

export const wordProblems = generatedBenchmark(wordProblemsFamily)
