/** The list of jobs in a real browser, on a real server. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { breakable } from "./support/breakable.ts"
import { browserMissing, startBrowser, visit } from "./support/browser.ts"
import { fitsInto, isAccessible, tabTo, wasHit } from "./support/checks.ts"
import { hostile, sharedWorld, startWorld, type World } from "./support/world.ts"

const isMissing = browserMissing() !== undefined
let world: World
let browser: Browser
let first = ""

describe.skipIf(isMissing)("the list of jobs", () => {
  beforeAll(async () => {
    world = sharedWorld("jobs")
    browser = await startBrowser()
    first = await world.submit({ name: "first", pass_criteria: { threshold: 0.5 } })
    await world.submit({ name: hostile, tags: ["hostile"], model: { url: world.modelUrl, name: hostile } })
    await world.ended(first)
  })
  afterAll(async () => {
    await browser?.close()
  })

  it("shows state, model, score with its limits and verdict, and nothing breaks the policy of the page", async () => {
    const { page, context, complaints } = await visit(browser, { tenant: world.tenant })
    await page.goto(world.url)
    const row = page.getByRole("row").filter({ hasText: "first" })
    await row.getByText("completed").waitFor()
    assert.include(await row.textContent(), "evald-demo")
    assert.match((await row.getByRole("img").getAttribute("aria-label")) ?? "", /^0\.\d+, .* to 0\.\d+|1\.000, /)
    assert.match((await row.textContent()) ?? "", /pass|fail|inconclusive/)
    assert.strictEqual(await page.title(), "Jobs · evald")
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("has no violation of accessibility in either theme, and room on screens 360 and 320 px wide", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(world.url)
    await page.getByRole("link", { name: "first" }).waitFor()
    await isAccessible(page)
    for (const width of [360, 320]) await fitsInto(page, width)
    await isAccessible(page)
    await context.close()
  })

  it("on a phone the filters are behind one button that says how many are set (they took half of the screen)", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant, viewport: { width: 320, height: 740 } })
    await page.goto(world.url)
    const job = page.getByRole("link", { name: "first" })
    await job.waitFor()
    const name = page.getByRole("searchbox", { name: "Name" })
    assert.isFalse(await name.isVisible())
    const top = async () => (await page.locator("table.rows").boundingBox())?.y ?? Number.POSITIVE_INFINITY
    assert.isBelow(await top(), 740 / 2)
    await tabTo(page, ".fold")
    await page.keyboard.press("Enter")
    await tabTo(page, "input[name=name]")
    await isAccessible(page)
    await page.keyboard.type("FIRST")
    await page.getByRole("button", { name: "Filters, 1 set", expanded: true }).waitFor()
    await fitsInto(page, 320)
    await page.reload()
    await job.waitFor()
    await page.getByRole("button", { name: "Filters, 1 set", expanded: false }).waitFor()
    assert.isFalse(await name.isVisible())
    await isAccessible(page)
    await fitsInto(page, 1280)
    assert.isTrue(await name.isVisible())
    assert.strictEqual(await page.getByRole("button", { name: "Filters" }).count(), 0)
    await context.close()
  })

  it("names are text: nothing in them runs or loads", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant })
    const foreign: Array<string> = []
    page.on("request", (request) => {
      if (!request.url().startsWith(world.url)) foreign.push(request.url())
    })
    await page.goto(world.url)
    const shown = page.getByRole("link", { name: "<img src=x" })
    await shown.waitFor()
    assert.strictEqual(await shown.textContent(), hostile)
    assert.strictEqual(await page.locator("main img, main script").count(), 0)
    assert.isFalse(await wasHit(page))
    assert.deepStrictEqual(foreign, [])
    await context.close()
  })

  it("filters stand in the address, are applied by the server, and come back with the address", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(world.url)
    await page.getByRole("searchbox", { name: "Name" }).fill("FIRST")
    await page.waitForURL(/[?&]name=FIRST/)
    await page.getByText("1 in all").waitFor()
    await page.reload()
    await page.getByText("1 in all").waitFor()
    assert.strictEqual(await page.getByRole("searchbox", { name: "Name" }).inputValue(), "FIRST")
    await page.getByRole("searchbox", { name: "Name" }).fill("no such job")
    await page.getByText("No job matches.").waitFor()
    await page.getByRole("link", { name: "Show all jobs" }).click()
    await page.getByRole("link", { name: "first" }).waitFor()
    assert.strictEqual(await page.getByRole("searchbox", { name: "Name" }).inputValue(), "")
    await context.close()
  })

  it("a chosen state is applied at once (a live list that was drawn again within the pause took the choice back)", async () => {
    const { page, context } = await visit(browser)
    await page.goto(world.url)
    await page.getByRole("link", { name: "first" }).waitFor()
    const search = await page.getByRole("combobox", { name: "State" }).evaluate((select: HTMLSelectElement) => {
      select.value = "failed"
      select.dispatchEvent(new Event("input", { bubbles: true }))
      return location.search
    })
    assert.strictEqual(search, "?status=failed")
    await context.close()
  })

  it("a new job and its end are seen without a reload", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(world.url)
    await page.getByText("live", { exact: true }).waitFor()
    const id = await world.submit({ name: "while one looks" })
    const row = page.getByRole("row").filter({ hasText: "while one looks" })
    await row.waitFor()
    await world.ended(id)
    await row.getByText("completed").waitFor()
    await context.close()
  })

  it("a lost connection is said, and mended when the server is back", async () => {
    const wire = await breakable(world.url)
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(wire.url)
    await page.getByText("live", { exact: true }).waitFor()
    // the stream may be there before the list
    await page.getByRole("link", { name: "first" }).waitFor()
    await wire.cut()
    await page.getByText("connection lost, trying again").waitFor()
    assert.isTrue(await page.getByRole("link", { name: "first" }).isVisible())
    await world.submit({ name: "while it was cut" })
    await wire.mend()
    await page.getByText("live", { exact: true }).waitFor()
    await page.getByRole("link", { name: "while it was cut" }).waitFor()
    await context.close()
    await wire.stop()
  })

  it("the keyboard alone reaches filters, jobs, tenant and theme", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(world.url)
    await page.getByRole("link", { name: "first" }).waitFor()
    await page.keyboard.press("Tab")
    assert.strictEqual(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content")
    await tabTo(page, "button[aria-label^='Tenant']")
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "hidden" })
    await tabTo(page, "button[aria-label^='Theme']")
    await page.keyboard.press("Enter")
    assert.strictEqual(await page.evaluate(() => document.documentElement.dataset["theme"]), "light")
    await tabTo(page, "select[name=status]")
    await tabTo(page, "input[name=owner]")
    await tabTo(page, "th a")
    await context.close()
  })

  it("another tenant is chosen by its name, and remembered", async () => {
    const { page, context } = await visit(browser, { tenant: world.tenant })
    await page.goto(world.url)
    await page.getByRole("button", { name: "Tenant jobs, change" }).click()
    await page.getByRole("combobox", { name: "Tenant" }).fill("team-b")
    await page.keyboard.press("Enter")
    await page.getByText("No jobs yet.").waitFor()
    await page.reload()
    await page.getByRole("button", { name: "Tenant team-b, change" }).waitFor()
    await context.close()
  })
})

describe.skipIf(isMissing)("a server that wants a token", () => {
  it("is given it once, in no address; a wrong one is asked for again without losing the view", async () => {
    const guarded = await startWorld({ EVALD_LOCAL_TOKEN: "let-me-in" })
    onTestFinished(() => guarded.stop())
    const chromium = await startBrowser()
    onTestFinished(() => chromium.close())
    const { page, context } = await visit(chromium)
    const addresses: Array<string> = []
    page.on("request", (request) => addresses.push(request.url()))
    await page.goto(`${guarded.url}/?status=completed`)
    // refused before the browser says that the dialog has closed, and after
    for (const token of ["wrong", "wronger", "wrongest", "let-me-in"]) {
      await page.getByLabel("Token").fill(token)
      const refused = page.waitForResponse((response) => response.status() === 401)
      await page.keyboard.press("Enter")
      if (token !== "let-me-in") await refused
      else refused.catch(() => {})
    }
    await page.getByText("No job matches.").waitFor()
    assert.isTrue(page.url().endsWith("/?status=completed"))
    assert.isFalse(addresses.some((address) => address.includes("let-me-in")))
    assert.deepStrictEqual(await context.cookies(), [])
    assert.strictEqual(await page.evaluate(() => sessionStorage.length + localStorage.length), 0)
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("Token").waitFor()
    // a stream that is refused asks too, and goes on with the same token (nothing was asked for again)
    const body = JSON.stringify({ message_code: "unauthorized", message: "no" })
    await page.route(/[?&]watch=true/, (route) => route.fulfill({ status: 401, body }), { times: 1 })
    await page.getByLabel("Token").fill("let-me-in")
    await page.keyboard.press("Enter")
    await page.getByText("not followed").waitFor()
    assert.isTrue(await page.getByText("No job matches.").isVisible())
    await page.getByLabel("Token").fill("let-me-in")
    await page.keyboard.press("Enter")
    await page.getByText("live", { exact: true }).waitFor()
    await context.close()
  })
})

describe("what is sent", () => {
  const folder = "dist/ui/assets"
  const compressed = (name: string) => statSync(`${folder}/${name}.gz`).size
  const firstFiles = (): ReadonlySet<string> => {
    const document = readFileSync("dist/ui/index.html", "utf8")
    const wanted = new Set(files.filter((name) => document.includes(name)))
    // what those import at once comes along
    for (const name of wanted)
      if (name.endsWith(".js"))
        for (const [, next] of readFileSync(`${folder}/${name}`, "utf8").matchAll(
          /(?:from|import)\s*"\.\/([^"]+\.js)"/g
        ))
          if (next !== undefined) wanted.add(next)
    return wanted
  }
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name)) : []

  it("is at most 40 KB compressed for the first screen, and 120 KB for all of them", async () => {
    assert.isAbove(files.length, 2)
    const wanted = firstFiles()
    const sum = (names: Iterable<string>) => [...names].reduce((bytes, name) => bytes + compressed(name), 0)
    assert.isAtMost(sum(wanted) + statSync("dist/ui/index.html.gz").size, 40 * 1024)
    assert.isAtMost(sum(files), 120 * 1024)
  })

  it.each(["uplot", "diff"])("has %s in a file of its own, which comes with what needs it", (library) => {
    const inputs = JSON.parse(readFileSync("dist/.inputs.json", "utf8")) as { readonly [file: string]: Array<string> }
    const holding = Object.entries(inputs).filter(
      ([file, made]) => /ui\/assets\/.*\.js$/.test(file) && made.some((one) => one.includes(`node_modules/${library}/`))
    )
    assert.strictEqual(holding.length, 1)
    const [[file, made] = ["", []]] = holding
    const others = made.filter((one) => !one.includes(`node_modules/${library}/`))
    assert.deepStrictEqual(others, library === "diff" ? ["interfaces/ui/screens/compare/items/difference.ts"] : [])
    assert.isFalse(firstFiles().has(file.split("/").at(-1) ?? ""))
  })
})
