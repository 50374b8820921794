/**
 * One person's way through evald: a script of commands, clicks and keys against real processes, counted and timed. What was done is printed,
 * and is what docs/stories.md says between the marks of the story.
 */
import { readFileSync, writeFileSync } from "node:fs"
import type { Locator, Page } from "playwright-core"
import { assert } from "vitest"
import { scaleOf } from "../../../deploy/budgets.mjs"
import type { Shell } from "./home.ts"
import { picture, remedy, writing } from "./picture.ts"

const docs = "docs/stories.md"

/** what is counted: commands typed, clicks or taps, keys pressed */
export interface Effort {
  readonly commands?: number
  readonly clicks?: number
  readonly keys?: number
}

export interface Limits extends Effort {
  /** from the first step to the last one, on a quiet machine */
  readonly seconds: number
}

type Kind = keyof Effort
const kinds: ReadonlyArray<Kind> = ["commands", "clicks", "keys"]

const marks = (name: string) =>
  [`<!-- story ${name}: written by test/stories/${name}.test.ts -->\n`, `<!-- end of ${name} -->`] as const

/** what stands between the marks */
const section = (text: string, [begin, end]: readonly [string, string]) => {
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end)
  assert.isAbove(from, begin.length - 1, `${docs} has no mark '${begin.trim()}'`)
  assert.isAbove(to, from - 1, `${docs} has no mark '${end}'`)
  return { before: text.slice(0, from), told: text.slice(from, to), after: text.slice(to) }
}

const withoutTimes = (text: string): string => text.replace(/\d+(\.\d+)? s\b/g, "… s")

export class Story {
  readonly #name: string
  readonly #begin = performance.now()
  readonly #lines: Array<string> = []
  readonly #done = { commands: 0, clicks: 0, keys: 0 }
  #pictures = 0
  #steps = 0

  /** `name`: that of the file and of its place in the page */
  constructor(name: string) {
    this.#name = name
  }

  /** for a limit on a part of the way */
  get clicksSoFar(): number {
    return this.#done.clicks
  }

  #step(text: string): void {
    this.#lines.push(`${++this.#steps}. ${text}`)
  }

  /** what happens before or between, and takes no effort */
  tell(text: string): void {
    this.#step(text)
  }

  /** what a command printed, below the last step */
  prints(text: string): void {
    this.quotes("text", plainOutput(text))
  }

  /** a text below the last step */
  quotes(language: string, text: string, mark = ""): void {
    this.#lines.push(`\n${mark}\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`)
  }

  /** a command as it is typed; `shown`: whether its output stands in the page. Answers what it printed. */
  async types(shell: Shell, text: string, command: string, { shown = true, exit = 0 } = {}): Promise<string> {
    this.#done.commands += 1
    const { code, stdout, stderr } = await shell(command)
    assert.strictEqual(code, exit, `${command}\n${stdout}${stderr}`)
    this.#step(text)
    this.quotes("sh", command, "<!-- run by: test/stories/support/story.ts -->\n")
    if (shown && stdout.trim() !== "") this.prints(stdout)
    return stdout
  }

  /** `text`: what it is for */
  async clicks(text: string, target: Locator): Promise<void> {
    this.#done.clicks += 1
    await target.click()
    this.#step(text)
  }

  async taps(text: string, target: Locator): Promise<void> {
    this.#done.clicks += 1
    await target.tap()
    this.#step(text)
  }

  /** keys one after the other */
  async presses(text: string, page: Page, ...keys: ReadonlyArray<string>): Promise<void> {
    for (const key of keys) await page.keyboard.press(key)
    this.#done.keys += keys.length
    this.#step(text)
  }

  /** Tab until the element has the focus; every press counts */
  async tabsTo(text: string, page: Page, selector: string, key = "Tab"): Promise<void> {
    let presses = 0
    while ((await page.locator(`:is(${selector}):focus`).count()) === 0) {
      assert.isAtMost(++presses, 60, `${selector} is not reached`)
      await page.keyboard.press(key)
    }
    this.#done.keys += presses
    this.#step(text)
  }

  /** the page as it is now, below the last step; `alt`: what is to be seen */
  async shows(page: Page, alt: string): Promise<void> {
    const name = `${this.#name}-${++this.#pictures}.png`
    await picture(page, `docs/stories/${name}`)
    this.#lines.push(`\n   ![${alt}](stories/${name})\n`)
  }

  /** prints the story, holds it against its limits and the page */
  ends(limits: Limits): void {
    const seconds = (performance.now() - this.#begin) / 1000
    const spent = kinds.flatMap((kind) =>
      limits[kind] === undefined ? [] : [`${this.#done[kind]} of at most ${limits[kind]} ${kind}`]
    )
    const sum = `${spent.join(", ")}, ${seconds.toFixed(1)} s of at most ${limits.seconds} s`
    process.stderr.write(`story ${this.#name}: ${sum}\n${this.#lines.join("\n")}\n`)
    const told = `\n${this.#lines.join("\n").trimEnd()}\n\n${sum[0]?.toUpperCase()}${sum.slice(1)}.\n`
    const { before, told: kept, after } = section(readFileSync(docs, "utf8"), marks(this.#name))
    if (writing) writeFileSync(docs, `${before}${told}${after}`)
    else assert.strictEqual(withoutTimes(kept), withoutTimes(told), `${docs}; ${remedy}`)
    for (const kind of kinds) assert.isAtMost(this.#done[kind], limits[kind] ?? 0, `${this.#name}: ${kind}`)
    assert.isAtMost(seconds, limits.seconds * scaleOf(), `${this.#name}: seconds`)
  }
}

/** names of records and addresses are those of one run */
const plainOutput = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "01a2…")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-01-01T12:00:00Z")
