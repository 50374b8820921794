/** Each call through both clients of the contract: `HttpApiClient`, and the one without the Effect runtime. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import { Effect, Either } from "effect"
import { makeClient, type RequestOf } from "../../interfaces/client/client.ts"
import { Api, type EndpointName } from "../../interfaces/http/api.ts"

/** what came of a call, without what differs from one to the next */
export type Seen = { readonly success: unknown } | { readonly refusal: unknown }

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** times and traces are of the call, not of what it says */
const settled = (value: unknown): unknown => {
  if (value === undefined) return undefined
  const text = JSON.stringify(value, (name, member: unknown) => (name === "trace" ? undefined : member))
  return JSON.parse(text.replaceAll(time, "<time>")) as unknown
}

export interface BothClients {
  /** by `HttpApiClient`, then by the other */
  readonly call: <Name extends EndpointName>(
    name: Name,
    first: RequestOf<Name>,
    second?: RequestOf<Name>
  ) => Effect.Effect<readonly [Seen, Seen]>
  readonly called: ReadonlySet<EndpointName>
}

export const bothClients = (baseUrl: string): Effect.Effect<BothClients> =>
  Effect.gen(function* () {
    const groups = yield* HttpApiClient.make(Api, { baseUrl })
    // the compiler can not join the types of all operations
    const full = Object.assign({}, ...Object.values(groups)) as {
      readonly [Name in EndpointName]: (request: object) => Effect.Effect<unknown, unknown>
    }
    const light = makeClient({ baseUrl })
    const called = new Set<EndpointName>()
    const call: BothClients["call"] = (name, first, second = first) =>
      Effect.gen(function* () {
        called.add(name)
        const ofLight = light[name] as unknown as (request: object) => ReturnType<typeof light.getJob>
        const one = yield* Effect.either(full[name]({ headers: {}, urlParams: {}, ...first }))
        const other = yield* Effect.promise(() => ofLight(second))
        return [
          Either.match(one, {
            onLeft: (error): Seen => ({ refusal: settled(error) }),
            onRight: (value): Seen => ({ success: settled(value) })
          }),
          other.ok ? { success: settled(other.value) } : { refusal: settled(other.error) }
        ] as const
      })
    return { call, called }
  }).pipe(Effect.provide(FetchHttpClient.layer))
