import { assert, describe, it } from "@effect/vitest"
import { NUMBER_LANGUAGES } from "../../../../providers/evald/languages/number-words.ts"

/** written by hand: the places where languages differ */
const TABLE: { readonly [code: string]: ReadonlyArray<readonly [number, string]> } = {
  de: [
    [16, "sechzehn"],
    [21, "einundzwanzig"],
    [71, "einundsiebzig"],
    [101, "einhunderteins"],
    [1000, "eintausend"],
    [21_000, "einundzwanzigtausend"],
    [101_000, "einhunderteintausend"],
    [300_230, "dreihunderttausendzweihundertdreißig"]
  ],
  fr: [
    [21, "vingt et un"],
    [70, "soixante-dix"],
    [71, "soixante et onze"],
    [80, "quatre-vingts"],
    [81, "quatre-vingt-un"],
    [91, "quatre-vingt-onze"],
    [99, "quatre-vingt-dix-neuf"],
    [200, "deux cents"],
    [201, "deux cent un"],
    [1000, "mille"],
    [80_000, "quatre-vingt mille"],
    [200_000, "deux cent mille"]
  ],
  es: [
    [16, "dieciséis"],
    [22, "veintidós"],
    [31, "treinta y uno"],
    [100, "cien"],
    [101, "ciento uno"],
    [555, "quinientos cincuenta y cinco"],
    [1000, "mil"],
    [21_000, "veintiún mil"],
    [31_000, "treinta y un mil"]
  ],
  it: [
    [21, "ventuno"],
    [23, "ventitré"],
    [28, "ventotto"],
    [100, "cento"],
    [180, "centottanta"],
    [203, "duecentotré"],
    [1000, "mille"],
    [23_000, "ventitremila"]
  ],
  pt: [
    [21, "vinte e um"],
    [100, "cem"],
    [101, "cento e um"],
    [1100, "mil e cem"],
    [1234, "mil duzentos e trinta e quatro"],
    [2001, "dois mil e um"]
  ],
  nl: [
    [22, "tweeëntwintig"],
    [23, "drieëntwintig"],
    [48, "achtenveertig"],
    [101, "honderdeen"],
    [2345, "tweeduizend driehonderdvijfenveertig"]
  ],
  sv: [
    [21, "tjugoett"],
    [100, "etthundra"],
    [1234, "ett tusen tvåhundratrettiofyra"]
  ],
  tr: [
    [21, "yirmi bir"],
    [100, "yüz"],
    [1001, "bin bir"],
    [2345, "iki bin üç yüz kırk beş"]
  ],
  id: [
    [10, "sepuluh"],
    [11, "sebelas"],
    [12, "dua belas"],
    [100, "seratus"],
    [1121, "seribu seratus dua puluh satu"],
    [11_000, "sebelas ribu"]
  ],
  zh: [
    [11, "十一"],
    [101, "一百零一"],
    [110, "一百一十"],
    [1001, "一千零一"],
    [1010, "一千零一十"],
    [10_010, "一万零一十"],
    [12_345, "一万二千三百四十五"],
    [100_000, "十万"],
    [120_500, "十二万零五百"]
  ]
}

describe("numbers in words", () => {
  it("follow each language's rules", () => {
    assert.deepStrictEqual(NUMBER_LANGUAGES.map(({ code }) => code).sort(), Object.keys(TABLE).sort())
    for (const { code, words } of NUMBER_LANGUAGES) {
      for (const [value, text] of TABLE[code] ?? []) assert.strictEqual(words(value), text, `${code} ${value}`)
    }
  })

  it("no two numbers are written alike", () => {
    for (const { code, words } of NUMBER_LANGUAGES) {
      const written = new Set(Array.from({ length: 12_000 }, (_, value) => words(value)))
      assert.strictEqual(written.size, 12_000, code)
    }
  })
})
