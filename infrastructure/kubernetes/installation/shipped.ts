/** The definitions that come with the program, as they are installed. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ShippedDefinition } from "./objects.ts"

const extension = ".yaml"

/** `configDir` holds `providers` and `collections`; in the order of the names of their files */
export const shippedDefinitions = (configDir: string): ReadonlyArray<ShippedDefinition> =>
  (["provider", "collection"] as const).flatMap((kind) => {
    const folder = join(configDir, `${kind}s`)
    return readdirSync(folder)
      .filter((file) => file.endsWith(extension))
      .sort()
      .map((file) => ({
        kind,
        id: file.slice(0, -extension.length),
        text: readFileSync(join(folder, file), "utf8")
      }))
  })
