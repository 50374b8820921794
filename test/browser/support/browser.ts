/** Debian's chromium, driven without a download of its own; one browser for all tests of a file. */
import { existsSync } from "node:fs"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path))

/** why the suite does not run here; undefined when it does */
export const browserMissing = (): string | undefined => {
  if (executablePath !== undefined) return undefined
  const reason =
    "no chromium on this machine (Debian: apt-get install chromium): the pages are not looked at in a browser"
  if (process.env["EVALD_REQUIRE_BROWSER"] === "1") throw new Error(reason)
  console.warn(`SKIPPED: ${reason}`)
  return reason
}

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    // no second sandbox inside a container, no calls to the browser's maker
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update"]
  })

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** what the page complained of: exceptions, refused loads, breaches of the policy */
  readonly complaints: ReadonlyArray<string>
}

/** a page in a context of its own, which keeps a list of what goes wrong */
export const visit = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
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
