/**
 * A Kubernetes API in this process, over real HTTP: what evald uses of it, with knobs for everything that goes wrong. It knows no
 * permissions and no admission; those belong to the real control plane of the cluster tests.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect, Layer } from "effect"
import * as Client from "../../../infrastructure/kubernetes/client/client.ts"
import { fixedAccess, type KubeConnection } from "../../../infrastructure/kubernetes/client/connection.ts"
import { isKubeObject, type KubeObject } from "../../../infrastructure/kubernetes/client/resources.ts"
import { isObject } from "../../../values/json.ts"
import { listening } from "../loopback-server.ts"
import { applied, rewritten } from "./apply.ts"
import { type FakeRequest, type Faults, makeFaults, type Verb } from "./faults.ts"
import { kindOf, type PodStatus, podOfJob, podStatus, runJobs } from "./job-controller.ts"
import { apiVersionOf, type Kind, reviewKinds, standardKinds } from "./kinds.ts"
import { type ListPage, makePages, metadataOnly, selected } from "./pages.ts"
import {
  badRequest,
  conflict,
  invalid,
  notAllowed,
  notFound,
  Refusal,
  type Refused,
  statusObject,
  unknownPath,
  unsupportedMedia
} from "./status.ts"
import { type FakeStore, makeStore, merged } from "./store.ts"
import { admitted, checkReview, writable } from "./validation.ts"
import { makeWatches, type Watches } from "./watches.ts"

export interface FakeKubernetes {
  readonly url: string
  readonly connection: KubeConnection
  readonly store: FakeStore
  /** the time as objects carry it */
  readonly now: () => string
  readonly faults: Faults
  readonly watches: Watches
  /** requests that have no answer yet, watches and those that hang left out */
  readonly pending: () => number
  /** every request so far, in the order of arrival */
  readonly requests: ReadonlyArray<FakeRequest>
  /** kinds that are served; a test may take one away or add one */
  readonly kinds: Array<Kind>
  /** answers of the two reviews, from the `spec` of the question */
  readonly reviews: { token: (spec: unknown) => unknown; access: (spec: unknown) => unknown }
  /** text of `<namespace>/<pod>/<container>` */
  readonly podLogs: Map<string, string>
  /** bearer tokens that are let in; undefined: any, and none */
  readonly accept: { tokens: ReadonlyArray<string> | undefined }
  readonly addNamespace: (name: string, labels?: { readonly [name: string]: string }) => void
  readonly addSecret: (
    namespace: string,
    name: string,
    data: { readonly [key: string]: string },
    metadata?: Partial<KubeObject["metadata"]>
  ) => void
  /** objects of a kind, in the order of creation */
  readonly objects: (plural: string, namespace?: string) => ReadonlyArray<KubeObject>
  /** pods of new Jobs are refused in these words, until there are none */
  readonly refusePods: (message: string | undefined) => void
  /** as the kubelet would: merges into the pod of the Job */
  readonly setPodStatus: (namespace: string, job: string, status: PodStatus) => void
  readonly setJobStatus: (namespace: string, job: string, status: { readonly [member: string]: unknown }) => void
}

interface Route extends FakeRequest {
  readonly kind: Kind | undefined
  readonly review: Kind | undefined
  readonly subresource: string | undefined
  readonly partial: boolean
  readonly contentType: string
}

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString("utf8")
  return text === "" ? undefined : JSON.parse(text)
}

const pathPattern =
  /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+)(?=\/[^/]))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/
const namespacePattern = /^\/api\/v1\/namespaces(?:\/([^/]+))?$/

const verbOf = (
  method: string,
  name: string | undefined,
  query: URLSearchParams,
  subresource: string | undefined
): Verb => {
  if (subresource === "log") return "log"
  if (method === "GET")
    return name !== undefined ? "get" : query.get("watch") === "true" || query.get("watch") === "1" ? "watch" : "list"
  return ({ POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" }[method] as Verb | undefined) ?? "other"
}

const routeOf = (request: IncomingMessage, body: unknown, kinds: ReadonlyArray<Kind>): Route => {
  const url = new URL(request.url ?? "/", "http://fake")
  const method = request.method ?? "GET"
  const namespaceMatch = namespacePattern.exec(url.pathname)
  const [, group = "", version = "v1", namespace, plural = "", name, subresource] =
    namespaceMatch === null
      ? (pathPattern.exec(url.pathname) ?? [])
      : ["", "", "v1", undefined, "namespaces", namespaceMatch[1]]
  const served = (list: ReadonlyArray<Kind>) =>
    list.find((kind) => kind.group === group && kind.plural === plural && kind.version === version)
  const isName = name === undefined ? undefined : decodeURIComponent(name)
  const inBody = isObject(body) && isKubeObject(body) ? body.metadata.name : undefined
  const query = url.searchParams
  const verb = verbOf(method, isName, query, subresource)
  return {
    verb,
    method,
    path: url.pathname,
    query,
    plural,
    namespace: namespace === undefined ? undefined : decodeURIComponent(namespace),
    name: isName ?? (verb === "create" ? inBody : undefined),
    token: /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1],
    headers: request.headers,
    body,
    kind: served(kinds),
    review: served(reviewKinds),
    subresource,
    contentType: request.headers["content-type"] ?? "",
    partial: /as=PartialObjectMetadata/.test(request.headers.accept ?? "")
  }
}

const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  if (response.destroyed) return
  if (status === 204) return void response.writeHead(204).end()
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}
const refuse = (response: ServerResponse, refused: Refused) => {
  if (refused.text !== undefined)
    return void response.writeHead(refused.status, { "content-type": "text/plain; charset=utf-8" }).end(refused.text)
  send(
    response,
    refused.status,
    statusObject(refused),
    refused.retryAfterSeconds === undefined ? {} : { "retry-after": String(refused.retryAfterSeconds) }
  )
}

