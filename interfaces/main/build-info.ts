/** What was built; the values are put in by deploy/build.mjs. Running from sources, they are marked as such. */

declare const __EVALD_VERSION__: string | undefined
declare const __EVALD_GIT_HASH__: string | undefined

export const build = {
  version: typeof __EVALD_VERSION__ === "string" ? __EVALD_VERSION__ : "0.0.0-source",
  gitHash: typeof __EVALD_GIT_HASH__ === "string" ? __EVALD_GIT_HASH__ : "unknown"
}
