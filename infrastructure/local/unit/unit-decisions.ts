/** What is decided about a unit from what is known of it: may it be launched, what becomes of one that a dead server left, how its end is told. */

import type { Exit } from "../process/unit-process.ts"
import { type Ending, howItEnded } from "./how-it-ended.ts"
import { lostWithServer } from "./leftovers.ts"
import type { LiveUnit } from "./live-units.ts"

export type Told = Ending | { readonly code: "runtime_object_lost"; readonly message: string }

const lost: Told = { code: "runtime_object_lost", message: lostWithServer }

export interface Claim {
  /** no entry stood in the way of ours */
  readonly isFirst: boolean
  /** the entry that did */
  readonly existing: { readonly isOwned: boolean; readonly hasLeader: boolean } | undefined
  /** this launch once came as far as starting a process */
  readonly wasLaunched: boolean
}

/** `ours`: it is launched now; `known`: a living server, this one included, has launched it; `lost`: it was launched and is gone */
export const claimed = ({ isFirst, existing, wasLaunched }: Claim): "ours" | "known" | "lost" => {
  if (!isFirst && existing?.isOwned === true) return "known"
  if (!isFirst && existing?.hasLeader === true) return "lost"
  return wasLaunched ? "lost" : "ours"
}

/** nobody's process yet: the task of this launch is claimed again and starts over */
export const startsOver = ({ leader }: Pick<LiveUnit, "leader">, wasLaunched: boolean): boolean =>
  leader === undefined && !wasLaunched

/** `closing`: the server stops, and ended it */
export const endOfOwn = (exit: Exit, command: string, closing: boolean): Told =>
  closing ? lost : howItEnded(exit, command)

/** of one that a dead server left; `noted`: the exit code that its shell wrote down */
export const endOfLeft = ({ command }: Pick<LiveUnit, "command">, noted: number | undefined): Told =>
  noted === undefined ? lost : howItEnded({ code: noted }, command ?? "")
