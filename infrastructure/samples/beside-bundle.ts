import { fileURLToPath } from "node:url"

/** The program of a thread, beside the bundle that asks for it at `url`; sources that run as they are have none, and do without. */
export const besideBundle = (name: string, url: string): string | undefined =>
  url.endsWith(".ts") ? undefined : fileURLToPath(new URL(`./${name}`, url))
