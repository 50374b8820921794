/** Short first names that no two of which share a beginning, so that an answer can not be read as another. */
export const NAMES: ReadonlyArray<string> = [
  "Ana",
  "Boris",
  "Clara",
  "Dmitri",
  "Elif",
  "Farid",
  "Greta",
  "Hugo",
  "Ines",
  "Jonas",
  "Kofi",
  "Lena",
  "Mateo",
  "Nadia",
  "Omar",
  "Priya",
  "Quinn",
  "Rosa",
  "Stefan",
  "Tomoko",
  "Uma",
  "Viktor",
  "Wanda",
  "Yusuf",
  "Zoe"
]

/** "a, b and c" */
export const listed = (words: ReadonlyArray<string>): string => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`
