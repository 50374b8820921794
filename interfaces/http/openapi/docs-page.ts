/** The interactive documentation: one page with script, style and document inside, so that nothing is fetched from elsewhere. */
import { Effect } from "effect"

const render = Effect.flatMap(
  Effect.promise(() => import("./render-docs-page.ts")),
  ({ renderDocsPage }) => renderDocsPage
)

/** made once, on the first call */
export const docsPage = Effect.runSync(Effect.cached(render))
