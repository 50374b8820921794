/** One real control plane for all cluster tests of a run; without one they are skipped, loudly, or fail when EVALD_REQUIRE_T2=1. */
import type { TestProject } from "vitest/node"
import { controlPlaneBinaries } from "./control-plane/binaries.ts"
import { type ControlPlane, startControlPlane } from "./control-plane/processes.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** or why there is none on this machine */
    readonly controlPlane: ControlPlane | { readonly missing: string }
  }
}

const say = (text: string) => process.stderr.write(`${text}\n`)

export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const found = controlPlaneBinaries()
  if ("missing" in found) {
    if (process.env["EVALD_REQUIRE_T2"] === "1") throw new Error(`EVALD_REQUIRE_T2=1, and there is no control plane: ${found.missing}`)
    say(`\nSKIPPED: every test against a real control plane (T2), because ${found.missing}\n`)
    project.provide("controlPlane", found)
    return undefined
  }
  const before = performance.now()
  const { controlPlane, stop } = await startControlPlane(found.folder)
  say(`control plane ready after ${Math.round(performance.now() - before)} ms: ${controlPlane.server}`)
  project.provide("controlPlane", controlPlane)
  return stop
}
