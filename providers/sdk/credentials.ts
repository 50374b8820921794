/**
 * Keys that the runtime mounts for an adapter. Where a gateway stands before the model the file holds `<key>:ref`, which is sent as it is.
 * Files are read on each call, because secrets rotate. Reference: adapter-contract.md, "Credential helpers"; providers-and-collections.md, "Framework wrappers".
 */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Redacted } from "effect"

const maxBytes = 1024 * 1024

const directory = (): string => process.env["EVALD_MODEL_AUTH_DIR"] || "/var/run/secrets/model"

const attempt = <A>(read: () => A): Option.Option<A> => Option.liftThrowable(read)()

const readSmallFile = (path: string): Buffer | undefined => {
  const file = openSync(path, "r")
  try {
    const { size } = fstatSync(file)
    return size > maxBytes ? undefined : readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Text of one key, trimmed. None when the name is blank or contains `/`, `\`, NUL or `..`, and when the file is missing, unreadable,
 * over 1 MiB, not UTF-8, or blank.
 */
export const readModelAuthKey = (name: string): Effect.Effect<Option.Option<Redacted.Redacted>> =>
  Effect.sync(() => {
    const key = name.trim()
    if (key === "" || /[/\\\0]|\.\./.test(key)) return Option.none()
    return attempt(() => readSmallFile(join(directory(), key))).pipe(
      Option.flatMap(Option.fromNullable),
      Option.flatMap((bytes) => attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim())),
      Option.filter((text) => text !== ""),
      Option.map((text) => Redacted.make(text))
    )
  })

/** `apiKey` is the value of the key `api-key` */
export const resolveModelCredentials: Effect.Effect<{ readonly apiKey: Option.Option<Redacted.Redacted> }> = Effect.map(
  readModelAuthKey("api-key"),
  (apiKey) => ({ apiKey })
)

const listKeys = Effect.sync(() =>
  Option.getOrElse(
    attempt(() => readdirSync(directory())),
    () => []
  )
)

/** the key named by `authKey`, else `api-key`, else the only `*_api-key` or `*_sa_token` there is */
export const selectModelKey = (authKey?: string): Effect.Effect<Option.Option<Redacted.Redacted>> =>
  Effect.gen(function* () {
    if (authKey !== undefined) return yield* readModelAuthKey(authKey)
    const { apiKey } = yield* resolveModelCredentials
    if (Option.isSome(apiKey)) return apiKey
    const [only, ...others] = (yield* listKeys).filter((name) => /.(_api-key|_sa_token)$/.test(name))
    return only === undefined || others.length > 0 ? Option.none() : yield* readModelAuthKey(only)
  })
