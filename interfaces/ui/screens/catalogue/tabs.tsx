/** The three kinds of what can be run. */
import { useLocation } from "preact-iso/router"

const kinds = [
  ["/catalogue", "Benchmarks"],
  ["/catalogue/collections", "Collections"],
  ["/catalogue/providers", "Providers"]
] as const

export const Tabs = () => {
  const { path } = useLocation()
  // the address of the first begins those of all
  const [current] = kinds.findLast(([to]) => path === to || path.startsWith(`${to}/`)) ?? []
  return (
    <nav class="tabs" aria-label="Catalogue">
      {kinds.map(([to, name]) => (
        <a key={to} href={to} class="tab" {...(current === to ? { "aria-current": "page" as const } : {})}>
          {name}
        </a>
      ))}
    </nav>
  )
}
