/** Somebody who uses no pointer: from the list to a job that runs, which is cancelled and started again. */
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { browserMissing, startBrowser, visit } from "../browser/support/browser.ts"
import { emptyHome, type Home } from "./support/home.ts"
import { shown } from "./support/picture.ts"
import { Story } from "./support/story.ts"

let home: Home
let browser: Browser
let server = ""

describe.skipIf(browserMissing() !== undefined)("somebody with the keyboard only", () => {
  beforeAll(async () => {
    home = emptyHome()
    const [{ url }, model, slow] = await Promise.all([
      home.start(["server", "-local"], { PORT: "0" }),
      home.start(["demo-model", "--port", "0"]),
      home.start(["demo-model", "--port", "0", "--ttft-ms", "3000"])
    ])
    server = url
    const shell = home.shell({ EVALD_SERVER: url })
    const run = (name: string, address: string, ...more: ReadonlyArray<string>) =>
      shell(`evald run --model ${address} --name demo --job-name '${name}' --benchmark arith_basic ${more.join(" ")}`)
    assert.strictEqual((await run("nightly", model.url, "--num-examples 40", "--wait")).code, 0)
    assert.strictEqual((await run("by mistake", slow.url)).code, 0)
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await home?.leave()
  })

  it("finds the job that runs, cancels it, and is asked before", async () => {
    const { page, context, complaints } = await visit(browser, shown)
    const story = new Story("keyboard")
    await page.goto(server)
    await page.getByRole("link", { name: "by mistake" }).waitFor()
    await story.presses("Tab, Enter: past the navigation to the list of jobs.", page, "Tab", "Enter")
    await story.tabsTo("Tab to the state of jobs.", page, "select[name=status]")
    await story.presses("Type “run”: only what runs is left.", page, "r", "u", "n")
    await page.getByText("1 in all").waitFor()
    await story.tabsTo("Tab to the job.", page, "th a")
    await story.shows(page, "The list of jobs that run, the focus on a job's name")
    await story.presses("Enter: the page of the job.", page, "Enter")
    await page.getByRole("heading", { name: "by mistake" }).waitFor()
    await story.tabsTo("Tab to Cancel the job.", page, ".actions button")
    await story.presses("Enter: it asks whether one is sure.", page, "Enter")
    await page.getByRole("button", { name: "Really cancel the job?" }).waitFor()
    await story.shows(page, "The page of the job asks whether it is really to be cancelled")
    await story.presses("Enter: it is cancelled.", page, "Enter")
    await page.getByRole("button", { name: "Run again", exact: true }).waitFor()
    assert.deepStrictEqual(complaints, [])
    story.ends({ keys: 20, seconds: 15 })
    await context.close()
  })
})
