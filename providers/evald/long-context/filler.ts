/** Endless harmless prose around the things to be found. It holds no digits and no capital words, so it can never contain an answer. */
import type { SeededRandom } from "../random.ts"

const subjects = [
  "The old ferry",
  "A quiet gardener",
  "The village band",
  "A tall clerk",
  "The evening train",
  "A patient baker",
  "The small museum",
  "A travelling tailor"
]
const verbs = [
  "waited beside",
  "looked after",
  "spoke about",
  "walked around",
  "painted",
  "remembered",
  "measured",
  "left behind"
]
const objects = [
  "the wooden bridge",
  "a row of apple trees",
  "the empty market",
  "a bundle of letters",
  "the stone wall",
  "a basket of bread",
  "the narrow stairs",
  "a broken fence"
]
const endings = [
  "before the rain began",
  "while the bells were ringing",
  "until the lamps were lit",
  "because nobody else would",
  "as in every other year",
  "and thought no more of it",
  "on the way to the river",
  "without saying a word"
]

/** one sentence of eleven to sixteen words */
export const fillerSentence = (random: SeededRandom): string =>
  `${random.pick(subjects)} ${random.pick(verbs)} ${random.pick(objects)} ${random.pick(endings)}.`
