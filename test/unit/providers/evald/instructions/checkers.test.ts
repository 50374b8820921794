import { assert, describe, it } from "@effect/vitest"
import { looseTexts } from "../../../../../providers/evald/answers/text-answer.ts"
import * as content from "../../../../../providers/evald/instructions/content-checkers.ts"
import * as count from "../../../../../providers/evald/instructions/count-checkers.ts"
import * as form from "../../../../../providers/evald/instructions/form-checkers.ts"
import {
  followsLoosely,
  followsStrictly,
  type Instruction
} from "../../../../../providers/evald/instructions/instruction.ts"

type Want = "both" | "loose" | "neither"

const cases: ReadonlyArray<readonly [rule: Instruction, answer: string, want: Want]> = [
  [count.wordsAtLeast(4), "It's a well-known fact", "both"],
  [count.wordsAtLeast(5), "It's a well-known fact", "neither"],
  [count.wordsAtLeast(1), "...", "neither"],
  [count.wordsAtMost(3), "one two three", "both"],
  [count.wordsAtMost(3), "one two three four", "neither"],
  [count.wordsAtMost(3), "Here is my answer:\none two three", "loose"],
  [count.wordsAtMost(3), "   ", "neither"],
  [count.sentencesExactly(2), 'He paid 3.50 for it. "Was it worth it?"', "both"],
  [count.sentencesExactly(2), "One. Two. Three.", "neither"],
  [count.sentencesExactly(2), "One... two!", "both"],
  [count.sentencesExactly(1), "Of course!\nThis is the one.", "loose"],
  [count.paragraphsExactly(2), "first\nstill first\n\nsecond", "both"],
  [count.paragraphsExactly(2), "first\n \n\nsecond\n", "both"],
  [count.paragraphsExactly(2), "first\nsecond", "neither"],
  [count.paragraphsExactly(2), "Sure:\n\nfirst\n\nsecond", "loose"],
  [count.linesExactly(3), "a\nb\nc\n", "both"],
  [count.linesExactly(3), "a\n\nb", "neither"],
  [count.linesExactly(3), "a\nb\nc\nHope it helps", "loose"],
  [count.bulletsExactly(2), "Things:\n- a\n  - b", "both"],
  [count.bulletsExactly(2), "* a\n* b", "neither"],
  [count.bulletsExactly(2), "-a\n-b", "neither"],
  [count.bulletsExactly(2), "- intro\n- a\n- b", "loose"],
  [count.numberedList(2), "1. a\ntext\n2. b", "both"],
  [count.numberedList(2), "1. a\n3. b", "neither"],
  [count.numberedList(2), "1) a\n2) b", "neither"],
  [count.numberedList(2), "**1. a**\n**2. b**", "loose"],
  [count.sectionsExactly(2), "SECTION 1\na\nSECTION 2\nb", "both"],
  [count.sectionsExactly(2), "Section 1\na\nSection 2\nb", "neither"],
  [count.sectionsExactly(2), "**SECTION 1**\na\n**SECTION 2**\nb", "loose"],
  [content.includeWords(["lantern", "river"]), "The RIVER and the Lantern.", "both"],
  [content.includeWords(["lantern", "river"]), "The rivers and the lantern.", "neither"],
  [content.includeWords(["lantern"]), "*lan*tern", "loose"],
  [content.excludeWords(["very"]), "every day", "both"],
  [content.excludeWords(["very"]), "A Very good day", "neither"],
  [content.excludeWords(["very"]), "A very short introduction\nand then the text", "loose"],
  [content.wordFrequency("garden", 2), "Garden and garden; gardens", "both"],
  [content.wordFrequency("garden", 3), "Garden and garden; gardens", "neither"],
  [content.wordFrequency("garden", 1), "gar*den*", "loose"],
  [content.letterFrequency("z", 3), "Zigzag", "neither"],
  [content.letterFrequency("z", 2), "Zigzag", "both"],
  [content.capitalWords(2), "LOOK at the NASA logo, I say", "both"],
  [content.capitalWords(3), "LOOK at the NASA logo, I say", "neither"],
  [content.capitalWords(1), "LO*OK*", "both"],
  [content.placeholders(2), "Dear [name], see you at [the place].", "both"],
  [content.placeholders(2), "Dear [name], see you at [].", "neither"],
  [content.highlights(2), "*one* and **two words**", "both"],
  [content.highlights(2), "*one* and * two *", "neither"],
  [content.highlights(1), "2 * 3 * 4", "neither"],
  [content.noCommas, "one; two and three", "both"],
  [content.noCommas, "one, two", "neither"],
  [content.noCommas, "one、two", "neither"],
  [content.noCommas, "Sure, here it is:\nno comma here", "loose"],
  [form.jsonOnly, '{"a": [1, 2]}', "both"],
  [form.jsonOnly, '```json\n{"a": 1}\n```', "both"],
  [form.jsonOnly, 'Here it is: {"a": 1}', "neither"],
  [form.jsonOnly, "[1, 2]", "neither"],
  [form.jsonOnly, 'Here it is:\n{"a": 1}', "loose"],
  [form.upperCase, "ALL UP 42!", "both"],
  [form.upperCase, "ALL Up", "neither"],
  [form.upperCase, "42", "neither"],
  [form.upperCase, "Sure:\nALL UP", "loose"],
  [form.lowerCase, "all low — 42", "both"],
  [form.lowerCase, "all Low", "neither"],
  [form.lowerCase, "all low\nRegards", "loose"],
  [form.startsWith("Once again"), "  Once again it rained", "both"],
  [form.startsWith("Once again"), "once again it rained", "neither"],
  [form.startsWith("Once again"), "**Once again** it rained", "loose"],
  [form.endsWith("Come back soon"), "Bye. Come back soon\n", "both"],
  [form.endsWith("Come back soon"), "Bye. Come back soon.", "neither"],
  [form.endsWith("Come back soon"), "Bye. Come back soon\nAnything else?\nReally?", "neither"],
  [form.endsWith("Come back soon"), "Bye. Come back soon\nAnything else?", "loose"],
  [form.inQuotes, '"All of it."', "both"],
  [form.inQuotes, '"Part" of it', "neither"],
  [form.inQuotes, "“All of it.”", "neither"],
  [form.inQuotes, 'Answer:\n"All of it."', "loose"],
  [form.title, "<<A day>>\ntext", "both"],
  [form.title, "the <<A day>> text", "neither"],
  [form.title, "<< >>\ntext", "neither"],
  [form.title, "**<<A day>>**\ntext", "loose"],
  [form.postscript, "text\nP.S. more", "both"],
  [form.postscript, "text\nP. S. more", "both"],
  [form.postscript, "P.S. more", "neither"],
  [form.postscript, "text. P.S. more", "neither"],
  [form.postscript, "text\n**P.S.** more", "loose"],
  [form.inScript("Greek"), "Καλημέρα κόσμε 1", "both"],
  [form.inScript("Greek"), "Καλημέρα world", "neither"],
  [form.inScript("Cyrillic"), "Доброе утро, мир", "both"],
  [form.inScript("Cyrillic"), "Καλημέρα", "neither"],
  [form.inScript("Cyrillic"), "Here is the text:\nДоброе утро", "loose"]
]

describe("instruction checkers", () => {
  it.each(cases.map(([rule, answer, want]) => [rule.checker, answer, want, rule] as const))(
    "%s on %j: %s",
    (_, answer, want, rule) => {
      assert.strictEqual(followsStrictly(rule, answer), want === "both")
      assert.strictEqual(followsLoosely(rule, answer), want !== "neither")
    }
  )

  it("every one of the 25 checkers has a passing and a failing case", () => {
    const outcomes = (want: (value: Want) => boolean) =>
      new Set(cases.filter(([, , value]) => want(value)).map(([rule]) => rule.checker))
    assert.strictEqual(outcomes((value) => value === "both").size, 25)
    assert.strictEqual(outcomes((value) => value === "neither").size, 25)
  })

  it("the loose score reads the text without its first and last line and without asterisks", () => {
    assert.deepStrictEqual(looseTexts("*a*\nb\nc"), ["*a*\nb\nc", "b\nc", "*a*\nb", "b", "a\nb\nc", "a\nb"])
  })
})
