/** The configuration directory that came with the program, and which one is meant when none is given: `config` here, else that one. */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))

/** holds the definitions that came with the program; it lies one level higher when the program runs from its sources */
export const packagedConfig =
  [join(here, "..", "config"), join(here, "..", "..", "config")].find((path) => existsSync(join(path, "providers"))) ??
  join(here, "..", "config")

export const configDirectory = (given: string | undefined): string =>
  given ?? (existsSync("config/providers") || existsSync("config/config.yaml") ? "config" : packagedConfig)
