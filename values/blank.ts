/** Whether a text shows anything at all. */

/** letters, signs and marks that are seen: no white space, no control or format signs, no fillers */
const seen = /(?!\p{Variation_Selector})[^\s\p{C}\u115F\u1160\u2800\u3164\uFFA0]/u

/** neither white space nor signs that nobody sees make an answer */
export const isBlank = (text: string): boolean => !seen.test(text)
