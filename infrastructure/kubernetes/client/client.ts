/**
 * The Kubernetes API as evald uses it: plain JSON, rate-limited by lane, with time limits, and nothing more. Every failure is a
 * `KubeError` with its class; nothing is retried here except a 401 with a fresh token. Reference: cluster-objects.md, "Launching".
 */
import { Context, Duration, Effect, Layer, type Scope, Stream } from "effect"
import type { ClusterActivity } from "../../../application/ports/cluster-statistics.ts"
import { defined } from "../../../values/defined.ts"
import { isObject } from "../../../values/json.ts"
import { makeCallCounts } from "./call-counts.ts"
import type { KubeConnection } from "./connection.ts"
import { type Exchange, type HttpChannel, makeHttpChannel, operationOf } from "./http-channel.ts"
import { type KubeError, noAnswer } from "./kube-error.ts"
import { type Lane, makeRateLimiter, type RateLimiter, type RateLimits } from "./rate-limiter.ts"
import { isKubeObject, type KubeObject, pathOf, pods, type Resource } from "./resources.ts"
import { readWatch, type WatchEvent } from "./watch-lines.ts"

export interface Target {
  readonly resource: Resource
  /** absent: cluster-scoped object */
  readonly namespace?: string
  readonly name: string
  readonly lane: Lane
}

export interface Selection {
  readonly resource: Resource
  /** absent: all namespaces */
  readonly namespace?: string
  readonly lane: Lane
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** only the metadata of each object is sent */
  readonly metadataOnly?: boolean
}

export interface Page {
  readonly items: ReadonlyArray<KubeObject>
  readonly resourceVersion: string
  /** token of the next page */
  readonly next?: string
}

export interface DeleteOptions {
  /** only an object with this uid; another one answers `conflict` */
  readonly uid?: string
  readonly propagation: "Foreground" | "Background" | "Orphan"
}

export interface LogOptions {
  readonly container: string
  readonly tailLines?: number
  readonly sinceSeconds?: number
  readonly limitBytes?: number
  readonly timestamps: boolean
  readonly follow: boolean
}

export interface WatchFrom {
  readonly resourceVersion: string
  /** the server ends the watch cleanly after this time */
  readonly timeoutSeconds: number
}

export class KubeClient extends Context.Tag("evald/infrastructure/kubernetes/KubeClient")<
  KubeClient,
  {
    /** any request that answers with JSON (reviews, foreign kinds, `/version`); 10 s */
    readonly send: (exchange: Exchange, lane: Lane) => Effect.Effect<unknown, KubeError>
    readonly get: (target: Target) => Effect.Effect<KubeObject, KubeError>
    /** `PartialObjectMetadata`: no data of the object is transferred */
    readonly getMetadata: (target: Target) => Effect.Effect<KubeObject, KubeError>
    readonly create: (target: Omit<Target, "name">, object: unknown) => Effect.Effect<KubeObject, KubeError>
    /** a `metadata.uid` or `metadata.resourceVersion` in the patch is a precondition */
    readonly mergePatch: (target: Target, patch: unknown) => Effect.Effect<KubeObject, KubeError>
    readonly remove: (target: Target, options: DeleteOptions) => Effect.Effect<void, KubeError>
    /** one page; 30 s */
    readonly page: (
      selection: Selection,
      page: { readonly limit?: number; readonly next?: string }
    ) => Effect.Effect<Page, KubeError>
    /** everything, in pages of 500; when the token of a page expires, once more without limit */
    readonly list: (selection: Selection) => Effect.Effect<Page, KubeError>
    /**
     * One watch connection: changes and bookmarks after the version. Ends when the server ends it; fails as `expired` when the version
     * is too old, and as `transient` when the connection breaks or is silent for longer than `timeoutSeconds` + 30 s.
     */
    readonly watch: (selection: Selection, from: WatchFrom) => Stream.Stream<WatchEvent, KubeError>
    /** log of one container as it comes; without `follow` within 10 s of silence */
    readonly logs: (
      target: { readonly namespace: string; readonly pod: string; readonly lane: Lane },
      options: LogOptions
    ) => Effect.Effect<Stream.Stream<Uint8Array, KubeError>, KubeError>
    /** calls that the rate limit allows at once */
    readonly available: Effect.Effect<number>
    readonly activity: Effect.Effect<ClusterActivity>
  }