const policies: ReadonlyArray<unknown> = [undefined, "Foreground", "Background", "Orphan"]
const deletionOf = (body: unknown) => {
  const options = isObject(body) ? body : {}
  const preconditions = isObject(options["preconditions"]) ? options["preconditions"] : {}
  const { uid, resourceVersion, propagation } = {
    uid: preconditions["uid"],
    resourceVersion: preconditions["resourceVersion"],
    propagation: options["propagationPolicy"]
  }
  if (!policies.includes(propagation))
    throw invalid(
      { kind: "DeleteOptions", group: "meta.k8s.io" },
      "",
      "propagationPolicy",
      "FieldValueNotSupported",
      `Unsupported value: "${propagation}"`
    )
  return {
    ...(typeof uid === "string" ? { uid } : {}),
    ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
    ...(typeof propagation === "string" ? { propagation } : {})
  }
}

/** what a kubelet would say: nothing yet before a node has the pod, nothing of a container that has not started */
const podLog = (fake: FakeKubernetes, pod: KubeObject, query: URLSearchParams): Answer => {
  const container = query.get("container") ?? ""
  const { namespace, name } = pod.metadata
  const text = fake.podLogs.get(`${namespace}/${name}/${container}`)
  if (text !== undefined) return { text: logText(text, query) }
  const spec = isObject(pod["spec"]) ? pod["spec"] : {}
  const known = [spec["containers"], spec["initContainers"]].flatMap((list) => (Array.isArray(list) ? list : []))
  if (!known.some((one: unknown) => isObject(one) && one["name"] === container))
    throw badRequest(`container ${container} is not valid for pod ${name}`)
  const status = isObject(pod["status"]) ? pod["status"] : {}
  if (spec["nodeName"] === undefined && status["containerStatuses"] === undefined)
    return { status: 204, body: undefined }
  throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ContainerCreating`)
}

/** the tail of a log as the query asks for it */
const logText = (text: string, query: URLSearchParams): string => {
  const lines = text.split("\n")
  const tail = query.get("tailLines")
  const ends = text.endsWith("\n") ? 1 : 0
  const kept = tail === null ? lines : lines.slice(Math.max(0, lines.length - ends - Number(tail)))
  const limit = query.get("limitBytes")
  const all = kept.join("\n")
  return limit === null ? all : Buffer.from(all).subarray(0, Number(limit)).toString("utf8")
}

type Answer = { readonly status: number; readonly body: unknown } | { readonly text: string } | { readonly watch: true }

const writerOf = ({ now }: FakeKubernetes, { query, subresource }: Route) => ({
  manager: query.get("fieldManager") ?? "unknown",
  subresource,
  now: now()
})

/** server-side apply: makes what is not there, else takes over what the caller wants to own */
const apply = (fake: FakeKubernetes, route: Route, kind: Kind): Answer => {
  const { namespace, name = "", body, query, subresource } = route
  const { store } = fake
  if (query.get("fieldManager") === null)
    throw invalid(
      { kind: "PatchOptions", group: "meta.k8s.io" },
      "",
      "fieldManager",
      "FieldValueRequired",
      "Required value: is required for apply patch"
    )
  if (!isKubeObject(body)) throw badRequest("the body is no object with a name")
  if (body.apiVersion === undefined || body.kind === undefined)
    throw badRequest("invalid object type: apiVersion and kind have to be set")
  if (body.metadata.managedFields !== undefined) throw badRequest("metadata.managedFields must be nil")
  const as = { ...writerOf(fake, route), force: query.get("force") === "true" }
  const current = store.all(kind, namespace).find(({ metadata }) => metadata.name === name)
  const { uid, resourceVersion } = body.metadata
  if (current === undefined) {
    if (subresource !== undefined) throw notFound(kind, name)
    if (uid !== undefined)
      throw conflict(
        kind,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
      )
    const made = applied(kind, undefined, admitted(kind, namespace, body) as KubeObject, as)
    return { status: 201, body: store.create(kind, namespace, made) }
  }
  if (uid !== undefined && uid !== current.metadata.uid)
    throw conflict(
      kind,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`
    )
  return {
    status: 200,
    body: store.update(kind, namespace, name, (object) => {
      const after = applied(kind, object, body, as)
      const { resourceVersion: _, ...kept } = after.metadata
      return { ...after, metadata: { ...kept, ...(resourceVersion === undefined ? {} : { resourceVersion }) } }
    })
  }
}

