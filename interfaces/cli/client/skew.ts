/** Whether a refusal comes of a server that is older or newer than this program: what it does not have, and which version has it. */
import { operations } from "../../client/operations.ts"
import type { Connection } from "./session.ts"

/** codes of a server that does not know what it was asked for */
const codes = ["route_not_found", "method_not_allowed", "query_bad_parameter", "invalid_value"]

const minorOf = (version: string): readonly [major: number, minor: number] => {
  const [, major = "0", minor = "0"] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  return [Number(major), Number(minor)]
}

/** whether the two are meant to work with each other: at most one minor version apart */
const worksWith = (client: string, server: string): boolean => {
  const [[major, minor], [itsMajor, itsMinor]] = [minorOf(client), minorOf(server)]
  return major === itsMajor && Math.abs(minor - itsMinor) <= 1
}

/** what is said of a server that is too far from this program; undefined: nothing */
export const tooFar = (client: string, server: string): string | undefined =>
  worksWith(client, server)
    ? undefined
    : `the server is ${server}, and evald ${client} is made for servers at most one minor version older or newer`

/** why the server may not know what it was asked for; undefined: it is of this version, or says nothing of itself */
export const skewOf = async (
  { client, lastAsked }: Connection,
  code: string | undefined,
  version: string
): Promise<string | undefined> => {
  if (code === undefined || !codes.includes(code)) return undefined
  const name = lastAsked()
  const about = await client.getInfo({ signal: AbortSignal.timeout(2000) }).catch(() => undefined)
  if (about?.ok !== true || about.value.version === version) return undefined
  const { version: its, features } = about.value
  const far = tooFar(version, its)
  // a server of another version may have the operation, and not yet a member or parameter of it
  const missing =
    name !== undefined && Object.hasOwn(operations, name) && !features.includes(name)
      ? `it has no ${name}, which evald ${version} has`
      : `it may not know yet, or no longer, what evald ${version} asks for`
  return `${far ?? `the server is ${its}`}: ${missing}`
}
