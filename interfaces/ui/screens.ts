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
  },
  {
    path: "/catalogue",
    name: "Catalogue",
    screen: lazy(() => import("./screens/catalogue/benchmarks.tsx").then(({ BenchmarksScreen }) => BenchmarksScreen))
  },
  {
    path: "/catalogue/collections",
    screen: lazy(() => import("./screens/catalogue/collections.tsx").then(({ CollectionsScreen }) => CollectionsScreen))
  },
  {
    path: "/catalogue/collections/:id",
    screen: lazy(() => import("./screens/catalogue/collection.tsx").then(({ CollectionScreen }) => CollectionScreen))
  },
  {
    path: "/catalogue/providers",
    screen: lazy(() => import("./screens/catalogue/providers.tsx").then(({ ProvidersScreen }) => ProvidersScreen))
  },
  {
    path: "/catalogue/providers/:id",
    screen: lazy(() => import("./screens/catalogue/provider.tsx").then(({ ProviderScreen }) => ProviderScreen))
  },
  {
    path: "/new",
    name: "New run",
    screen: lazy(() => import("./screens/new/new.tsx").then(({ NewScreen }) => NewScreen))
  },
  {
    path: "/usage",
    name: "Usage",
    screen: lazy(() => import("./screens/usage/usage.tsx").then(({ UsageScreen }) => UsageScreen))
  },
  {
    path: "/jobs/:id/samples",
    screen: lazy(() => import("./screens/samples/samples.tsx").then(({ SamplesScreen }) => SamplesScreen))
  }
]
