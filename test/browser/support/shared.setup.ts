/** What all files of the suite share: one browser, one server and one model, started once. Each file has a tenant of its own there. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"
import type {} from "vitest"
import type { TestProject } from "vitest/node"
import { listen } from "../../support/evald-process.ts"
import { launchOptions } from "./chromium.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** undefined where there is no browser, and nothing to be looked at */
    readonly shared: { readonly serverUrl: string; readonly modelUrl: string; readonly browser: string } | undefined
  }
}

export default async (project: TestProject) => {
  if (launchOptions === undefined) return undefined
  const home = mkdtempSync(join(tmpdir(), "evald-pages-"))
  const [server, model, browser] = await Promise.all([
    listen(["server", "-local"], { PORT: "0", HOME: home, TMPDIR: home }),
    listen(["demo-model", "--port", "0"]),
    chromium.launchServer(launchOptions)
  ])
  project.provide("shared", { serverUrl: server.url, modelUrl: model.url, browser: browser.wsEndpoint() })
  return async () => {
    await Promise.all([server.stop(), model.stop(), browser.close()])
    rmSync(home, { recursive: true, force: true })
  }
}
