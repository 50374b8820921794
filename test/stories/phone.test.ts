/** Somebody on the way looks at a phone: did the run pass, why not, once more. */
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { browserMissing, startBrowser, visit } from "../browser/support/browser.ts"
import { fitsInto } from "../browser/support/checks.ts"
import { emptyHome, type Home } from "./support/home.ts"
import { shown } from "./support/picture.ts"
import { Story } from "./support/story.ts"

const screen = { width: 360, height: 740 }
let home: Home
let browser: Browser
let server = ""

/** what a finger hits: at least 24 px in both directions, links within a text aside */
const smallTargets = (page: Page) =>
  page.locator("a, button, input, select, summary").evaluateAll((all) =>
    all.flatMap((one) => {
      const { width, height } = one.getBoundingClientRect()
      const isShown = width > 0 && height > 0 && !one.closest("p, li, .skip")
      return isShown && (width < 24 || height < 24) ? [`${one.tagName} ${one.textContent} ${width} x ${height}`] : []
    })
  )

describe.skipIf(browserMissing() !== undefined)("somebody with a phone", () => {
  beforeAll(async () => {
    home = emptyHome()
    const [{ url }, model] = await Promise.all([
      home.start(["server", "-local"], { PORT: "0" }),
      home.start(["demo-model", "--port", "0"])
    ])
    server = url
    const shell = home.shell({ EVALD_SERVER: url })
    const run = (name: string, address: string, ...more: ReadonlyArray<string>) =>
      shell(
        `evald run --model ${address} --name demo --job-name '${name}' --benchmark arith_basic --num-examples 40 --wait ${more.join(" ")}`
      )
    assert.strictEqual((await run("nightly", model.url)).code, 0)
    // nobody listens there
    assert.strictEqual((await run("nightly on the new endpoint", "http://127.0.0.1:9/v1")).code, 3)
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await home?.leave()
  })

  it("sees that a run failed, why, and starts it again", async () => {
    const { page, context, complaints } = await visit(browser, {
      ...shown,
      viewport: screen,
      isMobile: true,
      hasTouch: true
    })
    const story = new Story("phone")
    await page.goto(server)
    const failed = page.getByRole("link", { name: "nightly on the new endpoint" })
    await failed.waitFor()
    story.tell("The list of jobs: one passed, one failed.")
    await story.shows(page, "The list of jobs on a screen 360 px wide, each job a card")
    assert.deepStrictEqual(await smallTargets(page), [])
    await fitsInto(page, screen.width)
    await story.taps("Tap on the one that failed: its endpoint does not answer.", failed)
    await page.getByRole("region", { name: "Why" }).getByText("model_endpoint_unreachable").first().waitFor()
    await story.shows(page, "Why it failed, first of all")
    assert.deepStrictEqual(await smallTargets(page), [])
    await fitsInto(page, screen.width)
    await story.taps(
      "Tap on Run again what failed: it is another job, seen live.",
      page.getByRole("button", { name: "Run again what failed" })
    )
    await page.waitForURL((url) => !url.pathname.endsWith("/"))
    await page
      .getByText(/pending|running/)
      .first()
      .waitFor()
    assert.deepStrictEqual(complaints, [])
    story.ends({ clicks: 2, seconds: 15 })
    await context.close()
  })
})
