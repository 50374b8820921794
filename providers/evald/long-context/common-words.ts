/** common_words: the five words that stand most often in a long list. Guessing scores about 0. */
import { estimateTokens } from "../../sdk/model/token-estimate.ts"
import type { SeededRandom } from "../random.ts"
import { ANSWER_TOKENS } from "./haystack.ts"
import { longContext, type SearchTask } from "./lengths.ts"

const WANTED = 5
/** a common word stands this many times as often as any other */
const RATIO = 4

/** everyday nouns, one token each in most vocabularies */
const vocabulary = (
  "apple arm bag ball band bank bath bed bell belt bird boat bone book boot bowl box bread brick bridge brush bus cake camp card cart cat chain chair chest " +
  "clock cloth cloud coat coin corn cow cup desk dish dog door dress drum duck ear egg eye farm fence field fire fish flag floor flower fork fox frame fruit " +
  "garden gate glass glove goat gold grass hand hat heart hill horse house ice iron jar key king kite knee knife lake lamp leaf leg line lock map meat milk " +
  "moon mouse nail neck nest nose nut oil page paint pan park path pen pig pipe plate pond pot queen rail rain ring river road rock roof room root rope sail " +
  "salt sand seed sheep shelf ship shirt shoe shop silk skin sky snow soap sock soup spoon star stone street sugar sun table tail tent tooth tower town train tray tree"
).split(" ")

const prompt = (list: ReadonlyArray<string>): string =>
  [
    "Read the list of words and answer the question after it.",
    "",
    "Text:",
    list.join(", "),
    "",
    `Question: Which ${WANTED} words stand most often in the list?`
  ].join("\n")

const wordList = (random: SeededRandom, words: ReadonlyArray<string>, repeats: number): ReadonlyArray<string> =>
  random.shuffle(
    words.flatMap((word, index) => Array.from({ length: index < WANTED ? repeats * RATIO : repeats }, () => word))
  )

/** tokens of one list entry: the word and the comma */
const ENTRY_TOKENS = 2
const FRAME_TOKENS = estimateTokens(prompt([]))

export const commonWordsTask: SearchTask = {
  id: "common_words",
  version: 1,
  make: (random, length) => {
    const entries = Math.floor((length - ANSWER_TOKENS - FRAME_TOKENS) / ENTRY_TOKENS)
    // 20 to 120 other words: longer lists repeat more, so that counting gets harder with the length
    const others = Math.min(120, Math.max(20, Math.floor(entries / 12)))
    const repeats = Math.max(1, Math.floor(entries / (others + WANTED * RATIO)))
    const words = random.sample(vocabulary, WANTED + others)
    const list = wordList(random, words, repeats)
    return { prompt: prompt(list), expected: words.slice(0, WANTED) }
  }
}

export const commonWords = longContext(commonWordsTask)