const act = (fake: FakeKubernetes & { readonly listPage: ListPage }, route: Route): Answer => {
  const { kind, verb, namespace, name = "", body, query, partial, subresource } = route
  const { store } = fake
  if (route.path === "/version") return { status: 200, body: { major: "1", minor: "34", gitVersion: "v1.34.0" } }
  if (route.path === "/readyz" || route.path === "/livez") return { text: "ok" }
  const groupName = /^\/apis\/([^/]+)$/.exec(route.path)?.[1]
  if (groupName !== undefined) {
    const versions = fake.kinds
      .filter(({ group }) => group === groupName)
      .map((served) => ({ groupVersion: apiVersionOf(served), version: served.version }))
    if (versions.length === 0) throw unknownPath
    return {
      status: 200,
      body: { kind: "APIGroup", apiVersion: "v1", name: groupName, versions, preferredVersion: versions[0] }
    }
  }
  if (route.review !== undefined && verb === "create") {
    const spec = isObject(body) ? body["spec"] : undefined
    checkReview(route.review, spec)
    const answer = route.review.kind === "TokenReview" ? fake.reviews.token(spec) : fake.reviews.access(spec)
    return {
      status: 201,
      body: { kind: route.review.kind, apiVersion: apiVersionOf(route.review), metadata: {}, spec, status: answer }
    }
  }
  const group = /^\/apis\/([^/]+)\//.exec(route.path)?.[1]
  if (kind === undefined && group !== undefined && !fake.kinds.some((served) => served.group === group))
    throw unknownPath
  if (kind === undefined)
    throw new Refusal({ status: 404, reason: "NotFound", message: "the server could not find the requested resource" })
  const shaped = (object: KubeObject) => (partial ? metadataOnly(object) : object)
  switch (verb) {
    case "log": {
      return podLog(fake, store.get(kind, namespace, name), query)
    }
    case "get":
      return { status: 200, body: shaped(store.get(kind, namespace, name)) }
    case "list":
      return { status: 200, body: fake.listPage(kind, namespace, query, partial) }
    case "watch":
      return { watch: true }
    case "create":
      if (route.method === "POST" && route.path.endsWith(`/${kind.plural}/${name}`)) throw notAllowed
      return { status: 201, body: store.create(kind, namespace, admitted(kind, namespace, body)) }
    case "update":
      if (!isKubeObject(body)) throw badRequest("the body is no object with a name")
      return {
        status: 200,
        body: store.update(kind, namespace, name, (object) =>
          rewritten(kind, object, writable(kind, object, body, subresource), writerOf(fake, route))
        )
      }
    case "patch": {
      if (route.contentType.startsWith("application/apply-patch+yaml")) return apply(fake, route, kind)
      if (!route.contentType.startsWith("application/merge-patch+json")) throw unsupportedMedia
      const patched = (object: KubeObject) => {
        const { resourceVersion: _, ...metadata } = object.metadata
        return merged({ ...object, metadata }, body) as KubeObject
      }
      return {
        status: 200,
        body: store.update(kind, namespace, name, (object) =>
          rewritten(kind, object, writable(kind, object, patched(object), subresource), writerOf(fake, route))
        )
      }
    }
    case "delete": {
      const last = store.remove(kind, namespace, name, deletionOf(body))
      if (last.metadata.deletionTimestamp !== undefined) return { status: 200, body: last }
      const details = {
        name,
        ...(kind.group === "" ? {} : { group: kind.group }),
        kind: kind.plural,
        uid: last.metadata.uid
      }
      return { status: 200, body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details } }
    }
    case "other":
      throw notAllowed
  }
}

