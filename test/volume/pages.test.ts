/** The pages over as much as they have to bear, in a real browser, on a real server: how soon they show something, and whether they stay smooth. */
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { browserMissing, startBrowser, visit } from "../browser/support/browser.ts"
import { traced } from "../browser/support/trace.ts"
import { sharedWorld, type World } from "../browser/support/world.ts"
import { until } from "../support/evald-process.ts"

const p95Of = (times: ReadonlyArray<number>): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

const isMissing = browserMissing() !== undefined
/** milliseconds from the beginning of a navigation until something of it is there */
const mostMillis = 1000

let world: World
let browser: Browser
/** its end keeps the server busy for a while: it is looked at last */
let wide = ""

/** milliseconds from the beginning of the navigation until the first element of the selector is in the page */
const firstContent = async (page: Page, address: string, selector: string): Promise<number> => {
  await page.addInitScript((wanted) => {
    const look = () => {
      if (document.querySelector(wanted) === null) return
      observer.disconnect()
      document.documentElement.dataset["firstContent"] = String(performance.now())
    }
    const observer = new MutationObserver(look)
    observer.observe(document, { childList: true, subtree: true })
  }, selector)
  await page.goto(address)
  const found = page.locator("html[data-first-content]")
  await found.waitFor()
  return Number(await found.getAttribute("data-first-content"))
}

describe.skipIf(isMissing)("much of everything", () => {
  beforeAll(async () => {
    world = sharedWorld("volume")
    browser = await startBrowser()
    wide = await world.submit({
      name: "wide",
      benchmarks: Array.from({ length: 1000 }, (_, seed) => ({
        ...{ id: "arith_basic", provider_id: "evald" },
        parameters: { num_examples: 20, seed }
      }))
    })
    await world.client.cancelJob({ path: { id: wide } })
    await world.ended(wide)
    // what a browser does once, when it has started, is none of the pages' business
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(`${world.url}/usage`)
    await page.getByText("Nothing runs and nothing waits.").waitFor()
    await context.close()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it("a log of 50 MB opens at its end within a second", async () => {
    const id = await world.sampled("talkative", 1, 50)
    // the job may end before all that it wrote is kept
    await until(
      async () => {
        const path = { id, index: "0" }
        const outcome = await world.client.getBenchmarkLogs({ path, urlParams: { tail_lines: 1 } })
        return outcome.ok ? String(outcome.value) : ""
      },
      (last) => last.startsWith("line 499999 ")
    )
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(`${world.url}/jobs/${id}`)
    const log = page.getByRole("heading", { name: "Logs" })
    await log.waitFor()
    const from = performance.now()
    await log.click()
    await page.getByText(/^line 499999 /).waitFor()
    assert.isAtMost(performance.now() - from, mostMillis)
    const hidden = await page
      .getByRole("region", { name: "Log", exact: true })
      .evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)
    assert.isAtMost(hidden, 2)
    await context.close()
  })

  describe("a hundred thousand samples", () => {
    let id = ""
    beforeAll(async () => {
      id = await world.sampled("many", 100_000)
    })

    it("are there within a second", async () => {
      const { page, context } = await visit(browser, { tenant: world.tenant })
      const took = await firstContent(
        page,
        `${world.url}/jobs/${id}/samples`,
        "[role=option]:not([aria-disabled=true])"
      )
      assert.isAtMost(took, mostMillis)
      await page.getByText("100,000 samples", { exact: true }).waitFor()
      await context.close()
    })

    it("are scrolled for ten seconds: few rows are drawn, no task takes 50 ms, a frame has 8 ms of work, the page 150 MB", async () => {
      const { page, context } = await visit(browser, { tenant: world.tenant })
      await page.goto(`${world.url}/jobs/${id}/samples`)
      await page.locator(".samples [role=option]").first().waitFor()
      const drawn = { most: 0 }
      const { byClock, byThread } = await traced(browser, page, async () => {
        drawn.most = await page.locator(".samples").evaluate(
          (list) =>
            new Promise<number>((resolve) => {
              const end = performance.now() + 10_000
              let most = 0
              const step = () => {
                list.scrollTop += 900
                most = Math.max(most, list.querySelectorAll("[role=option]").length)
                if (performance.now() < end) requestAnimationFrame(step)
                else resolve(most)
              }
              requestAnimationFrame(step)
            })
        )
      })
      // with all of them in the page
      await page.locator(".samples").evaluate((list) => list.scrollTo(0, list.scrollHeight))
      await page.getByRole("option", { name: "item-99999" }).waitFor({ timeout: 90_000 })
      const session = await context.newCDPSession(page)
      await session.send("HeapProfiler.collectGarbage")
      const { usedSize } = await session.send("Runtime.getHeapUsage")
      const shown = ({ frames, longest }: typeof byClock) =>
        `p95 of ${frames.length} frames ${p95Of(frames).toFixed(2)} ms, longest task ${longest.toFixed(1)} ms`
      const told = `by the clock ${shown(byClock)}; of the thread ${shown(byThread)}; ${(usedSize / 1e6).toFixed(1)} MB`
      assert.isAtMost(drawn.most, 60, told)
      const { frames, longest } = byThread
      assert.isAbove(frames.length, 60, told)
      // a trace without times would say that nothing takes any
      assert.isAbove(p95Of(frames), 0, told)
      assert.isAtMost(longest, 50, told)
      assert.isAtMost(p95Of(frames), 8, told)
      assert.isAtMost(usedSize, 150 * 1024 * 1024, told)
      await context.close()
    }, 150_000)
  })

  it("a job of a thousand benchmarks is there within a second, in the list and by itself, and all of it on request", async () => {
    for (const [path, selector] of [
      ["/", "tbody tr"],
      [`/jobs/${wide}`, "section[aria-labelledby=benchmarks] tbody tr"]
    ] as const) {
      const { page, context } = await visit(browser, { tenant: world.tenant })
      assert.isAtMost(await firstContent(page, `${world.url}${path}`, selector), mostMillis, path)
      await context.close()
    }
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(`${world.url}/jobs/${wide}`)
    await page.getByRole("button", { name: "Show all 1,000 benchmarks" }).click()
    const rows = page.getByRole("region", { name: "Benchmarks" }).locator("tbody tr")
    await rows.nth(999).waitFor()
    assert.strictEqual(await rows.count(), 1000)
    await context.close()
  })
})
