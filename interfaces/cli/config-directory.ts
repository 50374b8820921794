/** Which configuration directory is meant when none is given: `config` here, else the one that came with the program. */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const packagedConfig = join(dirname(fileURLToPath(import.meta.url)), "..", "config")

export const configDirectory = (given: string | undefined): string =>
  given ?? (existsSync("config/providers") || existsSync("config/config.yaml") ? "config" : packagedConfig)