>() {}

export interface ClientOptions extends RateLimits {
  readonly connection: KubeConnection
}

const unaryLimit = Duration.seconds(10)
const listLimit = Duration.seconds(30)
const watchSlackSeconds = 30
const pageSize = 500
const metadataOf = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
const metadataListOf = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

const query = (members: { readonly [name: string]: string | number | boolean | undefined }): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(members)) if (value !== undefined) parameters.set(name, String(value))
  const text = parameters.toString()
  return text === "" ? "" : `?${text}`
}

const within =
  (limit: Duration.Duration, exchange: Exchange) =>
  <A>(effect: Effect.Effect<A, KubeError>): Effect.Effect<A, KubeError> =>
    Effect.timeoutFail(effect, {
      duration: limit,
      onTimeout: () => noAnswer(operationOf(exchange), `no answer within ${Duration.toSeconds(limit)} s`)
    })

const asObject = (exchange: Exchange, value: unknown): Effect.Effect<KubeObject, KubeError> =>
  isKubeObject(value)
    ? Effect.succeed(value)
    : Effect.fail(noAnswer(operationOf(exchange), "the answer is no Kubernetes object"))

const asPage = (exchange: Exchange, value: unknown): Effect.Effect<Page, KubeError> => {
  const list = isObject(value) ? value : {}
  const { metadata, items } = { metadata: list["metadata"], items: list["items"] ?? [] }
  if (!isObject(metadata) || typeof metadata["resourceVersion"] !== "string" || !Array.isArray(items))
    return Effect.fail(noAnswer(operationOf(exchange), "the answer is no list"))
  const next = metadata["continue"]
  return Effect.succeed({
    items: items.filter(isKubeObject),
    resourceVersion: metadata["resourceVersion"],
    ...(typeof next === "string" && next !== "" ? { next } : {})
  })
}

const selectionQuery = ({ labelSelector, fieldSelector }: Selection) => ({ labelSelector, fieldSelector })

/** calls that wait for their turn and are counted by their end */
const makeCalls = (channel: HttpChannel, { take }: RateLimiter) => {
  const counts = makeCallCounts()
  const counted =
    (lane: Lane) =>
    <A>(effect: Effect.Effect<A, KubeError>): Effect.Effect<A, KubeError> =>
      Effect.tapBoth(effect, {
        onSuccess: () => Effect.sync(() => counts.ended(lane, "ok")),
        onFailure: (error) => Effect.sync(() => counts.ended(lane, error.class))
      })
  return {
    counts,
    json: (exchange: Exchange, lane: Lane, limit = unaryLimit) =>
      Effect.zipRight(
        take(lane),
        counted(lane)(within(limit, exchange)(channel.json(exchange, lane === "review" ? "reviews" : undefined)))
      ),
    chunks: (exchange: Exchange, lane: Lane, limit: Duration.Duration) =>
      Effect.zipRight(take(lane), counted(lane)(within(limit, exchange)(channel.chunks(exchange))))
  }
}

type Calls = ReturnType<typeof makeCalls>
type Client = KubeClient["Type"]

const makeLists = ({ json }: Calls): Pick<Client, "page" | "list"> => {
  const page: Client["page"] = (selection, { limit, next }) => {
    const exchange: Exchange = {
      method: "GET",
      path:
        pathOf(selection.resource, selection.namespace) +
        query({ ...selectionQuery(selection), limit, continue: next }),
      ...(selection.metadataOnly === true ? { accept: metadataListOf } : {})
    }
    return Effect.flatMap(json(exchange, selection.lane, listLimit), (value) => asPage(exchange, value))
  }
  const inPages = (
    selection: Selection,
    collected: ReadonlyArray<KubeObject>,
    next?: string
  ): Effect.Effect<Page, KubeError> =>
    Effect.flatMap(page(selection, { limit: pageSize, ...defined({ next }) }), (found) => {
      const items = collected.length === 0 ? found.items : [...collected, ...found.items]
      return found.next === undefined ? Effect.succeed({ ...found, items }) : inPages(selection, items, found.next)
    })
  return {
    page,
    list: (selection) =>
      Effect.catchIf(
        inPages(selection, []),
        (error) => error.class === "expired",
        () => page(selection, {})
      )
  }
}

