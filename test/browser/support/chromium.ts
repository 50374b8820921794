/** Debian's chromium, driven without a download of its own. */
import { existsSync } from "node:fs"
import type { LaunchOptions } from "playwright-core"

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path))

/** undefined: there is none on this machine */
export const launchOptions: LaunchOptions | undefined =
  executablePath === undefined
    ? undefined
    : {
        executablePath,
        // no second sandbox inside a container, no calls to the browser's maker
        args: [
          "--no-sandbox",
          "--disable-dev-shm-usage",
          "--disable-background-networking",
          "--disable-component-update"
        ]
      }
