/** The frame around every screen: navigation, tenant, theme, and what must be asked before anything can be shown. */
import { useRef } from "preact/hooks"
import { ErrorBoundary } from "preact-iso/lazy"
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router"
import { Bar } from "./bar.tsx"
import { useTitle } from "./parts/title.ts"
import { screens } from "./screens.ts"
import { MissingDialog } from "./session/missing.tsx"

const NotFound = () => {
  useTitle("Not found")
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        <a href="/">All jobs</a>
      </p>
    </>
  )
}

const Screens = () => {
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
      <ErrorBoundary>
        <Router onRouteChange={arrived}>
          {screens.map(({ path: at, screen }) => (
            <Route key={at} path={at} component={screen} />
          ))}
          <Route default component={NotFound} />
        </Router>
      </ErrorBoundary>
    </main>
  )
}

export const App = () => (
  <LocationProvider>
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <Bar />
    <Screens />
    <MissingDialog />
  </LocationProvider>
)
