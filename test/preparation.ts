/**
 * Fills the caches that suites take minutes to fill on a new machine: the Python environments of the peers and the programs of the control
 * plane. A suite would fill them itself; CI does it before, so that its time budgets are about tests. With warm caches it takes a second.
 */
import { controlPlaneBinaries } from "./cluster/control-plane/binaries.ts"
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
