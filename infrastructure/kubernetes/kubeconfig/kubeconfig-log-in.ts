/** Logging in as the user of a kubeconfig: certificates, tokens, log-in programs and auth providers by the library, impersonation beside it. */
import type { OutgoingHttpHeaders } from "node:http"
import type { RequestOptions } from "node:https"
import { KubeConfig } from "@kubernetes/client-node"
import { Redacted } from "effect"
import { defined } from "../../../values/defined.ts"
import { isObject, type JsonObject } from "../../../values/json.ts"
import type { Access, KubeTls } from "../client/connection.ts"
import { cleanMessage } from "../client/kube-error.ts"
import { headerText, impersonationHeaders } from "./impersonation.ts"
import { type ChosenContext, type Entry, isEmpty, textOf, unusable } from "./kubeconfig-files.ts"
import { type LogInProgram, logInProgram } from "./log-in-program.ts"

/** `now` and `until` in milliseconds since the epoch: then ask again; with `refused` what is in force is not good any more */
export type LogIn = (refused: boolean, now: number) => Promise<{ readonly access: Access; readonly until: number }>

/** what the library does not tell the age of is asked for again after this time */
const providerMillis = 60_000

/** of a file and its content the content counts, as for kubectl; the library would take the file */
const either = (object: JsonObject, name: string): JsonObject => {
  const data = textOf(object, `${name}-data`)
  return data === undefined ? { [name]: object[name] } : { [`${name}-data`]: data }
}

const clusterFor = ({ cluster: { value }, server }: ChosenContext): JsonObject => ({
  server,
  ...either(value, "certificate-authority"),
  "tls-server-name": textOf(value, "tls-server-name"),
  // over plain http there is nothing to verify, and the library insists that this is said
  "insecure-skip-tls-verify": value["insecure-skip-tls-verify"] === true || server.startsWith("http:")
})

/** without what the library would take for something that kubectl does not */
const userFor = ({ value }: Entry, program: LogInProgram | undefined): JsonObject => ({
  ...either(value, "client-certificate"),
  ...either(value, "client-key"),
  "auth-provider": value["auth-provider"],
  // the token of a file is read by us, again and again
  token: textOf(value, "tokenFile") === undefined ? textOf(value, "token") : undefined,
  username: textOf(value, "username"),
  password: textOf(value, "password") ?? "",
  as: textOf(value, "as"),
  exec: program?.exec
})

const knownProviders = ["oidc", "gcp", "azure"]

/** an unknown provider would be passed over in silence, and the request made as nobody */
const checkProvider = ({ file, name, value }: Entry): void => {
  const provider = value["auth-provider"]
  if (isEmpty(provider)) return
  const providerName = isObject(provider) ? textOf(provider, "name") : undefined
  if (providerName === undefined || !knownProviders.includes(providerName))
    throw unusable(
      `${file}: 'auth-provider' of user '${name}' is '${providerName ?? ""}', and only ${knownProviders.join(", ")} are known`
    )
}

const libraryConfig = (chosen: ChosenContext, program: LogInProgram | undefined): KubeConfig => {
  const config = new KubeConfig()
  const name = "chosen"
  const document = {
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: clusterFor(chosen) }],
    users: [{ name, user: chosen.user === undefined ? {} : userFor(chosen.user, program) }]
  }
  config.loadFromString(JSON.stringify(document))
  program?.attach(config)
  return config
}

const pem = (value: RequestOptions["ca"]): string | undefined =>
  typeof value === "string" || Buffer.isBuffer(value) ? value.toString("utf8") : undefined

const tlsOf = (options: RequestOptions): KubeTls => {
  const [ca, cert, key] = [pem(options.ca), pem(options.cert), pem(options.key as RequestOptions["ca"])]
  return {
    ...defined({ ca, cert, key, serverName: options.servername }),
    ...(options.rejectUnauthorized === false ? { skipVerify: true } : {})
  }
}

const headersOf = ({ headers, auth }: RequestOptions): OutgoingHttpHeaders => {
  const given = Object.entries({ ...headers } as OutgoingHttpHeaders).map(
    ([name, value]) => [name.toLowerCase(), value] as const
  )
  const texts = given.map(([name, value]) => [name, typeof value === "string" ? headerText(value) : value] as const)
  return {
    ...Object.fromEntries(texts),
    ...(typeof auth === "string" ? { authorization: `Basic ${Buffer.from(auth, "utf8").toString("base64")}` } : {})
  }
}

/** fails when the user can not be one; asks nobody yet */
export const logInOf = (chosen: ChosenContext): LogIn => {
  const { user } = chosen
  if (user !== undefined) checkProvider(user)
  const impersonation = user === undefined ? {} : impersonationHeaders(user)
  const program = user === undefined ? undefined : logInProgram(user, chosen)
  const hasProvider = user !== undefined && !isEmpty(user.value["auth-provider"])
  let config = libraryConfig(chosen, program)
  return async (refused, now) => {
    // the library keeps what a program answered until it expires, also when it is refused
    if (refused && program !== undefined) config = libraryConfig(chosen, program)
    const options: RequestOptions = {}
    try {
      await config.applyToHTTPSOptions(options)
    } catch (error) {
      const reason = error instanceof Error ? cleanMessage(error.message) : "unknown reason"
      throw (
        program?.problem(error) ??
        unusable(`${user?.file ?? chosen.cluster.file}: logging in as user '${user?.name ?? ""}' failed: ${reason}`)
      )
    }
    const [tls, headers] = [tlsOf(options), headersOf(options)]
    // nothing came of the log-in: without this the request would be made as nobody
    if ((program !== undefined || hasProvider) && headers["authorization"] === undefined && tls.cert === undefined)
      throw unusable(
        `${user?.file ?? ""}: logging in as user '${user?.name ?? ""}' gave neither a token nor a certificate`
      )
    const until =
      program === undefined ? (hasProvider ? now + providerMillis : Number.POSITIVE_INFINITY) : program.expires()
    return { access: { tls, headers: Redacted.make({ ...headers, ...impersonation }) }, until }
  }
}