const handle = async (
  fake: FakeKubernetes & { readonly seen: Array<FakeRequest>; readonly hang: () => void; readonly listPage: ListPage },
  request: IncomingMessage,
  response: ServerResponse
) => {
  const route = routeOf(request, await readBody(request), fake.kinds)
  fake.seen.push(route)
  const { tokens } = fake.accept
  if (tokens !== undefined && (route.token === undefined || !tokens.includes(route.token)))
    return refuse(response, { status: 401, reason: "Unauthorized", message: "Unauthorized" })
  await fake.faults.reached(route, "before")
  const fault = fake.faults.take(route)
  if (fault?.type === "status") return refuse(response, fault.refused)
  if (fault?.type === "hang") return fake.hang()
  if (fault?.type === "wait") await fault.until
  if (fault?.type === "drop" && fault.moment === "before") return void request.socket.destroy()
  const answer = act(fake, route)
  await fake.faults.reached(route, "after")
  if (fault?.type === "drop") return void request.socket.destroy()
  if ("watch" in answer) {
    const { kind, query, namespace, partial } = route
    if (kind === undefined) return
    return fake.watches.open(response, {
      kind,
      namespace,
      from: Number(query.get("resourceVersion") ?? "0") === 0 ? undefined : Number(query.get("resourceVersion")),
      timeoutSeconds: query.has("timeoutSeconds") ? Number(query.get("timeoutSeconds")) : undefined,
      bookmarks: query.get("allowWatchBookmarks") === "true",
      matches: selected(kind, query),
      shape: (object) => (partial ? metadataOnly(object) : object)
    })
  }
  if ("text" in answer) return void response.writeHead(200, { "content-type": "text/plain" }).end(answer.text)
  send(response, answer.status, answer.body)
}

/** a fake that listens until the scope closes; its clock is that of the test */
export const fakeKubernetes = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const now = () => `${new Date(clock.unsafeCurrentTimeMillis()).toISOString().slice(0, 19)}Z`
  const store = makeStore(now)
  let refusal: string | undefined
  runJobs(store, () => refusal)
  const seen: Array<FakeRequest> = []
  let hanging = 0
  const fake: Omit<FakeKubernetes, "url" | "connection"> & {
    seen: Array<FakeRequest>
    hang: () => void
    listPage: ListPage
    url: string
    connection: KubeConnection
  } = {
    url: "",
    hang: () => {
      hanging += 1
    },
    connection: {
      server: "",
      access: fixedAccess({}, { authorization: "Bearer test-token" }),
      namespace: "evald-system"
    },
    seen,
    requests: seen,
    pending: () => pending - hanging - fake.watches.count(),
    store,
    now,
    faults: makeFaults(),
    watches: makeWatches(store),
    kinds: [...standardKinds],
    listPage: makePages(store),
    reviews: { token: () => ({ user: {}, error: "invalid bearer token" }), access: () => ({ allowed: false }) },
    podLogs: new Map(),
    accept: { tokens: undefined },
    addNamespace: (name, labels = {}) =>
      void store.create(kindOf("namespaces"), undefined, { metadata: { name, labels }, status: { phase: "Active" } }),
    addSecret: (namespace, name, data, metadata = {}) => {
      const encoded = Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")])
      )
      store.create(kindOf("secrets"), namespace, { metadata: { ...metadata, name }, type: "Opaque", data: encoded })
    },
    objects: (plural, namespace) => store.all(kindOf(plural), namespace),
    refusePods: (message) => {
      refusal = message
    },
    setPodStatus: (namespace, job, status) => {
      const { name } = podOfJob(store, namespace, job).metadata
      store.update(kindOf("pods"), namespace, name, (pod) => ({ ...pod, status: podStatus(status) }))
    },
    setJobStatus: (namespace, job, status) =>
      void store.update(kindOf("jobs"), namespace, job, (object) => ({ ...object, status }))
  }
  let pending = 0
  const server = createServer((request, response) => {
    pending += 1
    response.once("close", () => {
      pending -= 1
    })
    handle(fake, request, response).catch((error: unknown) => {
      if (error instanceof Refusal) refuse(response, error.refused)
      else
        refuse(response, {
          status: 500,
          reason: "InternalError",
          message: error instanceof Error ? (error.stack ?? "") : "unknown"
        })
    })
  })
  const running = yield* Effect.acquireRelease(
    Effect.promise(() => listening(server)),
    ({ close }) => Effect.promise(close)
  )
  fake.url = running.url
  fake.connection = { ...fake.connection, server: running.url }
  return fake as FakeKubernetes
})

/** the fake and a client of it */
export class Fake extends Effect.Service<Fake>()("test/FakeKubernetes", { scoped: fakeKubernetes }) {}

export const layer: Layer.Layer<Fake | Client.KubeClient> = Layer.unwrapEffect(
  Effect.map(Fake, ({ connection }) => Client.layer({ connection, qps: 1000, burst: 1000 }))
).pipe(Layer.provideMerge(Fake.Default))
