/** Reads text hidden behind a named encoding: the request names the encoding on its first line, the payload follows. */

const morseLetters: { readonly [code: string]: string } = Object.fromEntries(
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
    .split(" ")
    .map((code, index) => [code, String.fromCharCode(97 + index)])
)

const leetLetters: { readonly [digit: string]: string } = {
  "0": "o",
  "1": "i",
  "2": "z",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g"
}

const alphabet = "abcdefghijklmnopqrstuvwxyz"

const readers: ReadonlyArray<readonly [name: RegExp, read: (payload: string) => string]> = [
  [/Base64/, (payload) => Buffer.from(payload, "base64").toString("utf8")],
  [/hexadecimal/, (payload) => Buffer.from(payload, "hex").toString("utf8")],
  [
    /ROT13/,
    (payload) => payload.replace(/[a-z]/g, (letter) => alphabet[(alphabet.indexOf(letter) + 13) % 26] ?? letter)
  ],
  [
    /Morse/,
    (payload) =>
      payload
        .split(" / ")
        .map((word) =>
          word
            .split(" ")
            .map((code) => morseLetters[code] ?? "")
            .join("")
        )
        .join(" ")
  ],
  [/leet/, (payload) => payload.replace(/\d/g, (digit) => leetLetters[digit] ?? digit)],
  [/reversed/, (payload) => payload.split("").reverse().join("")]
]

/** undefined when no encoding is named */
export const decodePayload = (request: string): string | undefined => {
  const [named = "", ...payload] = request.split("\n")
  return readers.find(([name]) => name.test(named))?.[1](payload.join("\n"))
}
