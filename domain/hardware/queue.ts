/** The queue that a job or a benchmark asks for. Reference: cluster-objects.md, "Queue". */

import { dnsSubdomainProblem } from "../dns-name.ts"
import type { Path } from "../path.ts"
import { shown, type Violation, violation } from "../violation.ts"

export interface Queue {
  readonly kind?: string
  readonly name?: string
}

export const defaultQueueKind = "queuesys"
const queueKinds: ReadonlyArray<string> = [defaultQueueKind, "kueue"]
/** a queue's name is also a label value */
const maxQueueName = 63

/** rules of a queue, of the hardware or the deprecated one of the job; `path`: of the queue */
export const checkQueue = (queue: Queue, path: Path): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  if (queue.kind !== undefined && !queueKinds.includes(queue.kind))
    found.push(
      violation(
        [...path, "kind"],
        `queue kind ${shown(queue.kind)} is not known; use ${queueKinds.map((kind) => `'${kind}'`).join(" or ")}`
      )
    )
  if (queue.name === undefined) found.push(violation([...path, "name"], "queue name is required when a queue is given"))
  else {
    const problem = dnsSubdomainProblem(queue.name, maxQueueName)
    if (problem !== undefined) found.push(violation([...path, "name"], `queue name ${shown(queue.name)} ${problem}`))
  }
  return found
}
