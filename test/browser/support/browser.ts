/** A browser, one for all files of the suite where it has one, and visits to pages in it. */
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { inject } from "vitest"
import { launchOptions } from "./chromium.ts"

/** why the suite does not run here; undefined when it does */
export const browserMissing = (): string | undefined => {
  if (launchOptions !== undefined) return undefined
  const reason =
    "no chromium on this machine (Debian: apt-get install chromium): the pages are not looked at in a browser"
  if (process.env["EVALD_REQUIRE_BROWSER"] === "1") throw new Error(reason)
  console.warn(`SKIPPED: ${reason}`)
  return reason
}

/** closing the shared one closes what was opened through it alone */
export const startBrowser = (): Promise<Browser> => {
  const shared = inject("shared")
  return shared === undefined ? chromium.launch(launchOptions) : chromium.connect(shared.browser)
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** what the page complained of: exceptions, refused loads, breaches of the policy */
  readonly complaints: ReadonlyArray<string>
}

/** a page in a context of its own, which keeps a list of what goes wrong. `tenant`: the one that this visitor chose before */
export const visit = async (
  browser: Browser,
  { tenant, ...options }: BrowserContextOptions & { readonly tenant?: string | undefined } = {}
): Promise<Visit> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  if (tenant !== undefined)
    await context.addInitScript(
      (chosen) => {
        try {
          if (localStorage.getItem("evald.tenants") === null) localStorage.setItem("evald.tenants", chosen)
        } catch {
          // a frame that may keep nothing
        }
      },
      JSON.stringify([tenant])
    )
  const page = await context.newPage()
  const complaints: Array<string> = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (message) => {
    // a refused request is part of some tests, and is looked at there
    if (message.type() === "error" && !message.text().includes("Failed to load resource"))
      complaints.push(message.text())
  })
  return { page, context, complaints }
}