const watchWith =
  ({ chunks, counts }: Calls): Client["watch"] =>
  (selection, { resourceVersion, timeoutSeconds }) => {
    const exchange: Exchange = {
      method: "GET",
      path:
        pathOf(selection.resource, selection.namespace) +
        query({
          ...selectionQuery(selection),
          watch: true,
          allowWatchBookmarks: true,
          resourceVersion,
          timeoutSeconds
        }),
      ...(selection.metadataOnly === true ? { accept: metadataOf } : {})
    }
    const silence = Duration.seconds(timeoutSeconds + watchSlackSeconds)
    const silent = () =>
      noAnswer(operationOf(exchange), `the watch was silent for ${timeoutSeconds + watchSlackSeconds} s`)
    const opened = chunks(exchange, selection.lane, listLimit)
    const events = readWatch(operationOf(exchange), Stream.timeoutFail(Stream.unwrap(opened), silent, silence))
    return Stream.tap(events, ({ type }) =>
      Effect.sync(() => (type === "UNREADABLE" ? counts.unreadable() : undefined))
    )
  }

const logsWith =
  ({ chunks }: Calls): Client["logs"] =>
  ({ namespace, pod, lane }, { container, tailLines, sinceSeconds, limitBytes, timestamps, follow }) => {
    const path = `${pathOf(pods, namespace, pod)}/log`
    const exchange: Exchange = {
      method: "GET",
      path: path + query({ container, tailLines, sinceSeconds, limitBytes, timestamps, follow }),
      accept: "*/*"
    }
    const silent = () => noAnswer(operationOf(exchange), "the log was silent for 10 s")
    return Effect.map(chunks(exchange, lane, unaryLimit), (arriving) =>
      follow ? arriving : Stream.timeoutFail(arriving, silent, unaryLimit)
    )
  }

const build = (channel: HttpChannel, limiter: RateLimiter): Client => {
  const calls = makeCalls(channel, limiter)
  const { json, counts } = calls
  const object = (exchange: Exchange, lane: Lane) =>
    Effect.flatMap(json(exchange, lane), (value) => asObject(exchange, value))
  const at = ({ resource, namespace, name }: Target) => pathOf(resource, namespace, name)
  return {
    ...makeLists(calls),
    watch: watchWith(calls),
    logs: logsWith(calls),
    send: (exchange, lane) => json(exchange, lane),
    get: (target) => object({ method: "GET", path: at(target) }, target.lane),
    getMetadata: (target) => object({ method: "GET", path: at(target), accept: metadataOf }, target.lane),
    create: ({ resource, namespace, lane }, body) =>
      object({ method: "POST", path: pathOf(resource, namespace), body }, lane),
    mergePatch: (target, body) =>
      object({ method: "PATCH", path: at(target), body, contentType: "application/merge-patch+json" }, target.lane),
    remove: (target, { uid, propagation }) => {
      const preconditions = uid === undefined ? {} : { preconditions: { uid } }
      const body = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: propagation, ...preconditions }
      return Effect.asVoid(json({ method: "DELETE", path: at(target), body }, target.lane))
    },
    available: limiter.available,
    activity: Effect.map(limiter.waiting, (held) => ({
      calls: counts.calls(),
      waiting: held,
      unreadableLines: counts.unreadableLines()
    }))
  }
}

export const make = (options: ClientOptions): Effect.Effect<KubeClient["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const channel = yield* makeHttpChannel(options.connection)
    const limiter = yield* makeRateLimiter(options)
    return build(channel, limiter)
  })

export const layer = (options: ClientOptions): Layer.Layer<KubeClient> => Layer.scoped(KubeClient, make(options))
