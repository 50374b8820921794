/** The catalogue in a real browser, on a real server: benchmarks, collections and providers, searched and narrowed. */
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { browserMissing, startBrowser, visit } from "./support/browser.ts"
import { fitsInto, isAccessible, tabTo, wasHit } from "./support/checks.ts"
import { hostile, sharedWorld, type World } from "./support/world.ts"

let world: World
let browser: Browser
let provider = ""
let collection = ""

const idOf = (outcome: { readonly ok: boolean; readonly value?: unknown; readonly error?: unknown }): string => {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error))
  return (outcome.value as { readonly resource: { readonly id: string } }).resource.id
}

describe.skipIf(browserMissing() !== undefined)("the catalogue", () => {
  beforeAll(async () => {
    world = sharedWorld("catalogue")
    browser = await startBrowser()
    provider = idOf(
      await world.client.createProvider({
        payload: {
          name: "hostile-provider",
          title: hostile,
          description: hostile,
          tags: ["<b>tag</b>"],
          agent: { hints: [hostile], evaluates: ["<i>danger</i>"] },
          runtime: { local: { command: "true" } },
          parameters: [{ name: "n", type: "integer", description: hostile }],
          benchmarks: [{ id: "hostile-benchmark", name: hostile, description: hostile, url: "javascript:window.hit=1" }]
        }
      })
    )
    collection = idOf(
      await world.client.createCollection({
        payload: {
          name: hostile,
          category: "general",
          description: hostile,
          agent: { recommended_when: [hostile] },
          benchmarks: [{ id: "arith_basic", provider_id: "evald", weight: 2, pass_criteria: { threshold: 0.5 } }]
        }
      })
    )
  })
  afterAll(async () => {
    await browser?.close()
  })
  const open = async (path: string) => {
    const visited = await visit(browser, { tenant: world.tenant })
    await visited.page.goto(`${world.url}${path}`)
    return visited
  }

  it("finds a benchmark by its text and by what the list can be narrowed by, all of it in the address", async () => {
    const { page, context, complaints } = await open("/")
    await page.getByRole("link", { name: "Catalogue" }).click()
    await page.getByRole("searchbox", { name: "Search" }).fill("arith_basic")
    await page.waitForURL(/[?&]q=arith_basic/)
    const row = page.getByRole("row").filter({ hasText: "evald/arith_basic" })
    await row.waitFor()
    await page.getByRole("combobox", { name: "Provider" }).selectOption("evald")
    await page.waitForURL(/provider_id=evald/)
    await page.reload()
    await row.waitFor()
    assert.strictEqual(await page.getByRole("combobox", { name: "Provider" }).inputValue(), "evald")
    await page.getByRole("searchbox", { name: "Search" }).fill("no such benchmark")
    await page.getByText("No benchmark matches.").waitFor()
    await page.getByRole("link", { name: "Show all benchmarks" }).click()
    await page.getByRole("link", { name: "Next" }).click()
    await page.waitForURL(/offset=50/)
    await page.getByRole("link", { name: "Previous" }).waitFor()
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("shows a collection with weights, thresholds and what it is for, one click from the list", async () => {
    const { page, context } = await open("/catalogue/collections?name=quick")
    await page.getByRole("link", { name: "Quick smoke test", exact: true }).click()
    await page.getByRole("row").filter({ hasText: "arith_basic" }).getByText("≥ 0.5").waitFor()
    await page.getByText("A first score is wanted").waitFor()
    assert.strictEqual(await page.title(), "Quick smoke test · evald")
    await page.getByRole("link", { name: "Run it" }).waitFor()
    await context.close()
  })

  it("shows a provider with its parameters, and its benchmarks from there", async () => {
    const { page, context } = await open("/catalogue/providers")
    await page.getByRole("link", { name: "evald built-in benchmarks" }).click()
    await page.getByRole("row").filter({ hasText: "num_concurrent" }).getByText("at most 256").waitFor()
    await page.getByRole("link", { name: /^Show \d+ of them/ }).click()
    await page.waitForURL(/catalogue\?provider_id=evald/)
    await context.close()
  })

  it("text of others is text, on every screen of it", async () => {
    for (const path of [
      "/catalogue?q=hostile-benchmark",
      "/catalogue/collections",
      `/catalogue/collections/${collection}`,
      "/catalogue/providers",
      `/catalogue/providers/${provider}`
    ]) {
      const { page, context, complaints } = await open(path)
      await page.getByText("<img src=x").first().waitFor()
      for (const more of await page.getByText("More", { exact: true }).all()) await more.click()
      assert.strictEqual(
        await page.locator("main img[src], main script, main b, main a[href^='javascript']").count(),
        0
      )
      assert.isFalse(await wasHit(page), path)
      assert.deepStrictEqual(complaints, [], path)
      await context.close()
    }
  })

  it("has no violation of accessibility in either theme, and fits into 320 px", async () => {
    for (const path of [
      "/catalogue",
      "/catalogue/collections",
      "/catalogue/collections/quick-smoke",
      "/catalogue/providers",
      "/catalogue/providers/evald"
    ]) {
      const { page, context } = await open(path)
      await page.getByRole("row").nth(1).waitFor()
      await isAccessible(page)
      await fitsInto(page, 320)
      await isAccessible(page)
      await context.close()
    }
  })

  it("the keyboard alone gets from the bar to a run", async () => {
    const { page, context } = await open("/catalogue/collections?name=quick")
    await page.getByRole("link", { name: "Run Quick smoke test" }).waitFor()
    await tabTo(page, "a[aria-label='Run Quick smoke test']")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/new\?collection=quick-smoke/)
    await context.close()
  })

  it("what is not there is said", async () => {
    for (const kind of ["collections", "providers"]) {
      const { page, context } = await open(`/catalogue/${kind}/nobody-knows`)
      await page.getByRole("alert").getByText("resource_not_found").waitFor()
      await context.close()
    }
  })
})
