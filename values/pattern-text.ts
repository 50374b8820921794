/** Texts as parts of regular expressions with the flag `u`. */

/** matches the text and nothing else */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")

/** both cases of every letter, where there is no flag for a part of a pattern */
export const anyCase = (text: string): string =>
  [...text]
    .map((letter) => {
      const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()]
      return lower !== upper && [...lower].length === 1 && [...upper].length === 1
        ? `[${lower}${upper}]`
        : escaped(letter)
    })
    .join("")
