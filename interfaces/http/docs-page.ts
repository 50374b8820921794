/** The interactive documentation: one page with script, style and document inside, so that nothing is fetched from elsewhere. */
import { HttpApi, HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, Layer } from "effect"
import { tagOf } from "./middleware/conditional.ts"
import { openApi } from "./openapi.ts"

/** the page may run what it holds and call this server, and nothing else */
const policy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; font-src data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"

const render = Effect.gen(function* () {
  // loaded when somebody looks at the page: the script is larger than the rest of the server
  const HttpApiSwagger = yield* Effect.promise(() => import("@effect/platform/HttpApiSwagger"))
  const { layerContext } = yield* Effect.promise(() => import("@effect/platform-node/NodeHttpServer"))
  const page = HttpApiSwagger.layer({ path: "/docs" }).pipe(
    Layer.provideMerge(HttpApiBuilder.Router.Live),
    Layer.provide(Layer.succeed(HttpApi.Api, { api: openApi().api as never, context: Context.empty() }))
  )
  const html = yield* Effect.gen(function* () {
    const { router } = yield* HttpApiBuilder.Router
    const app = yield* HttpRouter.toHttpApp(yield* router)
    const response = yield* Effect.orDie(app)
    return yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  }).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(new Request("http://docs.invalid/docs"))),
    Effect.provide(Layer.merge(page, layerContext)),
    Effect.scoped
  )
  return { html: Buffer.from(html), etag: tagOf(html), policy }
})

/** made once, on the first call */
export const docsPage = Effect.runSync(Effect.cached(render))
