/** Every screen: its path, and its name in the navigation. Those that are not the first one are loaded when they are opened. */
import type { ComponentType } from "preact"
import lazy from "preact-iso/lazy"
import { JobsScreen } from "./screens/jobs/jobs.tsx"

export interface Screen {
  /** as preact-iso reads it, `/jobs/:id` */
  readonly path: string
  /** absent: reached from other screens alone */
  readonly name?: string
  readonly screen: ComponentType
}

export const screens: ReadonlyArray<Screen> = [
  { path: "/", name: "Jobs", screen: JobsScreen },
  { path: "/jobs/:id", screen: lazy(() => import("./screens/job/job.tsx").then(({ JobScreen }) => JobScreen)) },
  {
    path: "/compare",
    name: "Compare",
    screen: lazy(() => import("./screens/compare/compare.tsx").then(({ CompareScreen }) => CompareScreen))
  }
]
