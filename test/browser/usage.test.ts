/** Usage and queue in a real browser, on a real server. */
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { browserMissing, startBrowser, visit } from "./support/browser.ts"
import { fitsInto, isAccessible, tabTo, wasHit } from "./support/checks.ts"
import { hostile, sharedWorld, type World } from "./support/world.ts"

let world: World
let browser: Browser

describe.skipIf(browserMissing() !== undefined)("usage and queue", () => {
  beforeAll(async () => {
    world = sharedWorld("usage")
    browser = await startBrowser()
    const used = [
      await world.submit({ name: "used" }),
      await world.submit({ name: "used too", model: { url: world.modelUrl, name: hostile } })
    ]
    await Promise.all(used.map(world.ended))
  })
  afterAll(async () => {
    await browser?.close()
  })
  const open = async (search = "") => {
    const visited = await visit(browser, { tenant: world.tenant })
    await visited.page.goto(`${world.url}/usage${search}`)
    await visited.page.getByRole("heading", { name: "Used of models" }).waitFor()
    return visited
  }

  it("shows what each model was asked, and narrows it by time and model in the address", async () => {
    const { page, context, complaints } = await open()
    const row = page.getByRole("row").filter({ hasText: "evald-demo" })
    await row.waitFor()
    assert.match((await row.locator("td").nth(1).textContent()) ?? "", /^[1-9]\d*$/)
    await page.getByRole("row").filter({ hasText: "All of them" }).waitFor()
    await page.getByRole("searchbox", { name: "Model" }).fill("evald-demo")
    await page.waitForURL(/model=evald-demo/)
    await page.getByRole("row").filter({ hasText: "All of them" }).waitFor({ state: "hidden" })
    await page.getByLabel(/^Ended before/).fill("2020-01-01")
    await page.getByText("Nothing was used of any model in this time.").waitFor()
    assert.include(page.url(), "to=2020-01-01")
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("a job that comes and goes is seen without a reload, one click from its reasons", async () => {
    const { page, context } = await open()
    await page.getByText("live", { exact: true }).waitFor()
    await page.getByText("Nothing runs and nothing waits.").waitFor()
    const slow = await world.submit({
      name: "in the queue",
      benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 2000 } }]
    })
    const link = page.getByRole("link", { name: "in the queue" })
    await link.waitFor()
    await world.client.cancelJob({ path: { id: slow } })
    await page.getByText("Nothing runs and nothing waits.").waitFor()
    await context.close()
  })

  it("has no violation of accessibility in either theme, fits into 320 px, and names are text", async () => {
    const { page, context } = await open()
    await page.getByRole("row").filter({ hasText: "<img src=x" }).waitFor()
    assert.strictEqual(await page.locator("main img, main script").count(), 0)
    assert.isFalse(await wasHit(page))
    await isAccessible(page)
    await fitsInto(page, 320)
    await isAccessible(page)
    await tabTo(page, "input[name=model]")
    await context.close()
  })
})
