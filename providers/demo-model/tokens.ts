/** The demo model's tokens: words of up to eight letters with the blank before them, digits by threes, everything else one by one. */
const piece = /\s?[\p{L}\p{M}]{1,8}|\s?\p{Nd}{1,3}|\s?[^\s\p{L}\p{M}\p{Nd}]|\s/gu

/** joined they are the text again */
export const splitTokens = (text: string): ReadonlyArray<string> => text.match(piece) ?? []

export const countTokens = (text: string): number => splitTokens(text).length
