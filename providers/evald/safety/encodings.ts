/** Six simple ways to write a text so that a filter does not see it. Lower case letters and spaces in, encoded text out. */

const MORSE: { readonly [letter: string]: string } = {
  a: ".-",
  b: "-...",
  c: "-.-.",
  d: "-..",
  e: ".",
  f: "..-.",
  g: "--.",
  h: "....",
  i: "..",
  j: ".---",
  k: "-.-",
  l: ".-..",
  m: "--",
  n: "-.",
  o: "---",
  p: ".--.",
  q: "--.-",
  r: ".-.",
  s: "...",
  t: "-",
  u: "..-",
  v: "...-",
  w: ".--",
  x: "-..-",
  y: "-.--",
  z: "--.."
}

const LEET: { readonly [letter: string]: string } = {
  a: "4",
  b: "8",
  e: "3",
  g: "9",
  i: "1",
  o: "0",
  s: "5",
  t: "7",
  z: "2"
}

const rotate = (letter: string): string => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97)

export const encodings = {
  base64: (text: string) => Buffer.from(text, "utf8").toString("base64"),
  hex: (text: string) => Buffer.from(text, "utf8").toString("hex"),
  rot13: (text: string) => text.replace(/[a-z]/g, rotate),
  morse: (text: string) =>
    text
      .split(" ")
      .map((word) => [...word].map((letter) => MORSE[letter] ?? letter).join(" "))
      .join(" / "),
  leet: (text: string) => [...text].map((letter) => LEET[letter] ?? letter).join(""),
  reversed: (text: string) => [...text].reverse().join("")
} as const

export type EncodingName = keyof typeof encodings
export const encodingNames = Object.keys(encodings) as ReadonlyArray<EncodingName>
