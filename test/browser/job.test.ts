/** One job in a real browser, on a real server: why it is where it is, its benchmarks, its logs, and what can be done with it. */
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { until } from "../support/evald-process.ts"
import { browserMissing, startBrowser, visit } from "./support/browser.ts"
import { fitsInto, isAccessible, tabTo, wasHit } from "./support/checks.ts"
import { hostile, sharedWorld, type World } from "./support/world.ts"

let world: World
let browser: Browser
let good = ""
let broken = ""
/** with a long log, and requests whose times are known */
let timed = ""

describe.skipIf(browserMissing() !== undefined)("a job", () => {
  beforeAll(async () => {
    world = sharedWorld("job")
    browser = await startBrowser()
    good = await world.submit({ pass_criteria: { threshold: 0.5 } })
    broken = await world.submit({ name: hostile, model: { url: "http://127.0.0.1:9/v1", name: hostile } })
    const sampled = world.sampled("long log", 60, 1, { timed: true })
    await Promise.all([world.ended(good), world.ended(broken)])
    timed = await sampled
  })
  afterAll(async () => {
    await browser?.close()
  })
  const open = async (id: string) => {
    const visited = await visit(browser, { tenant: world.tenant })
    await visited.page.goto(`${world.url}/jobs/${id}`)
    await visited.page.getByRole("heading", { name: "Benchmarks", exact: true }).waitFor()
    return visited
  }

  it("is one click from the list, and says its verdict, its score with limits, its benchmarks and when they ran", async () => {
    const { page, context, complaints } = await visit(browser, { tenant: world.tenant })
    await page.goto(world.url)
    await page.getByRole("link", { name: "two small benchmarks" }).click()
    const row = page.getByRole("row").filter({ hasText: "arith_basic" })
    await row.waitFor()
    assert.match((await row.textContent()) ?? "", /exact_match/)
    const labels = await row
      .getByRole("img")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""))
    assert.match(labels.join("\n"), /interval .* to .*\nwaited .*, ran .* from .* \(.* UTC\)$/)
    assert.strictEqual(await page.title(), "two small benchmarks · evald")
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("says why it failed, with evidence and a remedy, first", async () => {
    const { page, context } = await open(broken)
    const findings = page.getByRole("region", { name: "Why" }).getByRole("listitem")
    await findings.first().waitFor()
    assert.match((await findings.first().textContent()) ?? "", /since/)
    await findings.first().getByText("Evidence").click()
    await context.close()
  })

  it("has no violation of accessibility with all of its parts open, and fits into 320 px", async () => {
    const { page, context } = await open(good)
    for (const part of ["Logs", "What was run", "From a terminal"])
      await page.getByRole("heading", { name: part }).click()
    await page.getByText(/^\d+ lines$/).waitFor()
    await page.getByText("where resources and queues have no effect").waitFor()
    await isAccessible(page)
    await fitsInto(page, 320)
    await isAccessible(page)
    await context.close()
  })

  it("text of others is text: in the name, in findings, in the request", async () => {
    const { page, context } = await open(broken)
    await page.getByRole("heading", { name: "From a terminal" }).click()
    await page.getByText("Copy curl").waitFor()
    assert.strictEqual(await page.locator("main img[src], main script").count(), 0)
    assert.isFalse(await wasHit(page))
    await context.close()
  })

  it("logs are read from their end and searched", async () => {
    const { page, context } = await open(good)
    await page.getByRole("heading", { name: "Logs" }).click()
    await page.getByText(/^\d+ lines$/).waitFor()
    await page.getByRole("searchbox", { name: "Lines with" }).fill("nothing has this")
    await page.getByText(/^0 lines$/).waitFor()
    await context.close()
  })

  it("a line that is not among the last is found: the server searches all of the log, with the text as it is", async () => {
    const { page, context } = await open(timed)
    const asked: Array<string | null> = []
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith("/logs")) asked.push(searchParams.get("contains"))
    })
    await page.getByRole("heading", { name: "Logs" }).click()
    await page.getByText(/^200 lines$/).waitFor()
    const search = page.getByRole("searchbox", { name: "Lines with" })
    await search.fill("LINE 7 ")
    await page.getByText(/^1 lines?$/).waitFor()
    assert.match((await page.getByRole("region", { name: "Log" }).textContent()) ?? "", /line 7 /)
    await search.fill("line . ")
    await page.getByText(/^0 lines$/).waitFor()
    await search.fill("")
    await page.getByText(/^200 lines$/).waitFor()
    assert.deepStrictEqual(asked, [null, "LINE 7 ", "line . ", null])
    await context.close()
  })

  it("how latency, first token and throughput went is drawn in the colours of either theme, at any width, and told in a table", async () => {
    const { page, context, complaints } = await open(timed)
    await page.getByRole("heading", { name: "Requests over time" }).click()
    await page.getByText("60 requests: 60 answered, 0 failed, 0 under way at the end.").waitFor()
    const charts = page.getByRole("img", { name: /The table below says it in parts/ })
    const labels = await charts.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""))
    assert.match(labels.join("\n"), /^Latency over .* s, .* ms\..*\nTime to first token .*\nTokens generated /)
    const row = page.getByRole("row").filter({ hasText: /^1\.000–1\.200 s/ })
    assert.match((await row.textContent()) ?? "", /^1\.000–1\.200 s2010.0–11.0 ms/)
    /** pixels of each curve in the colour that its box has now */
    const isDrawn = () =>
      [...document.querySelectorAll<HTMLElement>(".curve")].every((box) => {
        const canvas = box.querySelector("canvas")
        const [r, g, b] = (getComputedStyle(box).color.match(/\d+/g) ?? []).map(Number)
        const { data } = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
        for (let at = 0; at < data.length; at += 4)
          if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255) return true
        return false
      })
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      await until(() => page.evaluate(isDrawn), Boolean)
    }
    await isAccessible(page)
    await fitsInto(page, 320)
    const fills = () =>
      [...document.querySelectorAll<HTMLElement>(".curve")].every(
        (box) => box.querySelector("canvas")?.clientWidth === box.clientWidth
      )
    await until(() => page.evaluate(fills), Boolean)
    await until(() => page.evaluate(isDrawn), Boolean)
    await isAccessible(page)
    await page.getByRole("link", { name: "Each request, slowest first" }).click()
    await page.getByRole("heading", { name: "item-59", level: 2 }).waitFor()
    assert.isFalse(await wasHit(page))
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("what was run is told value by value, with where each comes from", async () => {
    const id = await world.submit({
      ...{ name: hostile, benchmarks: null },
      collection: { id: "quick-smoke", parameters: { num_examples: 7, seed: 3 } }
    })
    const { page, context } = await open(id)
    assert.isFalse(await page.getByText("num_examples = 7").first().isVisible(), "closed until it is wanted")
    await page.getByRole("heading", { name: "What was run" }).click()
    const row = page.getByRole("row").filter({ hasText: "num_examples = 7" }).filter({ hasText: "arith_basic" })
    await row.waitFor()
    const text = (await row.textContent()) ?? ""
    assert.match(text, /num_examples = 7 from job/)
    assert.match(text, /seed = 3 from job/)
    assert.match(text, /exact_match_flexible from collection/)
    assert.match(text, /0\.500 from collection/)
    assert.match(text, /evald adapter evald/)
    // its results are not waited for
    await world.client.cancelJob({ path: { id } })
    await page.goto(`${world.url}/jobs/${broken}`)
    await page.getByRole("heading", { name: "What was run" }).click()
    await page.getByText("num_examples = 20 from job").waitFor()
    assert.isFalse(await wasHit(page))
    await context.close()
  })

  it("what was run in a cluster has image, queue and resources, each with where it comes from (no route answered them)", async () => {
    const { page, context } = await open(good)
    const asked = await world.client.getJobPlan({ path: { id: good } })
    if (!asked.ok || typeof asked.value !== "object") throw new Error("the job has no plan")
    const from = (value: string, source: string) => ({ value, source })
    // there is no cluster here: its answer is of the shape that the contract has
    const benchmark = {
      ...asked.value.benchmarks[0],
      ...{ command: undefined, image: hostile, entrypoint: ["evald", "adapter"] },
      queue: { kind: "kueue", name: "night", source: "job_queue" },
      resources: {
        ...{ cpu_request: from("250m", "built_in"), cpu_limit: from("2", "provider") },
        ...{ memory_request: from("1Gi", "hardware_config"), memory_limit: from("1Gi", "hardware_config") },
        extended: [{ name: "nvidia.com/gpu", request: "1", limit: "1", source: "profile" }]
      }
    }
    const plan = { ...asked.value, runtime: "cluster", benchmarks: [benchmark] }
    await page.route("**/plan", (route) => route.fulfill({ json: plan }))
    await page.getByRole("heading", { name: "What was run" }).click()
    await page.getByText("Run in the cluster.").waitFor()
    const row = page.getByRole("row").filter({ hasText: "num_examples = 20" })
    const text = (await row.textContent()) ?? ""
    for (const told of [
      ...[hostile, "evald adapter", "queue night from job queue", "nvidia.com/gpu 1 from profile"],
      ...["cpu 250m from built in to 2 from provider", "memory 1Gi to 1Gi from hardware config"]
    ])
      assert.include(text, told)
    assert.isFalse(await wasHit(page))
    await isAccessible(page)
    await fitsInto(page, 320)
    await isAccessible(page)
    await context.close()
  })

  it("a plan that does not come is said, and asked for again", async () => {
    const { page, context } = await open(good)
    await page.route("**/plan", (route) => route.abort(), { times: 1 })
    await page.getByRole("heading", { name: "What was run" }).click()
    const note = page.getByRole("alert")
    await note.getByText("the server does not answer").waitFor()
    await note.getByRole("button", { name: "Try again" }).click()
    await page.getByText("num_examples = 20 from job").waitFor()
    await context.close()
  })

  it("is cancelled after a second question, and run again, by the keyboard alone", async () => {
    const slow = await world.submit({
      name: "to be cancelled",
      benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 2000 } }]
    })
    const { page, context } = await open(slow)
    await tabTo(page, ".actions button")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Really cancel the job?" }).waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Run again", exact: true }).waitFor()
    await page.getByText("cancelled").first().waitFor()
    await page.goto(`${world.url}/jobs/${good}`)
    await page.getByRole("button", { name: "Run again" }).click()
    await page.waitForURL((url) => !url.pathname.endsWith(good))
    await page.getByRole("heading", { name: "What was run" }).click()
    await page.getByText("num_examples = 20 from the earlier job or this one").waitFor()
    await context.close()
  })

  it("one that is not there is said, with what to do", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(`${world.url}/jobs/00000000-0000-7000-8000-000000000000`)
    await page.getByRole("alert").getByText("resource_not_found").waitFor()
    await isAccessible(page)
    await context.close()
  })
})
