/** The comparison of jobs in a real browser, on a real server: chosen, compared, judged by a policy. */
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { listen, type Running } from "../support/evald-process.ts"
import { browserMissing, startBrowser, visit } from "./support/browser.ts"
import { fitsInto, isAccessible, tabTo, wasHit } from "./support/checks.ts"
import { hostile, sharedWorld, type World } from "./support/world.ts"

let world: World
let browser: Browser
let weak: Running
let good = ""
let worse = ""
let others = ""

const benchmarks = (seed: number) => [
  { id: "arith_basic", provider_id: "evald", parameters: { num_examples: 60, seed } }
]

describe.skipIf(browserMissing() !== undefined)("a comparison", () => {
  beforeAll(async () => {
    world = sharedWorld("compare")
    weak = await listen(["demo-model", "--port", "0", "--skill", "0.2"])
    browser = await startBrowser()
    good = await world.submit({ name: "the baseline", benchmarks: benchmarks(1) })
    worse = await world.submit({
      name: hostile,
      model: { url: weak.url, name: "evald-demo" },
      benchmarks: benchmarks(1)
    })
    others = await world.submit({ name: "other questions", benchmarks: benchmarks(2) })
    await Promise.all([good, worse, others].map(world.ended))
  })
  afterAll(async () => {
    await browser?.close()
    await weak?.stop()
  })
  const compare = async (...jobs: ReadonlyArray<string>) => {
    const visited = await visit(browser, { tenant: world.tenant })
    await visited.page.goto(`${world.url}/compare?jobs=${jobs.join(",")}`)
    await visited.page.getByRole("heading", { name: "Benchmarks, losses first" }).waitFor()
    return visited
  }

  it("begins at a job, and the keyboard alone chooses what it is held against", async () => {
    const { page, context, complaints } = await visit(browser, { tenant: world.tenant })
    await page.goto(`${world.url}/jobs/${good}`)
    await page.getByRole("link", { name: "Compare with …" }).click()
    await page.getByRole("checkbox", { name: "other questions" }).waitFor()
    await tabTo(page, "th input[type=checkbox]")
    await page.getByRole("checkbox", { name: "other questions" }).focus()
    await page.keyboard.press("Space")
    await page.getByRole("heading", { name: "Benchmarks, losses first" }).waitFor()
    assert.strictEqual(new URL(page.url()).searchParams.get("jobs"), `${good},${others}`)
    await page.getByRole("button", { name: "Make it the baseline: other questions" }).click()
    await page.waitForURL((url) => url.searchParams.get("jobs") === `${others},${good}`)
    await page.getByRole("button", { name: "Leave out the baseline" }).click()
    await page.waitForURL((url) => url.searchParams.get("jobs") === others)
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("shows the loss with its interval, and over all benchmarks; names are text", async () => {
    const { page, context, complaints } = await compare(good, worse)
    const row = page.getByRole("row").filter({ hasText: "arith_basic" })
    await row.getByText("worse").waitFor()
    assert.match(
      (await row.getByRole("img").getAttribute("aria-label")) ?? "",
      /^difference −0\.\d+, interval −0\.\d+ to/
    )
    assert.include(await page.locator(".facts").textContent(), hostile)
    assert.strictEqual(await page.locator("main img[src], main script").count(), 0)
    assert.isFalse(await wasHit(page))
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("refuses to compare other questions, and says so; with only what differs nothing is left", async () => {
    const { page, context } = await compare(good, others)
    const row = page.getByRole("row").filter({ hasText: "arith_basic" })
    await row.getByText("not comparable").waitFor()
    assert.match((await row.textContent()) ?? "", /prompt|item/)
    await page.getByRole("checkbox", { name: "Only what differs" }).check()
    await page.getByText("No benchmark is shown to differ.").waitFor()
    assert.isTrue(new URL(page.url()).searchParams.has("differing"))
    await page.reload()
    await page.getByText("No benchmark is shown to differ.").waitFor()
    assert.isTrue(await page.getByRole("checkbox", { name: "Only what differs" }).isChecked())
    await context.close()
  })

  it("answers that differ are told item by item, losses first, one of them word by word, by the keyboard alone, and a link brings it back", async () => {
    const { page, context, complaints } = await compare(good, worse)
    await tabTo(page, "a[aria-label^='Answers that differ']")
    await page.keyboard.press("Enter")
    await page.getByText(/^\d+ answered differently among 60 items\.$/).waitFor()
    assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "items")
    const items = page.getByRole("list", { name: "Items answered differently" }).getByRole("listitem")
    assert.match((await items.first().textContent()) ?? "", /correct → .*incorrect/)
    const second = (await items.nth(1).getByRole("link").textContent()) ?? ""
    await tabTo(page, ".items li:nth-child(2) a")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: second, exact: true, level: 3 }).waitFor()
    await page.locator(".difference del").first().waitFor()
    await page.reload()
    await page.getByRole("heading", { name: second, exact: true, level: 3 }).waitFor()
    await page.locator(".difference ins").first().waitFor()
    assert.strictEqual(await page.locator(".items a[aria-current]").textContent(), second)
    await page.getByRole("link", { name: "In the candidate" }).click()
    await page.getByRole("heading", { name: second, exact: true, level: 2 }).waitFor()
    assert.strictEqual(new URL(page.url()).pathname, `/jobs/${worse}/samples`)
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("hostile answers are text in their difference too, long ones do not hold the page, and what is the same is not listed", async () => {
    const before = await world.sampled("before", 8)
    const outcome = await world.client.getJob({ path: { id: before } })
    if (!outcome.ok || typeof outcome.value !== "object") throw new Error("the job is not there")
    const [entry] = outcome.value.benchmarks ?? []
    if (entry === undefined) throw new Error("the job has no benchmark")
    const after = await world.submit({
      name: "after",
      benchmarks: [{ ...entry, parameters: { ...entry.parameters, edition: " <b>now</b>" } }]
    })
    await world.ended(after)
    const { page, context, complaints } = await compare(before, after)
    await page.getByRole("link", { name: "Answers that differ: sampled, after" }).click()
    await page.getByText("4 answered differently among 8 items.").waitFor()
    await page.locator(".difference ins", { hasText: "<b>now</b>" }).waitFor()
    assert.include(await page.locator(".difference").textContent(), hostile)
    await page.getByRole("link", { name: "item-4", exact: true }).click()
    await page.getByText(/They have too little in common .* The last [\d,]+ characters are not looked at\./).waitFor()
    assert.isAtMost((await page.locator(".difference").textContent())?.length ?? 0, 21_000)
    assert.strictEqual(await page.locator("main img[src], main script, main b").count(), 0)
    assert.isFalse(await wasHit(page))
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("a policy judges the candidate: problems stand at their fields, the decision stays", async () => {
    const { page, context } = await compare(good, worse)
    await page.getByText("No policy has judged this candidate").waitFor()
    await page.getByRole("heading", { name: "Judge by a policy" }).click()
    const loss = page.getByRole("textbox", { name: "Accepted loss" })
    await loss.fill("a little")
    await page.getByRole("button", { name: "Judge by this policy" }).click()
    await page.getByRole("alert").first().waitFor()
    assert.strictEqual(await loss.getAttribute("aria-invalid"), "true")
    assert.isTrue(await loss.evaluate((field) => field === document.activeElement))
    await isAccessible(page)
    await loss.fill("0.05")
    await page.getByRole("button", { name: "Judge by this policy" }).click()
    await page.getByText("NO-GO").waitFor()
    await page.reload()
    await page.getByText("NO-GO").waitFor()
    await context.close()
  })

  it("has no violation of accessibility in either theme, and fits into 320 px", async () => {
    const { page, context } = await compare(good, worse, others)
    await page.getByRole("heading", { name: "Judge by a policy" }).click()
    await page.getByRole("heading", { name: /^Choose 2 to/ }).click()
    await page.getByRole("checkbox", { name: "other questions" }).waitFor()
    assert.strictEqual(
      await page.getByRole("link", { name: /^Answers that differ/ }).count(),
      1,
      "none where other questions were asked"
    )
    await page.getByRole("link", { name: /^Answers that differ/ }).click()
    await page.locator(".difference del").first().waitFor()
    await isAccessible(page)
    await fitsInto(page, 320)
    await isAccessible(page)
    await context.close()
  })

  it("a job that is not there is said, with its place", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(`${world.url}/compare?jobs=${good},00000000-0000-7000-8000-000000000000`)
    await page.getByRole("alert").getByText("resource_does_not_exist").waitFor()
    await isAccessible(page)
    await context.close()
  })
})
