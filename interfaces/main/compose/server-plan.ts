/** What a server is started with. */
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import type { Layer } from "effect"
import type { Runtime } from "../../../application/ports/runtime.ts"
import type { Settings } from "../../../config/settings.ts"

export interface ServerPlan {
  readonly settings: Settings
  readonly configDir: string
  readonly local: boolean
  /** the server's own environment; local adapters see an allow-list of it */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** SIGHUP makes the server read its definition files again; by default it ends the process */
  readonly hangUpReloads?: boolean
  /** where benchmarks run, instead of that of the mode */
  readonly runtime?: Layer.Layer<Runtime>
}

/** of the built program, or of this file when it runs from its sources */
export const binaryDirectory = dirname(fileURLToPath(import.meta.url))
