/**
 * The token that a context of the kubeconfig has, for a server that takes tokens alone: written there, in a file, or got by the user's log-in.
 * It leads to the library: import it when a kubeconfig is used, and not before. Reference: cluster-objects.md, "Finding the cluster".
 */
import { readFileSync } from "node:fs"
import { Redacted } from "effect"
import { chooseContext, isEmpty, kubeconfigFiles, textOf, unusable } from "./kubeconfig-files.ts"
import { logInOf } from "./kubeconfig-log-in.ts"

const impersonation = ["as", "as-uid", "as-groups", "as-user-extra"]

/** without white space around it; fails, in a sentence without secrets, when the context gives none: certificates and passwords are none */
export const contextToken = async (
  name: string,
  environment: Readonly<Record<string, string | undefined>>
): Promise<string> => {
  const files = kubeconfigFiles(environment)
  if (files.length === 0)
    throw unusable("there is no kubeconfig: KUBECONFIG names no file, and ~/.kube/config does not exist")
  const chosen = chooseContext(files, name)
  const { user } = chosen
  if (user === undefined) throw unusable(`${chosen.context.file}: the context names no user`)
  // the token alone would be the word of somebody else
  const as = impersonation.find((member) => !isEmpty(user.value[member]))
  if (as !== undefined)
    throw unusable(`${user.file}: user '${user.name}' asks as somebody else ('${as}'), which only a cluster takes`)
  const file = textOf(user.value, "tokenFile")
  if (file !== undefined) return readFileSync(file, "utf8").trim()
  // a certificate is of no use here, and need not be readable
  const { access } = await logInOf(chosen)(false, 0)
  const { authorization } = Redacted.value(access.headers)
  const [, token] = typeof authorization === "string" ? (/^Bearer (.+)$/.exec(authorization) ?? []) : []
  if (token === undefined)
    throw unusable(
      `${user.file}: user '${user.name}' has neither a token, a token file nor a program that prints one; a server takes no client certificate`
    )
  return token
}
