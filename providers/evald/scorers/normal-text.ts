/** Two strengths of making texts comparable. */

/** white space collapsed, quotes and markup around the text removed; case and punctuation inside stay */
export const tidy = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^["'“”‘’`*_]+|["'“”‘’`*_]+$/g, "")
    .trim()

/** lower case, without punctuation and English articles, as is usual for question answering */
export const loose = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\p{P}\p{S}]/gu, "")
    .replace(/\b(?:a|an|the)\b/g, " ")
    .replace(/\s+/g, " ")
    .trim()
