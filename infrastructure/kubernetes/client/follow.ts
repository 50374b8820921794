/**
 * Follows all objects of one kind: lists, then watches from there, resumes, and lists again when told so, when lines were lost, and from
 * time to time. What it tells may repeat; after each `Listed` it is complete. Never ends, never fails. Reference: cluster-objects.md, "Observing".
 */
import { Clock, Duration, Effect, Random, Stream } from "effect"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { KubeClient, Selection } from "./client.ts"
import type { KubeError } from "./kube-error.ts"
import type { KubeObject } from "./resources.ts"

export type Notice =
  /** everything there is: what is not in it is gone */
  | { readonly _tag: "Listed"; readonly objects: ReadonlyArray<KubeObject> }
  | { readonly _tag: "Changed"; readonly object: KubeObject }
  | { readonly _tag: "Deleted"; readonly object: KubeObject }
  /** the cluster refuses to show this kind here; counted from the first refusal in a row */
  | {
      readonly _tag: "Refused"
      readonly sinceMillis: number
      readonly message: string
      readonly why: "forbidden" | "not_found"
    }

export interface FollowOptions {
  readonly client: KubeClient["Type"]
  readonly selection: Selection
  /** everything is listed again so often; absent: only when it has to be */
  readonly resyncMillis?: number
  /** first pause after a watch that broke or was refused, doubled from there; default 500 */
  readonly firstPauseMillis?: number
  readonly tell: (notice: Notice) => Effect.Effect<void>
  /** a watch has ended or broken */
  readonly ended?: () => void
}

const refusedPauseMillis = 30_000
const standardFirstPauseMillis = 500
const longestPauseMillis = 30_000

interface Trouble {
  failures: number
  refusedSince: number | undefined
}

/** half to whole of a time that doubles: never two requests in quick succession */
const pauseMillis = (first: number, failures: number): Effect.Effect<number> =>
  Effect.map(Random.next, (random) =>
    Math.round(Math.min(longestPauseMillis, first * 2 ** Math.min(failures, 10)) * (0.5 + random / 2))
  )

const refusalOf = ({ class: kind }: KubeError): "forbidden" | "not_found" | undefined =>
  kind === "forbidden" || kind === "not_found" ? kind : undefined

export const follow = ({
  client,
  selection,
  resyncMillis = Number.POSITIVE_INFINITY,
  firstPauseMillis = standardFirstPauseMillis,
  tell,
  ended
}: FollowOptions): Effect.Effect<never> =>
  Effect.gen(function* () {
    const trouble: Trouble = { failures: 0, refusedSince: undefined }
    const what = `${selection.resource.plural} of ${selection.namespace ?? "all namespaces"}`

    const afterError = (error: KubeError): Effect.Effect<void> =>
      Effect.gen(function* () {
        yield* Effect.logDebug(`watch of ${what}: ${error.message}`)
        const why = refusalOf(error)
        if (why !== undefined) {
          trouble.refusedSince ??= yield* Clock.currentTimeMillis
          yield* tell({ _tag: "Refused", sinceMillis: trouble.refusedSince, message: error.message, why })
          return yield* Effect.sleep(refusedPauseMillis)
        }
        trouble.refusedSince = undefined
        const pause = yield* pauseMillis(firstPauseMillis, trouble.failures)
        trouble.failures += 1
        yield* Effect.sleep(Math.max(pause, error.retryAfterMillis ?? 0))
      })

    /** watches until a list is due; answers how it ended */
    const watchFrom = (start: string, listDueAt: number): Effect.Effect<void> =>
      Effect.gen(function* () {
        let version = start
        let lostLines = 0
        for (;;) {
          const now = yield* steadyMillis
          if (now >= listDueAt || lostLines > 0) return
          const timeoutSeconds = yield* Random.nextIntBetween(240, 301)
          const watched = client.watch(selection, { resourceVersion: version, timeoutSeconds })
          const opened = (
            listDueAt === Number.POSITIVE_INFINITY
              ? watched
              : Stream.interruptAfter(watched, Duration.millis(listDueAt - now))
          ).pipe(
            Stream.runForEach((event) => {
              trouble.failures = 0
              trouble.refusedSince = undefined
              if (event.type === "UNREADABLE") {
                lostLines += 1
                return Effect.logWarning(`watch of ${what}: a line could not be read and is skipped`)
              }
              if (event.type === "BOOKMARK") {
                version = event.resourceVersion
                return Effect.void
              }
              version = event.object.metadata.resourceVersion ?? version
              return tell({ _tag: event.type === "DELETED" ? "Deleted" : "Changed", object: event.object })
            })
          )
          const error = yield* Effect.match(opened, { onFailure: (failure) => failure, onSuccess: () => undefined })
          ended?.()
          if (error === undefined) {
            // a server that ends watches at once must not be flooded
            if ((yield* steadyMillis) - now < firstPauseMillis) yield* Effect.sleep(firstPauseMillis)
            continue
          }
          yield* afterError(error)
          if (error.class === "expired" || refusalOf(error) !== undefined) return
        }
      })

    const round = Effect.gen(function* () {
      const listed = yield* Effect.either(client.list(selection))
      if (listed._tag === "Left") return yield* afterError(listed.left)
      trouble.refusedSince = undefined
      yield* tell({ _tag: "Listed", objects: listed.right.items })
      yield* watchFrom(listed.right.resourceVersion, (yield* steadyMillis) + resyncMillis)
    })
    return yield* Effect.forever(round)
  })
