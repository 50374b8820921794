/**
 * An S3-compatible storage in the process of a test: ListObjectsV2 and GET, path style. Signatures are checked from the raw request by a
 * verifier of its own, so that a signer and a checker with the same mistake cannot agree.
 */
import { createHash, createHmac } from "node:crypto"
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import type { Signed } from "./certificate.ts"
import { closing } from "./loopback-server.ts"

export const s3Keys = { accessKeyId: "AKIDTEST", secretAccessKey: "s3cr3t/with+odd=characters", region: "eu-test-1" }

export interface FakeS3Options {
  readonly bucket: string
  readonly objects: ReadonlyMap<string, string | Buffer>
  readonly sessionToken?: string
  /** serves TLS with this certificate */
  readonly tls?: Signed
  /** most keys of a page */
  readonly pageSize?: number
  /** answers in place of the storage when it returns true; `at` counts all requests from 0 */
  readonly intercept?: (request: http.IncomingMessage, response: http.ServerResponse, at: number) => boolean
  /** changes a page before it is sent */
  readonly rewriteList?: (xml: string) => string
  /** answers with plain keys although encoded ones were asked for */
  readonly ignoresEncoding?: boolean
}

export interface FakeS3 {
  readonly url: string
  /** method, decoded path and query of every request */
  readonly requests: ReadonlyArray<string>
  readonly gets: () => ReadonlyArray<string>
  readonly mostAtOnce: () => number
  readonly put: (key: string, content: string | Buffer) => void
  readonly remove: (key: string) => void
}

const etagOf = (content: string | Buffer): string => `"${createHash("md5").update(content).digest("hex")}"`

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const mac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text, "utf8").digest()

