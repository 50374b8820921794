/** The beginning of a long list, and the rest on request: a thousand rows at once would keep the page from answering. */
import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import { count } from "../format.ts"

/** shown at once */
const most = 100

/** `what`: the name of its items, for the button that shows the rest */
export const useFirst = <Item,>(
  all: ReadonlyArray<Item>,
  what: string
): { readonly shown: ReadonlyArray<Item>; readonly more: VNode | null } => {
  const isWhole = useSignal(false)
  if (isWhole.value || all.length <= most) return { shown: all, more: null }
  const more = (
    <p>
      <button
        type="button"
        onClick={() => {
          isWhole.value = true
        }}
      >
        Show all {count(all.length)} {what}
      </button>
    </p>
  )
  return { shown: all.slice(0, most), more }
}
