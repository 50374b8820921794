/**
 * One real control plane for all cluster tests of a run, and a look at whether pods can run here; without them tests are skipped, loudly,
 * or fail when EVALD_REQUIRE_T2=1 or EVALD_REQUIRE_T3=1.
 */
import type { TestProject } from "vitest/node"
import { controlPlaneBinaries } from "./control-plane/binaries.ts"
import { type ControlPlane, startControlPlane } from "./control-plane/processes.ts"
import { isolationProblem } from "./kubelet/isolation.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** or why there is none on this machine */
    readonly controlPlane: ControlPlane | { readonly missing: string }
    /** why no pods can run on this machine */
    readonly noPods: string | undefined
  }
}

const isRequired = (tier: string): boolean => process.env[`EVALD_REQUIRE_${tier}`] === "1"
const say = (text: string) => process.stderr.write(`${text}\n`)

/** `controllers`: beside the ones that every test needs */
export const provideControlPlane = async (
  project: TestProject,
  controllers: ReadonlyArray<string> = []
): Promise<(() => Promise<void>) | undefined> => {
  const found = controlPlaneBinaries()
  const noPods = "missing" in found ? "there is no control plane" : isolationProblem()
  project.provide("noPods", noPods)
  if (noPods !== undefined) {
    if (isRequired("T3")) throw new Error(`EVALD_REQUIRE_T3=1, and no pods can run here: ${noPods}`)
    say(`\nSKIPPED: every test with running pods (T3), because ${noPods}\n`)
  }
  if ("missing" in found) {
    if (isRequired("T2")) throw new Error(`EVALD_REQUIRE_T2=1, and there is no control plane: ${found.missing}`)
    say(`\nSKIPPED: every test against a real control plane (T2), because ${found.missing}\n`)
    project.provide("controlPlane", found)
    return undefined
  }
  const before = performance.now()
  const { controlPlane, stop } = await startControlPlane(found.folder, controllers)
  say(`control plane ready after ${Math.round(performance.now() - before)} ms: ${controlPlane.server}`)
  project.provide("controlPlane", controlPlane)
  return stop
}

export default (project: TestProject) => provideControlPlane(project)
