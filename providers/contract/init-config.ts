/**
 * init.json: written by the server into the configuration map of a pod, read by its init container. Strict on both sides: an unknown or
 * missing member stops the start. Holds no secret. Reference: gateway.md, "Test data".
 */
import { Either, ParseResult, Schema } from "effect"

const Text = Schema.String.pipe(Schema.minLength(1))
const Count = Schema.Number.pipe(Schema.int(), Schema.greaterThanOrEqualTo(1))
const Texts = Schema.Array(Schema.String)
const optionalText = Schema.optionalWith(Text, { exact: true })
const optionalTexts = Schema.optionalWith(Texts, { exact: true })

export const InitConfig = Schema.Struct({
  version: Schema.Literal(1),
  s3: Schema.Struct({
    bucket: Text,
    /** "" is the whole bucket */
    key: Schema.String
  }),
  /** the mounted secret: one file per key */
  secret_dir: Text,
  /** where the objects go */
  target: Text,
  max_bytes: Count,
  max_objects: Count,
  parallel: Count.pipe(Schema.lessThanOrEqualTo(64)),
  timeout_seconds: Count,
  egress: Schema.Struct({
    deny_cidrs: Texts,
    allow_cidrs: Texts,
    allow_hosts: Texts,
    require_tls_for_credentials: Schema.Boolean,
    trust_proxy: Schema.optionalWith(Schema.Boolean, { exact: true })
  }),
  /** addresses without credentials; hosts as in `NO_PROXY`; `secret_dir`: keys `credentials` and `ca.crt` */
  proxy: Schema.optionalWith(
    Schema.Struct({
      http: optionalText,
      https: optionalText,
      exempt: optionalTexts,
      named: optionalTexts,
      secret_dir: optionalText
    }),
    {
      exact: true
    }
  )
})
export type InitConfig = typeof InitConfig.Type

const decode = Schema.decodeUnknownEither(InitConfig, { errors: "all", onExcessProperty: "error" })

/** all problems at once, each beginning with the path of the member */
export const readInitConfig = (value: unknown): Either.Either<InitConfig, ReadonlyArray<string>> =>
  Either.mapLeft(decode(value), (error) =>
    ParseResult.ArrayFormatter.formatErrorSync(error).map(
      ({ path, message }) => `${path.length === 0 ? "the document" : path.map(String).join(".")}: ${message}`
    )
  )
