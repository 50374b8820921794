/** A new run in a real browser, on a real server: filled in, checked, started. */
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { browserMissing, startBrowser, visit } from "./support/browser.ts"
import { fitsInto, isAccessible, tabTo, wasHit } from "./support/checks.ts"
import { hostile, sharedWorld, type World } from "./support/world.ts"

let world: World
let browser: Browser
let provider = ""

describe.skipIf(browserMissing() !== undefined)("a new run", () => {
  beforeAll(async () => {
    world = sharedWorld("new-run")
    browser = await startBrowser()
    const made = await world.client.createProvider({
      payload: {
        ...{
          name: "hostile-provider",
          title: "Hostile",
          description: hostile,
          runtime: { local: { command: "true" } }
        },
        parameters: [{ name: "mode", type: "string", description: hostile, enum: [hostile, "plain"] }],
        benchmarks: [{ id: "hostile-benchmark", name: hostile, url: "javascript:window.hit=1" }]
      }
    })
    if (!made.ok || typeof made.value !== "object") throw new Error(JSON.stringify(made))
    provider = made.value.resource.id
  })
  afterAll(async () => {
    await browser?.close()
  })
  const open = async (search = "") => {
    const visited = await visit(browser, { tenant: world.tenant })
    await visited.page.goto(`${world.url}/new${search}`)
    await visited.page.getByRole("button", { name: "Start", exact: true }).waitFor()
    return visited
  }
  const jobs = async (): Promise<number> => {
    const outcome = await world.client.listJobs({ urlParams: { limit: 1 } })
    return outcome.ok && typeof outcome.value === "object" ? outcome.value.total_count : -1
  }

  it("is checked first: every value with its source, what it may use, and nothing is stored", async () => {
    const { page, context, complaints } = await open("?collection=quick-smoke")
    await page.getByRole("textbox", { name: "Address of the endpoint" }).fill(world.modelUrl)
    await page.getByRole("textbox", { name: "Model", exact: true }).fill("evald-demo")
    await page.keyboard.press("Enter")
    const row = page.getByRole("row").filter({ hasText: "arith_basic" })
    await row.waitFor()
    const text = (await row.textContent()) ?? ""
    assert.match(text, /exact_match_flexible from collection/)
    assert.match(text, /0\.500 from collection/)
    assert.match(text, /\d+ requests/)
    assert.strictEqual(await jobs(), 0)
    await page.getByRole("textbox", { name: "Model", exact: true }).fill("another")
    await page.getByText("The request has changed since").waitFor()
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("what is wrong stands at its field, which gets the focus", async () => {
    const { page, context } = await open("?benchmark=evald/arith_basic")
    await page.getByRole("button", { name: "Check, start nothing" }).click()
    await page.getByRole("alert").waitFor()
    const address = page.getByRole("textbox", { name: "Address of the endpoint" })
    assert.strictEqual(await address.getAttribute("aria-invalid"), "true")
    assert.isTrue(await address.evaluate((field) => field === document.activeElement))
    const told = (await address.getAttribute("aria-describedby")) ?? ""
    assert.isNotEmpty(await page.locator(`[id="${told.split(" ").at(-1)}"]`).textContent())
    await isAccessible(page)
    await address.fill(world.modelUrl)
    assert.isNull(await address.getAttribute("aria-invalid"), "said of what it was before")
    await page.getByRole("textbox", { name: "Model", exact: true }).fill("evald-demo")
    await page.getByRole("alert").waitFor({ state: "detached" })
    await page.getByText("Parameters", { exact: true }).click()
    const concurrent = page.getByRole("textbox", { name: "num_concurrent" })
    await concurrent.fill("several")
    await page.getByText("Parameters", { exact: true }).click()
    await page.getByRole("button", { name: "Check, start nothing" }).click()
    await page.locator("[aria-invalid]").waitFor()
    assert.strictEqual(await concurrent.getAttribute("aria-invalid"), "true")
    assert.isTrue(await concurrent.isVisible(), "its part is opened")
    await context.close()
  })

  it("benchmarks are searched and added, and started with their parameters", async () => {
    const { page, context } = await open()
    await page.getByRole("textbox", { name: "Address of the endpoint" }).fill(world.modelUrl)
    await page.getByRole("textbox", { name: "Model", exact: true }).fill("evald-demo")
    await page.getByRole("radio", { name: "Benchmarks of your choice" }).check()
    await page.getByRole("searchbox", { name: "Search benchmarks to add" }).fill("arith_basic")
    await page.getByRole("button", { name: "Add evald/arith_basic", exact: true }).click()
    await page.getByRole("textbox", { name: "Weight" }).fill("2")
    await page.getByRole("textbox", { name: "Threshold", exact: true }).fill("0.50")
    await page.getByText("Parameters", { exact: true }).click()
    await page.getByRole("combobox", { name: "difficulty" }).selectOption("easy")
    await page.getByRole("textbox", { name: "Items" }).fill("20")
    await page.getByRole("button", { name: "Start", exact: true }).click()
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/)
    const outcome = await world.client.getJob({ path: { id: page.url().split("/").at(-1) ?? "" } })
    assert.isTrue(outcome.ok)
    const job = outcome.value as { readonly name: string; readonly benchmarks?: ReadonlyArray<unknown> }
    assert.strictEqual(job.name, "evald-demo")
    assert.deepInclude(job.benchmarks?.[0], {
      id: "arith_basic",
      weight: 2,
      pass_criteria: { threshold: 0.5 },
      parameters: { difficulty: "easy", num_examples: 20 }
    })
    await context.close()
  })

  it("leaving a benchmark out keeps what was typed of the others", async () => {
    const { page, context } = await open("?benchmark=evald/arith_basic&benchmark=evald/mcq_general")
    const other = page.getByRole("group", { name: "evald/mcq_general" })
    await other.getByRole("textbox", { name: "Weight" }).fill("3")
    await page.getByRole("button", { name: "Leave evald/arith_basic out" }).click()
    assert.strictEqual(await other.getByRole("textbox", { name: "Weight" }).inputValue(), "3")
    await page.getByRole("textbox", { name: "Address of the endpoint" }).fill(world.modelUrl)
    await page.getByRole("textbox", { name: "Model", exact: true }).fill(hostile)
    await page.getByRole("button", { name: "Check, start nothing" }).click()
    const row = page.getByRole("row").filter({ hasText: "mcq_general" })
    await row.getByText("3.000").waitFor()
    assert.isFalse(await wasHit(page))
    await context.close()
  })

  it("text of definitions is text: names that are found, descriptions and choices of parameters, what would run", async () => {
    const { page, context, complaints } = await open(`?benchmark=${provider}/hostile-benchmark`)
    await page.getByText("Parameters", { exact: true }).click()
    await page.getByRole("combobox", { name: "mode", exact: true }).selectOption(hostile)
    assert.include(await page.getByRole("group", { name: /hostile-benchmark$/ }).textContent(), hostile)
    await page.getByRole("searchbox", { name: "Search benchmarks to add" }).fill("hostile-benchmark")
    await page.getByRole("listitem").filter({ hasText: hostile }).waitFor()
    await page.getByRole("textbox", { name: "Address of the endpoint" }).fill(world.modelUrl)
    await page.getByRole("textbox", { name: "Model", exact: true }).fill("evald-demo")
    await page.getByRole("button", { name: "Check, start nothing" }).click()
    await page.getByRole("row").filter({ hasText: "hostile-benchmark" }).getByText("window.hit").waitFor()
    assert.strictEqual(await page.locator("main img, main script, main a[href^='javascript']").count(), 0)
    assert.isFalse(await wasHit(page))
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("the keyboard alone fills it in and starts it", async () => {
    const { page, context } = await open("?benchmark=evald/arith_basic")
    await tabTo(page, "input[inputmode=url]")
    await page.keyboard.type(world.modelUrl)
    await page.keyboard.press("Tab")
    await page.keyboard.type("evald-demo")
    await tabTo(page, "button.primary")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/jobs\//)
    await context.close()
  })

  it("has no violation of accessibility in either theme with all of its parts open, and fits into 320 px", async () => {
    const { page, context } = await open("?benchmark=evald/arith_basic")
    await page.getByText("Parameters", { exact: true }).click()
    await page.getByRole("heading", { name: "Limits, place and name" }).click()
    await page.getByRole("textbox", { name: "Address of the endpoint" }).fill(world.modelUrl)
    await page.getByRole("textbox", { name: "Model", exact: true }).fill("evald-demo")
    await page.getByRole("button", { name: "Check, start nothing" }).click()
    await page.getByRole("heading", { name: "What would run" }).waitFor()
    await isAccessible(page)
    await fitsInto(page, 320)
    await isAccessible(page)
    await context.close()
  })
})
