/**
 * Requests that carry results away (registry, tracker): tried again while another try may help, with the reason at hand when none did.
 * Messages never hold an address, because the gateway's holds a secret. Reference: adapter-contract.md, "Delivery", "Artifacts", "Tracking".
 */
import { Data, Duration, Effect } from "effect"
import { listMember, parseJson, textMember } from "../../../values/json.ts"
import type { HttpClient, Reply } from "./http-exchange.ts"
import { delayBeforeRetry, isRetryableStatus } from "./retry.ts"

export class ExportFailed extends Data.TaggedError("ExportFailed")<{ readonly message: string }> {}

type Exchange = Parameters<HttpClient["send"]>[0]

export interface Wanted extends Omit<Exchange, "idleMs" | "stream"> {
  /** in words, for messages: `the upload of result.json` */
  readonly what: string
  /** answers that are no failure besides 2xx */
  readonly accept?: ReadonlyArray<number>
}

export interface Persistence {
  /** what is on the other side, for messages: `the registry`, `the tracker` */
  readonly peer: string
  readonly tryTimeout: Duration.Duration
  /** of all requests together */
  readonly limit: Duration.Duration
}

export interface PersistentClient {
  readonly ask: (wanted: Wanted) => Effect.Effect<Reply, ExportFailed>
  /** fails when the limit passes, with the last trouble in the message */
  readonly within: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ExportFailed, R>
}

const maxGatewayTries = 5
/** answers of the gateway itself that stay as they are until somebody changes a setting or a secret */
const lasting = /^(credential_|route_not_found$|upstream_blocked$|upstream_invalid$|upstream_tls_failed$|forbidden$)/

/** code and text of an error body, whichever of the usual shapes it has; never a page of HTML */
const reasonIn = (reply: Reply): string => {
  const body = parseJson(reply.text)
  const [first] = listMember(body, "errors")
  const code = textMember(first, "code") ?? textMember(body, "error_code") ?? textMember(body, "message_code")
  // a tracker's own text may hold its database statements
  const text =
    textMember(first, "message") ??
    (textMember(body, "message_code") === undefined ? undefined : textMember(body, "message"))
  return [code, text]
    .filter((part) => part !== undefined)
    .join(": ")
    .slice(0, 300)
}

const describe = (peer: string, what: string, reply: Reply): string => {
  const reason = reasonIn(reply)
  const hint = reply.status === 401 || reply.status === 403 ? "; check the credentials" : ""
  return `${peer} answered ${reply.status}${reason === "" ? "" : ` (${reason})`} to ${what}${hint}`
}

const mayChange = (reply: Reply, tries: number): boolean => {
  if (!isRetryableStatus(reply.status)) return false
  if (reply.headers["x-evald-sidecar"] !== "error") return true
  const code = textMember(parseJson(reply.text), "message_code") ?? ""
  return !lasting.test(code) && (code !== "registry_unavailable" || tries < maxGatewayTries)
}

export const makePersistentClient = (http: HttpClient, { peer, tryTimeout, limit }: Persistence): PersistentClient => {
  let last = ""
  const attempt = ({ what: _, accept: __, ...exchange }: Wanted) =>
    http.send({ ...exchange, idleMs: Duration.toMillis(tryTimeout) }).pipe(
      Effect.timeoutFail({
        duration: tryTimeout,
        onTimeout: () => new Error(`no answer within ${Duration.toSeconds(tryTimeout)} s`)
      }),
      Effect.either
    )
  const ask = (wanted: Wanted): Effect.Effect<Reply, ExportFailed> =>
    Effect.gen(function* () {
      for (let tries = 1; ; tries++) {
        const tried = yield* attempt(wanted)
        if (tried._tag === "Right") {
          const { status } = tried.right
          if ((status >= 200 && status < 300) || wanted.accept?.includes(status) === true) return tried.right
          last = describe(peer, wanted.what, tried.right)
          if (!mayChange(tried.right, tries)) return yield* new ExportFailed({ message: last })
        } else last = `${peer} cannot be reached for ${wanted.what}: ${tried.left.message}`
        yield* Effect.sleep(
          yield* delayBeforeRetry(tries - 1, tried._tag === "Right" ? tried.right.headers["retry-after"] : undefined)
        )
      }
    })
  return {
    ask,
    within: (work) =>
      Effect.timeoutFail(work, {
        duration: limit,
        onTimeout: () =>
          new ExportFailed({
            message: `${last === "" ? `${peer} took too long` : last}; given up after ${Math.round(Duration.toSeconds(limit))} s`
          })
      })
  }
}
