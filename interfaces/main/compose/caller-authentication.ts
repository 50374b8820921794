/** Which of the ways of knowing the caller the settings choose, and the combinations that would let anybody in. */
import { Data, Effect, Layer } from "effect"
import type { AccessReview } from "../../../application/ports/access-review.ts"
import type { Settings } from "../../../config/settings.ts"
import { isLoopback } from "../../../domain/loopback.ts"
import { defined } from "../../../values/defined.ts"
import * as Authentication from "../../http/middleware/authentication.ts"

/** a combination of settings that cannot be served */
export class PlanRefused extends Data.TaggedError("PlanRefused")<{ readonly message: string }> {}

export type AuthMode = NonNullable<Settings["auth.mode"]>

/** what `auth.mode` comes to */
export const authMode = (settings: Settings, local: boolean): AuthMode =>
  settings["auth.mode"] ?? (local ? "none" : "cluster")

/** `host`: the address that is listened on; undefined: all of them. `jobAccount`: as whom jobs run in each tenant */
export const authentication = (
  settings: Settings,
  local: boolean,
  host: string | undefined,
  reviews: Layer.Layer<AccessReview>,
  jobAccount: string | undefined
): Effect.Effect<Layer.Layer<Authentication.Authentication>, PlanRefused> => {
  const mode = authMode(settings, local)
  if (mode === "none") {
    const token = settings["local.token"]
    if (!isLoopback(host ?? "") && token === undefined) {
      return Effect.fail(
        new PlanRefused({
          message: `without authentication the server listens on loopback only; set local.token to listen on '${host ?? "all addresses"}'`
        })
      )
    }
    return Effect.succeed(Authentication.layerNone(token === undefined ? {} : { token }))
  }
  if (mode === "trusted_headers") {
    const trustedProxies = settings["auth.trusted_proxies"]
    if (!isLoopback(host ?? "") && trustedProxies.length === 0) {
      return Effect.fail(
        new PlanRefused({
          message: "auth.mode trusted_headers on an address beyond loopback needs auth.trusted_proxies"
        })
      )
    }
    return Effect.succeed(Authentication.layerTrustedHeaders({ trustedProxies }))
  }
  const groups = { service: settings["api_groups.service"], tracker: settings["api_groups.tracker"] }
  const reviewed = {
    groups,
    allowSeconds: settings["auth.cache.allow_seconds"],
    trustedProxies: settings["auth.trusted_proxies"],
    ...defined({ jobAccount })
  }
  return Effect.succeed(Authentication.layerReviewed(reviewed).pipe(Layer.provide(reviews)))
}
