/**
 * Pictures for the pages of the docs: made when the stories are written, else held against the page as it is now. Fonts and times differ from
 * machine to machine, so a picture carries the outline of what it shows (roles, names and texts, without numbers): that has to be the same to
 * the letter, size and colours roughly.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { assert } from "vitest"
import { descriptionOf, type Indexed, pngOf, sizeOf } from "./png.ts"

/** bytes of a picture: the docs stay small */
const most = 60_000

/** a window as the pictures of the docs have it, and times as they are written there */
export const shown = { viewport: { width: 960, height: 600 }, locale: "en-GB", timezoneId: "UTC" } as const

/** the variable has stories and pictures written anew */
export const writing = process.env["EVALD_STORIES"] === "write"
/** what to do about a story that is not what the page says */
export const remedy =
  "if this is meant: EVALD_STORIES=write npm run test:stories writes docs/stories.md and its pictures anew; look at them"

/** what the page is to somebody who does not see it; numbers, names of records and times are those of one run */
const outlineIn = async (page: Page): Promise<string> =>
  (await page.locator("body").ariaSnapshot())
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replace(/\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d/g, "TIME")
    .replace(/\d+(,\d{3})*(\.\d+)?/g, "0")

/** milliseconds until a page is said not to come to rest */
const patience = 10_000

/** the outline of the page once all of it is there and nothing changes any more */
const settledIn = async (page: Page): Promise<string> => {
  for (let last = "", end = performance.now() + patience; ; ) {
    const outline = await outlineIn(page)
    if (outline === last && !/connecting|Loading …/.test(outline)) return outline
    assert.isBelow(performance.now(), end, `the page does not come to rest:\n${outline}`)
    last = outline
    await page.waitForTimeout(150)
  }
}

const addressOf = (png: Buffer): string => `data:image/png;base64,${png.toString("base64")}`

/** with the 256 commonest colours, every other one by the nearest of them */
const indexed = async (page: Page, png: Buffer): Promise<Indexed> => {
  const blank = await page.context().newPage()
  const found = await blank.evaluate(async (address) => {
    const image = new Image()
    image.src = address
    await image.decode()
    const { width, height } = image
    const context = new OffscreenCanvas(width, height).getContext("2d")
    if (context === null) throw new Error("nothing to draw on")
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, width, height)
    const colours = Array.from(
      { length: width * height },
      (_, at) => ((data[at * 4] ?? 0) << 16) | ((data[at * 4 + 1] ?? 0) << 8) | (data[at * 4 + 2] ?? 0)
    )
    const counts = new Map<number, number>()
    for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
    const common = [...counts].sort(([, a], [, b]) => b - a).slice(0, 256)
    const parts = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255]
    const palette = common.map(([colour]) => parts(colour))
    const nearest = new Map(
      [...counts.keys()].map((colour) => {
        const wanted = parts(colour)
        const far = palette.map((one) => one.reduce((sum, part, at) => sum + (part - (wanted[at] ?? 0)) ** 2, 0))
        return [colour, far.indexOf(Math.min(...far))]
      })
    )
    let points = ""
    for (const colour of colours) points += String.fromCharCode(nearest.get(colour) ?? 0)
    return { width, height, palette: palette.flat(), points: btoa(points) }
  }, addressOf(png))
  await blank.close()
  return { ...found, points: Buffer.from(found.points, "base64") }
}

/** the mean difference of the two in each of 32 × 20 fields, 0 to 255 */
const differences = async (page: Page, pictures: ReadonlyArray<Buffer>): Promise<ReadonlyArray<number>> => {
  const blank = await page.context().newPage()
  const [left = [], right = []] = await blank.evaluate(
    (addresses) =>
      Promise.all(
        addresses.map(async (address) => {
          const image = new Image()
          image.src = address
          await image.decode()
          const context = new OffscreenCanvas(32, 20).getContext("2d")
          if (context === null) throw new Error("nothing to draw on")
          context.imageSmoothingQuality = "high"
          context.drawImage(image, 0, 0, 32, 20)
          return [...context.getImageData(0, 0, 32, 20).data]
        })
      ),
    pictures.map(addressOf)
  )
  await blank.close()
  return Array.from({ length: left.length / 4 }, (_, at) =>
    [0, 1, 2].reduce((sum, part) => sum + Math.abs((left[at * 4 + part] ?? 0) - (right[at * 4 + part] ?? 0)) / 3, 0)
  )
}

/** `file`: of the docs. What of the page is on the screen, in the size of the window. */
export const picture = async (page: Page, file: string): Promise<void> => {
  const outline = await settledIn(page)
  const now = await page.screenshot({ animations: "disabled", caret: "hide" })
  if (writing) writeFileSync(file, pngOf(await indexed(page, now), outline))
  assert.isTrue(existsSync(file), `${file} is missing; ${remedy}`)
  const kept = readFileSync(file)
  assert.isAtMost(kept.length, most, file)
  assert.strictEqual(outline, descriptionOf(kept), `${file} shows another page; ${remedy}`)
  assert.deepStrictEqual(sizeOf(now), sizeOf(kept), `${file}; ${remedy}`)
  const fields = await differences(page, [now, kept])
  const other = fields.filter((difference) => difference > 24).length / fields.length
  assert.isAtMost(other, 0.1, `${file}: this share of the picture has other colours; ${remedy}`)
}
