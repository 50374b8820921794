/**
 * How many streams (watchers, followers of logs) are open at once: each costs memory for as long as somebody listens. Who has enough of
 * them gets 429 `too_many_streams` with `Retry-After`. Reference: api.md, "How many at once".
 */
import type { ServerResponse } from "node:http"
import { Context, Effect } from "effect"
import { Refused } from "../error-response.ts"

export interface StreamLimits {
  /** `service.max_streams` */
  readonly all: number
  /** `service.max_streams_per_tenant` */
  readonly perTenant: number
}

export class Streams extends Context.Tag("evald/interfaces/http/Streams")<
  Streams,
  {
    /** takes a place that is free again when the response is closed, whether the stream began or not */
    readonly enter: (tenant: string, sink: ServerResponse) => Effect.Effect<void, Refused>
  }
>() {}

const refused = (message: string) =>
  new Refused({ code: "too_many_streams", message, headers: { "retry-after": "10" } })

export const make = (limits: StreamLimits): Streams["Type"] => {
  let all = 0
  const tenants = new Map<string, number>()
  const add = (tenant: string, change: 1 | -1): void => {
    all += change
    const count = (tenants.get(tenant) ?? 0) + change
    if (count === 0) tenants.delete(tenant)
    else tenants.set(tenant, count)
  }
  return {
    enter: (tenant, sink) =>
      Effect.suspend(() => {
        if ((tenants.get(tenant) ?? 0) >= limits.perTenant) {
          return refused(
            `tenant '${tenant}' has ${limits.perTenant} streams open (service.max_streams_per_tenant); close some, or try again later`
          )
        }
        if (all >= limits.all)
          return refused(`the server has ${limits.all} streams open (service.max_streams); try again later`)
        // whoever has left already tells nobody any more
        if (sink.destroyed) return Effect.void
        add(tenant, 1)
        sink.once("close", () => add(tenant, -1))
        return Effect.void
      })
  }
}
