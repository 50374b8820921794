/** What the user's secret says about the object storage. Reference: gateway.md, "Test data". */
import { Either, Redacted } from "effect"
import type { SigningKeys } from "./signature-v4.ts"

export interface ObjectStorage {
  readonly keys: SigningKeys
  /** origin, and the path that a gateway in front of the storage may add (without trailing slash) */
  readonly endpoint: URL
  readonly basePath: string
  /** roots to trust beside the system's, PEM */
  readonly ca: string | undefined
}

const required = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION", "AWS_S3_ENDPOINT"] as const

const readEndpoint = (text: string, requireTls: boolean): Either.Either<URL, string> =>
  Either.try({ try: () => new URL(text), catch: () => "is no URL" }).pipe(
    Either.filterOrLeft(
      ({ protocol }) => protocol === "http:" || protocol === "https:",
      () => "must begin with http:// or https://"
    ),
    Either.filterOrLeft(
      ({ username, password, search, hash }) => `${username}${password}${search}${hash}` === "",
      () => "must not hold credentials, a query or a fragment"
    ),
    Either.filterOrLeft(
      ({ protocol }) => protocol === "https:" || !requireTls,
      () => "must begin with https:// (egress.require_tls_for_credentials)"
    ),
    Either.mapLeft((problem) => `the key AWS_S3_ENDPOINT of the test data secret ${problem}`)
  )

/** left: all that is missing, or the first unusable value; never a value itself */
export const objectStorage = (
  secret: ReadonlyMap<string, Redacted.Redacted>,
  requireTls: boolean
): Either.Either<ObjectStorage, string> => {
  const text = (name: string): string => {
    const value = secret.get(name)
    return value === undefined ? "" : Redacted.value(value).trim()
  }
  const missing = required.filter((name) => text(name) === "")
  if (missing.length > 0)
    return Either.left(
      `the test data secret lacks ${missing.join(", ")}; ${missing.length === 1 ? "it is" : "they are"} required and must not be empty`
    )
  const broken = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN"].find(
    (name) => !/^[\x21-\x7e]*$/.test(text(name))
  )
  if (broken !== undefined)
    return Either.left(`the key ${broken} of the test data secret holds blanks, line breaks or non-ASCII characters`)
  const session = text("AWS_SESSION_TOKEN")
  const bundle = text("AWS_CA_BUNDLE")
  if (bundle !== "" && !/-----BEGIN (TRUSTED )?CERTIFICATE-----/.test(bundle))
    return Either.left(
      "the key AWS_CA_BUNDLE of the test data secret must hold the certificates themselves (PEM), not a path or anything else"
    )
  return Either.map(readEndpoint(text("AWS_S3_ENDPOINT"), requireTls), (endpoint) => ({
    keys: {
      accessKeyId: text("AWS_ACCESS_KEY_ID"),
      secretAccessKey: Redacted.make(text("AWS_SECRET_ACCESS_KEY")),
      region: text("AWS_DEFAULT_REGION"),
      ...(session === "" ? {} : { sessionToken: Redacted.make(session) })
    },
    endpoint,
    basePath: endpoint.pathname.replace(/\/+$/, ""),
    ca: bundle === "" ? undefined : bundle
  }))
}
