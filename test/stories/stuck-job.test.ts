/** A platform engineer looks for what a job waits for: the page of the job names who has the places, and that job's page why it keeps them. */
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { browserMissing, startBrowser, visit } from "../browser/support/browser.ts"
import { until } from "../support/evald-process.ts"
import { emptyHome, type Home } from "./support/home.ts"
import { shown } from "./support/picture.ts"
import { Story } from "./support/story.ts"

let home: Home
let browser: Browser
let server = ""

describe.skipIf(browserMissing() !== undefined)("a platform engineer", () => {
  beforeAll(async () => {
    home = emptyHome()
    const [{ url }, limited, free] = await Promise.all([
      home.start(["server", "-local"], { PORT: "0" }),
      home.start([
        "demo-model",
        "--port",
        "0",
        "--status-script",
        Array.from({ length: 900 }, () => "429@30").join(",")
      ]),
      home.start(["demo-model", "--port", "0"])
    ])
    server = url
    const shell = home.shell({ EVALD_SERVER: url })
    // the same one five times: which of them begins first is chance
    const sweep = "--benchmark arith_basic ".repeat(5)
    const big = await shell(`evald run --model ${limited.url} --name large --job-name 'weekly sweep' ${sweep}`)
    const id = big.stdout.trim()
    await until(
      async () => (await shell(`evald describe job ${id}`)).stdout,
      (text) => /is slow: .*\(and 4 more of the same\)/.test(text)
    )
    const small = await shell(
      `evald run --model ${free.url} --name small --job-name 'release check' --benchmark arith_basic`
    )
    assert.strictEqual(small.code, 0, small.stderr)
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await home?.leave()
  })

  it("finds the cause of a stuck job with at most three clicks", async () => {
    const { page, context, complaints } = await visit(browser, shown)
    const story = new Story("stuck-job")
    await page.goto(server)
    await page.getByRole("link", { name: "release check" }).waitFor()
    story.tell("The list of jobs: the release check has not begun.")
    await story.shows(page, "The list of jobs: the weekly sweep runs, the release check is pending")
    await story.clicks(
      "Click on its name: it waits for a place, and who has the places is said below.",
      page.getByRole("link", { name: "release check" })
    )
    const holder = page.getByRole("region", { name: "Why" }).getByRole("link", { name: "weekly sweep" })
    await holder.waitFor()
    await story.shows(page, "The release check waits for a place; five benchmarks of the weekly sweep have all of them")
    await story.clicks("Click on the one that has it: its endpoint answers with 429.", holder)
    await page
      .getByRole("region", { name: "Why" })
      .getByText(/answered with 429/)
      .first()
      .waitFor()
    await story.shows(page, "The weekly sweep is slow: its endpoint limits its rate")
    assert.deepStrictEqual(complaints, [])
    story.ends({ clicks: 3, seconds: 15 })
    await context.close()
  })
})
