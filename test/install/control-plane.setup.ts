/** A control plane on which Deployments really roll out, for what is shown from the installation to the end. */
import type { TestProject } from "vitest/node"
import { provideControlPlane } from "../cluster/control-plane.setup.ts"

export default (project: TestProject) =>
  provideControlPlane(project, ["deployment-controller", "replicaset-controller"])
