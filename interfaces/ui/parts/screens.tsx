/** The screen that the address asks for. */
import type { ComponentChildren, ComponentType } from "preact"
import { useRef } from "preact/hooks"
import { ErrorBoundary } from "preact-iso/lazy"
import { Route, Router, useLocation } from "preact-iso/router"
import { useTitle } from "./title.ts"

const NotFound = () => {
  useTitle("Not found")
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        <a href="/">To the first page</a>
      </p>
    </>
  )
}

export const Screens = ({
  of,
  before
}: {
  /** `path` as preact-iso reads it, `/jobs/:id` */
  readonly of: ReadonlyArray<{ readonly path: string; readonly screen: ComponentType }>
  /** stands above every screen */
  readonly before?: ComponentChildren
}) => {
  const main = useRef<HTMLElement>(null)
  const shown = useRef<string | undefined>(undefined)
  const { path } = useLocation()
  /** whoever follows a link goes on at the beginning of the new screen; filters are the same screen */
  const arrived = () => {
    if (shown.current !== undefined && shown.current !== path) main.current?.focus()
    shown.current = path
  }
  return (
    <main id="main" tabIndex={-1} ref={main}>
      {before}
      <ErrorBoundary>
        <Router onRouteChange={arrived}>
          {of.map(({ path: at, screen }) => (
            <Route key={at} path={at} component={screen} />
          ))}
          <Route default component={NotFound} />
        </Router>
      </ErrorBoundary>
    </main>
  )
}
