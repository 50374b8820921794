/**
 * `layer(…)` of @effect/vitest writes its own testers over those of the one global `it`, and they stay there for the files that the same
 * process runs afterwards. What was there before any file is kept here, to be put back before each.
 */
import { it } from "@effect/vitest"

const { effect, scoped, prop, flakyTest, layer } = it

/** gives `it` the testers that belong to no layer */
export const restoreTesters = (): void => {
  Object.assign(it, { effect, scoped, prop, flakyTest, layer })
}