export const errorXml = (code: string, message = "no") =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`

/** the error code of a wrong signature; undefined when all is right */
const problemOf = (request: http.IncomingMessage, sessionToken: string | undefined): string | undefined => {
  const header = request.headers.authorization
  if (header === undefined) return "AccessDenied"
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      header
    )
  if (parts === null) return "AuthorizationHeaderMalformed"
  const [, id, day = "", region = "", signed = "", signature] = parts
  if (id !== s3Keys.accessKeyId) return "InvalidAccessKeyId"
  if (region !== s3Keys.region) return "AuthorizationHeaderMalformed"
  const names = signed.split(";")
  const mustBeSigned = Object.keys(request.headers).filter(
    (name) => name === "host" || name === "if-match" || name.startsWith("x-amz-")
  )
  if (mustBeSigned.some((name) => !names.includes(name)) || [...names].sort().join(";") !== signed)
    return "AccessDenied"
  const time = String(request.headers["x-amz-date"])
  if (!time.startsWith(day)) return "AccessDenied"
  if (request.headers["x-amz-security-token"] !== sessionToken) return "InvalidToken"
  const [path = "", query = ""] = (request.url ?? "").split("?")
  const inOrder = query
    .split("&")
    .filter((part) => part !== "")
    .sort()
    .join("&")
  const canonical = [
    request.method,
    path,
    inOrder,
    ...names.map((name) => `${name}:${String(request.headers[name]).trim().replace(/ +/g, " ")}`),
    "",
    signed,
    String(request.headers["x-amz-content-sha256"])
  ].join("\n")
  const scope = `${day}/${region}/s3/aws4_request`
  let key = mac(`AWS4${s3Keys.secretAccessKey}`, day)
  for (const part of [region, "s3", "aws4_request"]) key = mac(key, part)
  return mac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString("hex") === signature
    ? undefined
    : "SignatureDoesNotMatch"
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
const urlEncoded = (text: string) => encodeURIComponent(text).replaceAll("%20", "+").replaceAll("%2F", "/")

const answer = (
  response: http.ServerResponse,
  status: number,
  body: string | Buffer,
  headers: http.OutgoingHttpHeaders = {}
) => {
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers })
  response.end(body)
}

export const fakeS3 = (options: FakeS3Options): Effect.Effect<FakeS3, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<{ readonly server: http.Server; readonly fake: FakeS3 }>((resume) => {
      const objects = new Map(options.objects)
      let sorted: ReadonlyArray<string> | undefined
      const requests: Array<string> = []
      let open = 0
      let most = 0

      const list = (query: URLSearchParams, response: http.ServerResponse) => {
        const prefix = query.get("prefix") ?? ""
        sorted ??= [...objects.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        const keys = prefix === "" ? sorted : sorted.filter((key) => key.startsWith(prefix))
        const from = Number(query.get("continuation-token")?.slice("next:".length) ?? 0)
        const size = Math.min(Number(query.get("max-keys") ?? 1000), options.pageSize ?? 1000)
        const page = keys.slice(from, from + size)
        const encode = query.get("encoding-type") === "url" && options.ignoresEncoding !== true
        const more = from + size < keys.length
        const xml = [
          '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
          `<Name>${options.bucket}</Name><Prefix>${escaped(prefix)}</Prefix><KeyCount>${page.length}</KeyCount>`,
          `<IsTruncated>${more}</IsTruncated>${encode ? "<EncodingType>url</EncodingType>" : ""}`,
          more ? `<NextContinuationToken>next:${from + size}</NextContinuationToken>` : "",
          ...page.map((key) => {
            const content = objects.get(key) ?? ""
            const name = encode ? urlEncoded(key) : escaped(key)
            return `<Contents><Key>${name}</Key><ETag>${escaped(etagOf(content))}</ETag><Size>${Buffer.byteLength(content)}</Size></Contents>`
          }),
          "</ListBucketResult>"
        ].join("")
        answer(response, 200, options.rewriteList?.(xml) ?? xml, { "content-type": "application/xml" })
      }

      const respond = (request: http.IncomingMessage, response: http.ServerResponse) => {
        const at = requests.length
        const url = new URL(request.url ?? "", "http://fake")
        requests.push(`${request.method} ${decodeURIComponent(url.pathname)}${url.search}`)
        open++
        most = Math.max(most, open)
        response.on("close", () => open--)
        request.resume()
        if (options.intercept?.(request, response, at) === true) return
        const problem = problemOf(request, options.sessionToken)
        if (problem !== undefined)
          return answer(response, problem === "AuthorizationHeaderMalformed" ? 400 : 403, errorXml(problem))
        const [, bucket, ...rest] = url.pathname.split("/")
        if (bucket !== options.bucket) return answer(response, 404, errorXml("NoSuchBucket"))
        if (rest.length === 0) return list(url.searchParams, response)
        const content = objects.get(decodeURIComponent(rest.join("/")))
        if (content === undefined) return answer(response, 404, errorXml("NoSuchKey"))
        const wanted = request.headers["if-match"]
        if (wanted !== undefined && wanted !== etagOf(content))
          return answer(response, 412, errorXml("PreconditionFailed"))
        answer(response, 200, content, { etag: etagOf(content) })
      }
      const { tls } = options
      const server =
        tls === undefined
          ? http.createServer(respond)
          : https.createServer({ cert: tls.certificate, key: tls.key }, respond)
      server.listen(0, "127.0.0.1", () => {
        const fake: FakeS3 = {
          url: `http${tls === undefined ? "" : "s"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
          requests,
          gets: () =>
            requests
              .filter((request) => !request.includes("list-type="))
              .map((request) => request.slice(`GET /${options.bucket}/`.length)),
          mostAtOnce: () => most,
          put: (key, content) => {
            objects.set(key, content)
            sorted = undefined
          },
          remove: (key) => {
            objects.delete(key)
            sorted = undefined
          }
        }
        resume(Effect.succeed({ server, fake }))
      })
    }),
    ({ server }) => closing(server)
  ).pipe(Effect.map(({ fake }) => fake))
