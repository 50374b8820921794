/** Whether what is shown follows what happens. */
import type { Signal } from "@preact/signals"
import type { Connection } from "../data/follow.ts"

const words = (connection: Connection): readonly [kind: string, text: string] => {
  switch (connection.is) {
    case "live":
      return ["good", "live"]
    case "lost":
      return ["warn", "connection lost, trying again"]
    case "refused":
      return ["bad", "not followed"]
    case "over":
      return ["quiet", "ended"]
    case "resting":
      return ["quiet", "resting"]
    default:
      return ["quiet", "connecting"]
  }
}

export const ConnectionState = ({ of }: { readonly of: Signal<Connection> }) => {
  const [kind, text] = words(of.value)
  return (
    <span class={`connection ${kind}`} role="status">
      {text}
    </span>
  )
}
