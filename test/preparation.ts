/**
 * Fills the caches that suites take minutes to fill on a new machine: the Python environments of the peers, the programs of the control
 * plane, tools, and parts of the image. A suite would fill them itself; CI does it before, so that its time budgets are about tests. With
 * warm caches it takes seconds.
 */
import { spawnSync } from "node:child_process"
import { controlPlaneBinaries } from "./cluster/control-plane/binaries.ts"
import { goTool, goTools } from "./support/go-tools/tools.ts"
import { peerEnvironments } from "./support/peer-environments.ts"
import { peerVenv } from "./support/peer-venv.ts"

const say = (text: string) => process.stderr.write(`${text}\n`)

for (const peer of Object.values(peerEnvironments)) {
  const venv = await peerVenv(peer)
  say(venv._tag === "Ready" ? `${peer.id}: ${venv.path}` : `${peer.id} is missing`)
}
// bundled, this file does not lie where the modules are
const controlPlane = controlPlaneBinaries("test/cluster/control-plane")
say(
  "folder" in controlPlane
    ? `control plane: ${controlPlane.folder}`
    : `there is no control plane: ${controlPlane.missing}`
)
for (const tool of goTools) {
  const found = goTool(tool, "test/support/go-tools")
  say(typeof found === "string" ? `${tool}: ${found}` : `${tool} is missing: ${found.missing}`)
}
// the parts of the image: packages, the stripped program, the compiled driver, compressed layers
const image = spawnSync(process.execPath, ["deploy/image.mjs"], { stdio: ["ignore", "ignore", "inherit"] })
say(image.status === 0 ? "image: its parts are there" : "image: it cannot be made here")
