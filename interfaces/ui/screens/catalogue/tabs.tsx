/** The three kinds of what can be run. */
import { useLocation } from "preact-iso/router"

const kinds = [
  ["/catalogue", "Benchmarks"],
  ["/catalogue/collections", "Collections"],
  ["/catalogue/providers", "Providers"]
] as const

export const Tabs = () => {
  const { path } = useLocation()
  return (
    <nav class="tabs" aria-label="Catalogue">
      {kinds.map(([to, name]) => (
        <a key={to} href={to} class="tab" {...(path === to ? { "aria-current": "page" as const } : {})}>
          {name}
        </a>
      ))}
    </nav>
  )
}
