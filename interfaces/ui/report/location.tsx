/** Where one is in a report: behind the `#` of its address, because a file has no other address that may be changed. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { LocationProvider } from "preact-iso/router"

/** a path of ours that a click on a link asks for; undefined: the browser knows what to do */
const pathIn = (event: MouseEvent): string | undefined => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0) return undefined
  const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement)
  const href = link?.getAttribute("href") ?? ""
  return href.startsWith("/") ? href : undefined
}

/** `start`: the path of the first screen */
export const HashLocation = ({ start, children }: { readonly start: string; readonly children: ComponentChildren }) => {
  const current = () => (location.hash.startsWith("#/") && location.hash !== "#/" ? location.hash.slice(1) : start)
  const url = useSignal(current())
  useEffect(() => {
    const read = () => {
      url.value = current()
    }
    const follow = (event: MouseEvent) => {
      const path = pathIn(event)
      if (path === undefined) return
      event.preventDefault()
      location.assign(`#${path}`)
    }
    addEventListener("hashchange", read)
    addEventListener("click", follow)
    return () => {
      removeEventListener("hashchange", read)
      removeEventListener("click", follow)
    }
  }, [])
  const { pathname, searchParams } = new URL(url.value, "http://report")
  const value = {
    url: url.value,
    path: pathname,
    query: Object.fromEntries(searchParams),
    route: (to: string, replace = false) => {
      if (replace) location.replace(`#${to}`)
      else location.assign(`#${to}`)
    },
    back: () => history.back(),
    forward: () => history.forward(),
    wasPush: true
  }
  return <LocationProvider.ctx.Provider value={value}>{children}</LocationProvider.ctx.Provider>
}
