/** A quick look before a slow one: patterns of words of many scripts are compiled for each word, and most texts do not hold it. */

/** letters that a pattern with the flags `iu` takes for the same are the same behind it */
const folded = (text: string): string => text.toLowerCase().toUpperCase()

const isPlain = /^[\x20-\x7e]*$/

/** false only where no pattern with the flags `iu` finds the word in the text; of words with signs beyond ASCII nothing is known */
export const mayHold = (text: string, word: string): boolean =>
  !isPlain.test(word) || folded(text).includes(folded(word))
