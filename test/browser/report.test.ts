/** A report, made by the command line, in a real browser without a network. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { listen, type Running, run } from "../support/evald-process.ts"
import { browserMissing, startBrowser, visit } from "./support/browser.ts"
import { fitsInto, isAccessible, tabTo, wasHit } from "./support/checks.ts"
import { hostile, sharedWorld, type World } from "./support/world.ts"

let world: World
let browser: Browser
let home = ""
let file = ""
let weak: Running
const compared = { baseline: "", candidate: "" }

describe.skipIf(browserMissing() !== undefined)("a report", () => {
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "evald-report-"))
    file = join(home, "report.html")
    world = sharedWorld("report")
    browser = await startBrowser()
    weak = await listen(["demo-model", "--port", "0", "--skill", "0.1"])
    const benchmarks = [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 40, seed: 1 } }]
    compared.baseline = await world.submit({ name: "before", benchmarks })
    compared.candidate = await world.submit({
      ...{ name: hostile, benchmarks },
      model: { url: weak.url, name: "evald-demo" }
    })
    const id = await world.sampled(hostile, 40, 0, { timed: true })
    await Promise.all(Object.values(compared).map(world.ended))
    const made = await run(["report", id, "-o", file, "--limit", "30"], {
      HOME: home,
      EVALD_SERVER: world.url,
      EVALD_TENANT: "report"
    })
    assert.strictEqual(made.code, 0, made.stderr)
  })
  afterAll(async () => {
    await browser?.close()
    await weak?.stop()
    rmSync(home, { recursive: true, force: true })
  })
  const open = async () => {
    const visited = await visit(browser, { tenant: world.tenant, offline: true })
    const requests: Array<string> = []
    visited.page.on("request", (request) => requests.push(request.url()))
    await visited.page.goto(pathToFileURL(file).href)
    await visited.page.getByRole("heading", { name: "Benchmarks", exact: true }).waitFor()
    return { ...visited, requests }
  }

  it("opens from the disk with the job, its reasons and its benchmarks, and asks nobody for anything", async () => {
    const { page, context, complaints, requests } = await open()
    assert.strictEqual(await page.getByRole("heading", { level: 1 }).textContent(), hostile)
    await page.getByRole("region", { name: "Why" }).getByRole("listitem").first().waitFor()
    await page.getByRole("row").filter({ hasText: "sampled" }).waitFor()
    await page.getByText("The first 30 of 40 samples are in this report.").waitFor()
    await page.getByRole("heading", { name: "What was run" }).click()
    await page.getByText("count = 40 from job").waitFor()
    await page.getByText("sampling-adapter.mjs").waitFor()
    await page.getByRole("heading", { name: "Requests over time" }).click()
    await page.locator(".curve canvas").first().waitFor()
    await page.getByText("30 requests: 30 answered").waitFor()
    assert.isFalse(await wasHit(page))
    assert.strictEqual(await page.locator("main img, main script").count(), 0)
    assert.deepStrictEqual([requests, complaints], [[pathToFileURL(file).href], []])
    await context.close()
  })

  it("its samples are narrowed, searched and gone through like those of a server, and a link brings them back", async () => {
    const { page, context, complaints } = await open()
    await page.getByRole("navigation").getByRole("link", { name: "Samples" }).click()
    await page.getByText("30 samples", { exact: true }).waitFor()
    await page.getByRole("combobox", { name: "Verdict" }).selectOption("incorrect")
    await page.getByText("7 samples", { exact: true }).waitFor()
    await page.getByRole("searchbox", { name: "Text" }).fill("what is 11 ")
    await page.getByRole("heading", { name: "item-11", level: 2 }).waitFor()
    await page.reload()
    await page.getByRole("heading", { name: "item-11", level: 2 }).waitFor()
    await page.getByRole("navigation").getByRole("link", { name: "Samples" }).click()
    await tabTo(page, ".samples")
    await page.keyboard.press("ArrowDown")
    await page.getByRole("heading", { name: "item-1", exact: true, level: 2 }).waitFor()
    assert.isFalse(await wasHit(page))
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("has no violation of accessibility in either theme, and fits into 320 px", async () => {
    const { page, context } = await open()
    await page.getByRole("heading", { name: "What was run" }).click()
    await page.getByText("count = 40 from job").waitFor()
    await isAccessible(page)
    await fitsInto(page, 320)
    await isAccessible(page)
    await page.getByRole("navigation").getByRole("link", { name: "Samples" }).click()
    await page.getByRole("article").waitFor()
    await fitsInto(page, 320)
    await isAccessible(page)
    await context.close()
  })

  it("of two jobs begins with what sets them apart, and leads to both and to their samples", async () => {
    const both = join(home, "both.html")
    const args = ["report", compared.baseline, compared.candidate, "-o", both, "--tolerance", "0.05"]
    const made = await run(args, { HOME: home, EVALD_SERVER: world.url, EVALD_TENANT: "report" })
    assert.strictEqual(made.code, 0, made.stderr)
    const { page, context, complaints } = await visit(browser, { offline: true })
    await page.goto(pathToFileURL(both).href)
    const row = page.getByRole("row").filter({ hasText: "arith_basic" })
    await row.locator(".badge", { hasText: "worse" }).waitFor()
    assert.match((await row.getByRole("img").getAttribute("aria-label")) ?? "", /accepted loss 0\.050/)
    assert.strictEqual(await page.getByRole("button").count(), 0, "nothing can be changed")
    await page.getByRole("checkbox", { name: "Only what differs" }).check()
    await page.getByText("1 of 1 comparisons").waitFor()
    await page.getByRole("link", { name: /^Answers that differ/ }).click()
    await page.locator(".difference del").first().waitFor()
    await isAccessible(page)
    await fitsInto(page, 320)
    await isAccessible(page)
    await tabTo(page, "nav a[href^='/jobs']")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "before", level: 1 }).waitFor()
    await page.getByRole("navigation").getByRole("link", { name: "Candidate" }).click()
    await page.getByRole("heading", { name: hostile, level: 1 }).waitFor()
    await page.getByRole("link", { name: "Samples", exact: true }).click()
    await page.getByText("40 samples", { exact: true }).waitFor()
    assert.isFalse(await wasHit(page))
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("is shown where a browser keeps nothing for it (it stayed empty: to name the storage was an error)", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant, offline: true })
    await page.setContent('<iframe sandbox="allow-scripts" width="1200" height="700"></iframe>')
    await page.locator("iframe").evaluate(
      (frame, text) => {
        frame.setAttribute("srcdoc", text)
      },
      readFileSync(file, "utf8")
    )
    await page.frameLocator("iframe").getByRole("heading", { name: "Benchmarks", exact: true }).waitFor()
    await context.close()
  })
})
