/** Forms in which models really give a number: `x` is what the model holds to be the answer, `y` another number that it mentions. */
import type { Unreadable } from "../../../../../providers/evald/answers/reading.ts"

export type Form = readonly [name: string, form: (x: string, y: string) => string]

const wide = (text: string) => text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))
const digitsOf = (zero: number) => (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
const grouped = (separator: string) => (text: string) => text.replace(/\B(?=(\d{3})+(?!\d))/g, separator)

export const NUMBER_FORMS: ReadonlyArray<Form> = [
  ["the line asked for", (x) => `Answer: ${x}`],
  ["nothing but the number", (x) => x],
  ["with a full stop", (x) => `${x}.`],
  ["bold", (x) => `**${x}**`],
  ["a sentence", (x) => `The answer is ${x}.`],
  ["a final answer in bold", (x) => `**Final Answer:** ${x}`],
  ["all bold", (x) => `**Final Answer: ${x}**`],
  ["capitals", (x) => `FINAL ANSWER: ${x}`],
  ["on the next line", (x) => `Answer:\n${x}`],
  ["two lines below", (x) => `**Answer:**\n\n**${x}**`],
  ["below a heading", (x) => `We add them up.\n\n### Final Answer\n\n${x}`],
  ["a heading with the number", (x) => `## Answer: ${x}`],
  ["boxed", (x) => `Thus we get\n$$\\boxed{${x}}$$`],
  ["boxed with text", (x) => `\\boxed{\\text{${x} apples}}`],
  ["boxed with a sentence", (x) => `\\boxed{\\text{The answer is ${x}}}`],
  ["boxed equation", (x) => `\\[ \\boxed{n = ${x}} \\]`],
  ["display math", (x) => `Therefore, the answer is\n\\[ ${x} \\]`],
  ["inline math", (x) => `The answer is $${x}$.`],
  ["inline math in brackets", (x) => `The final answer is \\(${x}\\).`],
  ["hope it is correct", (x) => `Final Answer: The final answer is $\\boxed{${x}}$. I hope it is correct.`],
  ["in angle brackets", (x) => `Answer: <${x}>`],
  ["in an answer tag", (x, y) => `First I get ${y}.\n<answer>${x}</answer>`],
  ["in an unclosed answer tag", (x) => `<answer>${x}`],
  ["in JSON", (x) => `{"answer": ${x}}`],
  ["in JSON with a reason", (x, y) => `{"answer": ${x}, "explanation": "not ${y}"}`],
  ["in fenced JSON", (x) => `\`\`\`json\n{"reasoning": "adding up", "final_answer": "${x}"}\n\`\`\``],
  ["in a fence", (x) => `\`\`\`\n${x}\n\`\`\``],
  ["in backticks", (x) => `The answer is \`${x}\`.`],
  ["as GSM8K ends", (x, y) => `Anna buys ${y} more.\n#### ${x}`],
  ["in quotes", (x) => `Answer: "${x}"`],
  ["in square brackets", (x) => `Answer: [${x}]`],
  ["in a table", (x) => `| Step | Value |\n|---|---|\n| Answer | ${x} |`],
  ["with a dash", (x) => `Final answer – ${x}`],
  ["with an arrow", (x) => `Answer → ${x}`],
  ["with a sign of equality", (x) => `Answer = ${x}`],
  ["abbreviated", (x) => `Ans: ${x}`],
  ["question and answer", (x) => `A: ${x}`],
  ["with a unit", (x) => `Answer: ${x} apples`],
  ["with a unit of length", (x) => `Answer: ${x} km`],
  ["with a unit at the number", (x) => `The answer is ${x}km.`],
  ["in dollars", (x) => `The answer is $${x}.`],
  ["in euros", (x) => `Answer: €${x}`],
  ["with a currency behind", (x) => `Answer: ${x} EUR`],
  ["with a percent sign", (x) => `Answer: ${x}%`],
  ["with two units", (x) => `Answer: ${x} square metres.`],
  ["with a remark", (x, y) => `Answer: ${x} (not ${y})`],
  ["not the other one", (x, y) => `The answer is ${x}, not ${y}.`],
  ["but this one", (x, y) => `The answer is not ${y} but ${x}.`],
  ["two sentences", (x, y) => `The answer is not ${y}. The answer is ${x}.`],
  ["with the reason", (x, y) => `Answer: ${x}, because ${y} would be too much.`],
  ["an equation that ends in it", (x) => `Answer: 6 × 7 + 0 = ${x}`],
  ["an equation that begins with it", (x) => `Answer: ${x} = 6 × 7`],
  ["the number of a variable", (x) => `So x = ${x}`],
  ["a calculation alone", (x, y) => `3 + ${y} = ${x}`],
  ["a calculation, then the result", (x, y) => `First, 5 + ${y} gives some.\nTherefore, Anna has ${x} apples.`],
  ["the sum of two", (x, y) => `The sum of ${y} and 5 is ${x}.`],
  ["corrected", (x, y) => `Answer: ${y}\nWait, I made a mistake.\nAnswer: ${x}`],
  ["corrected in a sentence", (x, y) => `The answer is ${y}. Actually, no, it is ${x}.`],
  ["struck out", (x, y) => `Answer: ~~${y}~~ ${x}`],
  ["bold among others", (x, y) => `So there are **${x}** apples in ${y} bags.`],
  ["in a bag", (x) => `Answer: ${x} apples in 3 bags`],
  ["asked, then answered", (x, y) => `Is the answer ${y}? No. The answer is ${x}.`],
  ["polite", (x) => `The answer is ${x}.\n\nI hope this helps! Let me know if you have any questions.`],
  ["introduced", (x) => `Sure! Here's the solution.\n\nAnswer: ${x}`],
  ["thought aloud", (x, y) => `<think>It could be ${y}. Answer: ${y}</think>\nAnswer: ${x}`],
  ["thought aloud, without the opening tag", (x, y) => `Maybe ${y}.</think>${x}`],
  ["[THINK]", (x, y) => `[THINK]Answer: ${y}[/THINK]The answer is ${x}.`],
  [
    "harmony",
    (x, y) =>
      `<|channel|>analysis<|message|>${y}?<|end|><|start|>assistant<|channel|>final<|message|>Answer: ${x}<|return|>`
  ],
  [
    "with the turns that would follow",
    (x, y) => `The answer is $\\boxed{${x}}$.<|im_end|>\n<|im_start|>user\nWhat is ${y}?`
  ],
  [
    "with the next question",
    (x, y) => `She has some.\n#### ${x}\n\nQuestion: Tom has 5 apples.\nAnswer: He has more.\n#### ${y}`
  ],
  ["with the next question, abbreviated", (x, y) => `The answer is ${x}.\n\nQ: Tom has 5.\nA: The answer is ${y}.`],
  ["the question first", (x, y) => `There are ${y} apples.\n\nQuestion: How many are there?\nAnswer: ${x}`],
  ["twice", (x) => `#### ${x}\n#### ${x}`],
  ["a calculator's notes", (x, y) => `It would take 5*10=<<5*10=${y}>>${y} minutes\n#### ${x}`],
  ["with a dollar sign, as GSM8K ends", (x) => `So it is done.\n#### $${x}`],
  ["boxed, with an escaped dollar", (x) => `\\boxed{\\$${x}}`],
  ["boxed, in degrees", (x) => `\\boxed{${x}^\\circ}`],
  ["boxed, bold", (x) => `\\boxed{\\mathbf{${x}}}`],
  ["boxed without braces", (x) => `\\boxed ${x}`],
  ["with a special token", (x) => `Answer: ${x}<|eot_id|>`],
  ["an end of text", (x) => `The answer is ${x}.</s>`],
  ["wide digits", (x) => `Answer：${wide(x)}`],
  ["Arabic digits", (x) => `الجواب: ${digitsOf(0x660)(x)}`],
  ["Devanagari digits", (x) => `उत्तर: ${digitsOf(0x966)(x)}`],
  ["bold mathematical digits", (x) => `Answer: ${digitsOf(0x1d7ce)(x)}`],
  ["grouped by commas", (x) => `Answer: ${grouped(",")(x)}`],
  ["grouped by spaces", (x) => `Answer: ${grouped("\u202f")(x)}`],
  ["grouped by apostrophes", (x) => `The answer is ${grouped("'")(x)}.`],
  ["grouped in LaTeX", (x) => `The answer is $${grouped("{,}")(x)}$.`],
  ["with decimals of nothing", (x) => `Answer: ${x}.00`],
  ["about", (x) => `The answer is approximately ${x}.`],
  ["exactly", (x) => `The answer is exactly **${x}**.`],
  ["in German", (x) => `Die Antwort lautet ${x}.`],
  ["in German, with a colon", (x) => `**Antwort:** ${x}`],
  ["in French", (x) => `La réponse est ${x}.`],
  ["in French, with a space before the colon", (x) => `Réponse : ${x}`],
  ["in Spanish", (x) => `La respuesta correcta es ${x}.`],
  ["in Italian", (x) => `Risposta finale: ${x}`],
  ["in Portuguese", (x) => `Resposta: ${x}`],
  ["in Russian", (x) => `Ответ: ${x}`],
  ["in Chinese", (x) => `所以答案是${x}。`],
  ["in Chinese, with a wide colon", (x) => `最终答案：${x}`],
  ["in Japanese", (x) => `答えは${x}です。`],
  ["in Korean", (x) => `정답은 ${x}입니다.`],
  ["in Turkish", (x) => `Cevap: ${x}`],
  ["in HTML", (x) => `<p>Answer: <strong>${x}</strong></p>`],
  ["quoted", (x) => `> Answer: ${x}`],
  ["listed", (x) => `- Step 1: add\n- Answer: ${x}`],
  ["a question's answer", (x, y) => `The answer to the question of ${y} apples is ${x}.`],
  ["right answer", (x) => `The correct answer is: ${x}`],
  ["final result", (x, y) => `We start with ${y}.\nFinal result: ${x}`],
  [
    "the prompt repeated first",
    (x) => `Finish with a last line of the form "Answer: <x>", where <x> is the number in digits.\nAnswer: ${x}`
  ]
]

/** replies in many languages that deny one answer and give another: a number or a letter */
export const NOT_THIS_BUT_THAT = [
  "Die Antwort ist nicht Y, sondern X.",
  "La respuesta no es Y, es X.",
  "La réponse n'est pas Y mais X.",
  "La risposta non è Y ma X.",
  "A resposta não é Y, é X.",
  "Het antwoord is niet Y maar X.",
  "Svaret är inte Y utan X.",
  "Svaret er ikke Y, men X.",
  "Odpowiedź to nie Y, lecz X.",
  "Ответ не Y, а X.",
  "Cevap Y değil, X.",
  "答案不是Y，而是X。",
  "答えはYではなくXです。",
  "정답은 Y가 아니라 X입니다.",
  "الجواب ليس Y بل X",
  "उत्तर Y नहीं, X है"
] as const
/** replies that only deny an answer */
export const NOT_THIS = [
  "Die Antwort ist nicht Y.",
  "La respuesta no es Y.",
  "Het antwoord is niet Y.",
  "Svaret är inte Y.",
  "Odpowiedź to nie Y.",
  "Ответ: не Y.",
  "Cevap Y değil.",
  "答案不是Y。",
  "答えはYではありません。",
  "정답은 Y가 아닙니다.",
  "الجواب ليس Y",
  "उत्तर Y नहीं है"
] as const

/** replies that hold no answer, whatever the right one is */
export const NO_NUMBER: ReadonlyArray<
  readonly [name: string, reason: Unreadable, form: (x: string, y: string) => string]
> = [
  ["nothing", "no_answer", () => ""],
  ["white space", "no_answer", () => " \n\t "],
  ["only thought", "no_answer", (x) => `<think>The answer is ${x}`],
  ["only thought, on a channel", "no_answer", (x) => `<|channel|>analysis<|message|>Answer: ${x}`],
  ["one or the other", "answer_ambiguous", (x, y) => `Answer: ${x} or ${y}`],
  ["both", "answer_ambiguous", (x, y) => `The answer is ${y} and ${x}.`],
  ["a range", "answer_ambiguous", (x, y) => `Answer: ${x} to ${y}`],
  ["a list", "answer_ambiguous", (x, y) => `Answer: ${x}; ${y}; 3`],
  ["what it is not", "answer_negated", (x) => `The answer is not ${x}.`],
  ["what it cannot be", "answer_negated", (x) => `The answer can't be ${x}.`],
  ["what would be wrong", "answer_negated", (x) => `${x} is wrong.`],
  ["taken back", "answer_negated", (x) => `The answer is ${x}. Wait, that is wrong.`],
  ["no idea", "answer_declined", () => "Answer: I do not know."],
  ["words", "answer_not_found", () => "Answer: many apples"],
  ["a version", "answer_not_found", () => "See v2 of a3."]
]
