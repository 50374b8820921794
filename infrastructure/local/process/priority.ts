/**
 * Units have a lower priority than the server: where they share a core, five busy ones would leave it a sixth of it, and every request
 * would wait for them. An idle core is theirs as before.
 */
import { findTool } from "./tools.ts"

export interface Priority {
  /** the same command, lowered from its first instruction on */
  readonly wrap: (command: { readonly file: string; readonly args: ReadonlyArray<string> }) => {
    readonly file: string
    readonly args: ReadonlyArray<string>
  }
  /** shell line of the unit itself: where Linux shares cores between sessions (autogroups), the priority within one says nothing */
  readonly prologue: string
}

/** `nice`: 1 to 19, 0 leaves units as they are; undefined: they keep the server's priority. `path` is searched for the tool. */
export const lowered = (nice: number, path: string): Priority | undefined => {
  const tool = nice > 0 ? findTool(path, "nice") : undefined
  if (tool === undefined) return undefined
  return {
    wrap: ({ file, args }) => ({ file: tool, args: ["-n", String(nice), file, ...args] }),
    prologue: `{ echo ${nice} >/proc/self/autogroup; } 2>/dev/null`
  }
}
