/** A registry in the process of a test: blobs, manifests, tags, optional authentication and referrers, and faults on demand. */
import { createHash } from "node:crypto"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { bodyOf, closing } from "./loopback-server.ts"

export interface RegistryOptions {
  readonly repository: string
  /** Basic credentials `user:password`, or tokens from a realm that the registry serves itself */
  readonly auth?: { readonly scheme: "basic" | "bearer"; readonly credentials: string }
  /** answers a manifest with a subject by `OCI-Subject` */
  readonly referrers?: boolean
  /** upload addresses relative to the root instead of absolute */
  readonly relativeUploads?: boolean
  /** answers in place of the registry when it returns true */
  readonly intercept?: (
    request: http.IncomingMessage,
    response: http.ServerResponse,
    step: string,
    expireTokens: () => void
  ) => boolean
}

export interface FakeRegistry {
  readonly host: string
  readonly url: string
  readonly blobs: ReadonlyMap<string, Buffer>
  /** by tag and by digest */
  readonly manifests: ReadonlyMap<string, { readonly type: string; readonly body: Buffer }>
  /** `HEAD blob`, `POST upload`, `PUT upload`, `PUT manifest`, … in order */
  readonly steps: ReadonlyArray<string>
  /** Authorization headers as they came */
  readonly authorizations: ReadonlyArray<string | undefined>
  readonly tokens: () => number
  readonly putManifest: (reference: string, type: string, text: string) => string
}

export const digestOf = (body: Buffer | string): string => `sha256:${createHash("sha256").update(body).digest("hex")}`

const stepOf = (method: string, path: string): string => {
  if (path === "/v2/") return `${method} base`
  if (path.startsWith("/token")) return `${method} token`
  if (path.includes("/blobs/uploads/")) return `${method} upload`
  return `${method} ${path.includes("/blobs/") ? "blob" : path.includes("/manifests/") ? "manifest" : "other"}`
}

const answer = (
  response: http.ServerResponse,
  status: number,
  headers: http.OutgoingHttpHeaders = {},
  body: string | Buffer = ""
) => {
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers })
  response.end(response.req.method === "HEAD" ? undefined : body)
}
const refuse = (response: http.ServerResponse, status: number, code: string, headers: http.OutgoingHttpHeaders = {}) =>
  answer(
    response,
    status,
    { "content-type": "application/json", ...headers },
    JSON.stringify({ errors: [{ code, message: code.toLowerCase() }] })
  )

export const fakeRegistry = (options: RegistryOptions): Effect.Effect<FakeRegistry, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<{ readonly server: http.Server; readonly fake: FakeRegistry }>((resume) => {
      const blobs = new Map<string, Buffer>()
      const manifests = new Map<string, { readonly type: string; readonly body: Buffer }>()
      const steps: Array<string> = []
      const authorizations: Array<string | undefined> = []
      const valid = new Set<string>()
      let issued = 0
      let uploads = 0
      const basic =
        options.auth === undefined ? "" : `Basic ${Buffer.from(options.auth.credentials).toString("base64")}`
      const root = `/v2/${options.repository}`

      const putManifest = (reference: string, type: string, text: string | Buffer): string => {
        const body = Buffer.from(text)
        const digest = digestOf(body)
        manifests.set(reference, { type, body })
        manifests.set(digest, { type, body })
        return digest
      }

      const allowed = (request: http.IncomingMessage): boolean => {
        const given = request.headers.authorization
        if (options.auth === undefined) return true
        return options.auth.scheme === "basic" ? given === basic : given !== undefined && valid.has(given)
      }

      const token = (request: http.IncomingMessage, url: URL, response: http.ServerResponse) => {
        if (request.headers.authorization !== basic) return refuse(response, 401, "UNAUTHORIZED")
        if (
          url.searchParams.get("scope") !== `repository:${options.repository}:pull,push` ||
          url.searchParams.get("service") !== "fake"
        )
          return refuse(response, 400, "DENIED")
        const value = `token-${++issued}`
        valid.add(`Bearer ${value}`)
        answer(response, 200, { "content-type": "application/json" }, JSON.stringify({ token: value, expires_in: 300 }))
      }

      const handle = async (request: http.IncomingMessage, response: http.ServerResponse) => {
        const url = new URL(request.url ?? "", "http://fake")
        const method = request.method ?? ""
        const path = url.pathname
        const step = stepOf(method, path)
        const body = await bodyOf(request)
        steps.push(step)
        if (step.endsWith("token")) return token(request, url, response)
        authorizations.push(request.headers.authorization)
        if (options.intercept?.(request, response, step, () => valid.clear()) === true) return
        if (!allowed(request)) {
          const { port } = server.address() as AddressInfo
          const challenge =
            options.auth?.scheme === "basic"
              ? 'Basic realm="fake"'
              : `Bearer realm="http://127.0.0.1:${port}/token",service="fake",scope="repository:x:pull"`
          return refuse(response, 401, "UNAUTHORIZED", { "www-authenticate": challenge })
        }
        if (path === "/v2/") return answer(response, 200, {}, "{}")
        if (path === `${root}/blobs/uploads/` && method === "POST") {
          const { port } = server.address() as AddressInfo
          const location = `${options.relativeUploads === true ? "" : `http://${request.headers.host ?? `127.0.0.1:${port}`}`}${root}/blobs/uploads/u${++uploads}?_state=a%2Fb`
          return answer(response, 202, { location })
        }
        if (path.startsWith(`${root}/blobs/uploads/u`) && method === "PUT") {
          const digest = url.searchParams.get("digest")
          if (url.searchParams.get("_state") !== "a/b" || digest !== digestOf(body))
            return refuse(response, 400, "DIGEST_INVALID")
          blobs.set(digest, body)
          return answer(response, 201, { "docker-content-digest": digest })
        }
        if (path.startsWith(`${root}/blobs/`)) {
          const blob = blobs.get(decodeURIComponent(path.slice(`${root}/blobs/`.length)))
          return blob === undefined ? refuse(response, 404, "BLOB_UNKNOWN") : answer(response, 200, {}, blob)
        }
        if (!path.startsWith(`${root}/manifests/`)) return refuse(response, 404, "NAME_UNKNOWN")
        const reference = decodeURIComponent(path.slice(`${root}/manifests/`.length))
        if (method !== "PUT") {
          const found = manifests.get(reference)
          return found === undefined
            ? refuse(response, 404, "MANIFEST_UNKNOWN")
            : answer(
                response,
                200,
                { "content-type": found.type, "docker-content-digest": digestOf(found.body) },
                found.body
              )
        }
        const { config, layers = [], subject } = JSON.parse(body.toString())
        const missing = [config, ...layers].some(
          (part: { readonly digest: string } | undefined) => part !== undefined && !blobs.has(part.digest)
        )
        if (missing) return refuse(response, 400, "MANIFEST_BLOB_UNKNOWN")
        const digest = putManifest(reference, String(request.headers["content-type"]), body)
        answer(response, 201, {
          "docker-content-digest": digest,
          ...(options.referrers === true && subject !== undefined ? { "oci-subject": subject.digest } : {})
        })
      }

      const server = http.createServer((request, response) => {
        handle(request, response).catch(() => response.destroy())
      })
      server.listen(0, "127.0.0.1", () => {
        const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
        const fake = {
          host,
          url: `http://${host}`,
          blobs,
          manifests,
          steps,
          authorizations,
          tokens: () => issued,
          expireTokens: () => valid.clear(),
          putManifest
        }
        resume(Effect.succeed({ server, fake }))
      })
    }),
    ({ server }) => closing(server)
  ).pipe(Effect.map(({ fake }) => fake))
