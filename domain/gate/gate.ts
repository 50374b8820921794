/** A gate as it is kept. Reference: comparison-and-gates.md, "Gates". */
import type { ComparedJob } from "../comparison/comparison.ts"
import type { Policy } from "./criteria.ts"
import type { JudgedGate } from "./judge-gate.ts"

export interface Gate extends JudgedGate {
  readonly id: string
  readonly tenant: string
  readonly owner: string
  readonly createdAt: string
  /** digest of the policy with its defaults filled in */
  readonly policyDigest: string
  /** digest of everything that the answer was made of */
  readonly inputs: string
  /** which time this policy is asked of this model and baseline, from 1 */
  readonly look: number
  readonly policy: Policy
  readonly job: ComparedJob
  readonly baseline?: ComparedJob
}
