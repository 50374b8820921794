/** The samples of a job in a real browser, on a real server: ten thousand of them, the first with hostile text in it. */
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { until } from "../support/evald-process.ts"
import { breakable } from "./support/breakable.ts"
import { browserMissing, startBrowser, visit } from "./support/browser.ts"
import { fitsInto, isAccessible, tabTo, wasHit } from "./support/checks.ts"
import { hostile, sharedWorld, type World } from "./support/world.ts"

const total = 10_000
let world: World
let browser: Browser
let id = ""

const status = (page: Page, text: string) =>
  page
    .getByRole("status")
    .and(page.getByText(text, { exact: true }))
    .waitFor()
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true, level: 2 }).waitFor()
const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

describe.skipIf(browserMissing() !== undefined)("the samples of a job", () => {
  beforeAll(async () => {
    world = sharedWorld("samples")
    browser = await startBrowser()
    id = await world.sampled("many", total)
  })
  afterAll(async () => {
    await browser?.close()
  })
  const open = async (query = "", base = world.url) => {
    const visited = await visit(browser, { tenant: world.tenant })
    await visited.page.goto(`${base}/jobs/${id}/samples${query}`)
    return visited
  }

  it("are two clicks from home, the first one open, and each says what was asked, answered and read, and why it counts so", async () => {
    const { page, context, complaints } = await visit(browser, { tenant: world.tenant })
    await page.goto(world.url)
    await page.getByRole("link", { name: "many" }).click()
    await page.getByRole("link", { name: "Samples", exact: true }).click()
    await status(page, "10,000 samples")
    await heading(page, hostile)
    await page.getByRole("option", { name: "item-3" }).click()
    await heading(page, "item-3")
    assert.strictEqual(parameter(page, "sample"), "item-3")
    const shown = (await page.getByRole("article").textContent()) ?? ""
    for (const text of ["What is 3 + 1?", "answer different", "incorrect", "Expected4"]) assert.include(shown, text)
    // the one that was read, not the one before it
    assert.match(shown, /I think it is 3\. Answer: 3/)
    assert.strictEqual(await page.locator("mark").count(), 1)
    assert.strictEqual(await page.locator("mark").textContent(), "3")
    assert.strictEqual(await page.title(), "Samples of many · evald")
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("log-probabilities that decided are told, the likeliest option first", async () => {
    const { page, context } = await open("?sample=item-2")
    const rows = page.getByRole("region", { name: "Log-probabilities" }).getByRole("row")
    await rows.first().waitFor()
    assert.match((await rows.nth(1).textContent()) ?? "", /B: yes-0\.250/)
    await context.close()
  })

  it("filters, order and search stand in the address, are applied by the server, and come back with the address", async () => {
    const { page, context } = await open()
    await status(page, "10,000 samples")
    await page.getByRole("combobox", { name: "Verdict" }).selectOption("incorrect")
    await status(page, "2,500 samples")
    await page.getByRole("searchbox", { name: "Text" }).fill("WHAT IS 7775 ")
    await page.getByRole("option", { name: "item-7775" }).waitFor()
    await page.getByText(/^1 found in 2,500$/).waitFor()
    assert.deepStrictEqual([parameter(page, "verdict"), parameter(page, "q")], ["incorrect", "WHAT IS 7775"])
    await page.reload()
    await heading(page, "item-7775")
    assert.strictEqual(await page.getByRole("searchbox", { name: "Text" }).inputValue(), "WHAT IS 7775")
    await page.getByRole("searchbox", { name: "Text" }).fill("nobody said this")
    await page.getByText("No sample matches.").waitFor()
    await page.getByRole("link", { name: "Show all samples" }).click()
    await status(page, "10,000 samples")
    await page.getByRole("combobox", { name: "Order" }).selectOption("-index")
    await heading(page, "item-9999")
    await context.close()
  })

  it("what ended a sample and its flags lead to all that have the same", async () => {
    const { page, context } = await open("?sample=item-2")
    await page.getByRole("link", { name: "answer_repeated" }).click()
    await status(page, "1,000 samples")
    assert.strictEqual(parameter(page, "flag"), "answer_repeated")
    await page.getByRole("option", { name: /item-12 / }).click()
    await page.getByRole("link", { name: "length", exact: true }).click()
    await page.waitForURL(/finish_reason=length/)
    await context.close()
  })

  it("the keyboard alone goes through them, and the address names the one that is shown", async () => {
    const { page, context } = await open()
    await status(page, "10,000 samples")
    await tabTo(page, ".samples")
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key)
    await heading(page, "item-2")
    assert.strictEqual(parameter(page, "sample"), "item-2")
    await page.keyboard.press("PageDown")
    await page.waitForURL((url) => url.searchParams.get("sample") !== "item-2")
    await page.keyboard.press("Home")
    await heading(page, hostile)
    await tabTo(page, ".actions button:not([disabled])")
    await page.keyboard.press("Enter")
    await heading(page, "item-1")
    assert.include(await page.locator(".sample[aria-selected=true]").textContent(), "item-1")
    await page.reload()
    await heading(page, "item-1")
    await context.close()
  })

  it("a link to one shows it wherever it lies in the list", async () => {
    const { page, context } = await open("?sample=item-9876&of=0&task=sums&repeat=0")
    await heading(page, "item-9876")
    await context.close()
  })

  it("text of others is text, in every part of a record", async () => {
    const { page, context, complaints } = await visit(browser, { tenant: world.tenant })
    const foreign: Array<string> = []
    page.on("request", (request) => {
      if (!request.url().startsWith(world.url)) foreign.push(request.url())
    })
    await page.goto(`${world.url}/jobs/${id}/samples`)
    await heading(page, hostile)
    for (const part of ["Reasoning", "Whole record"]) await page.getByRole("heading", { name: part }).click()
    await page.locator(".told pre", { hasText: '"sample_id"' }).waitFor()
    assert.isAtLeast(await page.getByText(hostile).count(), 6)
    assert.strictEqual(await page.locator("main img, main script").count(), 0)
    assert.isFalse(await wasHit(page))
    assert.deepStrictEqual([foreign, complaints], [[], []])
    await context.close()
  })

  it("have no violation of accessibility in either theme, and room on screens 360 and 320 px wide", async () => {
    const { page, context } = await open("?sample=item-2")
    await heading(page, "item-2")
    await isAccessible(page)
    for (const width of [360, 320]) await fitsInto(page, width)
    await isAccessible(page)
    await page.goto(`${world.url}/jobs/${id}/samples`)
    await heading(page, hostile)
    await fitsInto(page, 320)
    await isAccessible(page)
    await context.close()
  })

  it("while a job runs, those that come are counted and wait to be shown: nothing moves below the reader", async () => {
    const slow = await world.submit({
      name: "still running",
      benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 2000 } }]
    })
    const { page, context, complaints } = await visit(browser, { tenant: world.tenant })
    await page.goto(`${world.url}/jobs/${slow}/samples`)
    await page.getByText("live", { exact: true }).waitFor()
    const more = page.getByRole("button", { name: /^Show [\d,]+ more$/ })
    await more.waitFor()
    const told = async () => Number((await page.getByText(/^[\d,]+ samples?$/).textContent())?.replace(/\D/g, ""))
    const before = await told()
    await more.click()
    await until(told, (now) => now > before)
    await world.client.cancelJob({ path: { id: slow } })
    await page.getByText("live", { exact: true }).waitFor({ state: "detached" })
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("loading that breaks is said, and goes on where it was", async () => {
    const wire = await breakable(world.url)
    const { page, context } = await open("", wire.url)
    await heading(page, hostile)
    await wire.cut()
    await page.locator(".samples").evaluate((list) => list.scrollTo(0, 200 * 56))
    await page.getByRole("alert").getByText("the server does not answer").waitFor()
    await wire.mend()
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByRole("option", { name: "item-205" }).waitFor()
    assert.strictEqual(await page.getByRole("alert").count(), 0)
    await context.close()
    await wire.stop()
  })

  it("of a job that is not there, and of one without any, is said what there is to say", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(`${world.url}/jobs/00000000-0000-7000-8000-000000000000/samples`)
    await page.getByRole("alert").getByText("resource_not_found").waitFor()
    const none = await world.sampled("none", 0)
    await page.goto(`${world.url}/jobs/${none}/samples`)
    await page.getByText("There are no samples of this job").waitFor()
    await isAccessible(page)
    await context.close()
  })
})
