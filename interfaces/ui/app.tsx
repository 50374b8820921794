/** The frame around every screen: navigation, tenant, theme, and what must be asked before anything can be shown. */
import { LocationProvider } from "preact-iso/router"
import { Bar } from "./bar.tsx"
import { Screens } from "./parts/screens.tsx"
import { screens } from "./screens.ts"
import { MissingDialog } from "./session/missing.tsx"

export const App = () => (
  <LocationProvider>
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <Bar />
    <Screens of={screens} />
    <MissingDialog />
  </LocationProvider>
)
