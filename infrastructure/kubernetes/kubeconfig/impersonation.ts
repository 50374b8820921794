/** As whom a kubeconfig's user asks: `as-groups`, `as-uid` and `as-user-extra` as request headers. `as` itself is sent by the library. */
import type { OutgoingHttpHeaders } from "node:http"
import { isObject } from "../../../values/json.ts"
import { type Entry, isEmpty, unusable } from "./kubeconfig-files.ts"

/** node writes header values byte by byte, the API server reads them as UTF-8 */
export const headerText = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

/** the key of an extra as part of a header's name: whatever no name may hold is percent-encoded */
const headerKey = (key: string): string => {
  const escaped = [...Buffer.from(key, "utf8")].map((byte) => {
    const character = String.fromCharCode(byte)
    return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  })
  return escaped.join("")
}

const texts = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) && value.every((item: unknown) => typeof item === "string") ? value : undefined

/** fails when a member has another form, and when there is nobody whose groups they would be */
export const impersonationHeaders = ({ file, name, value }: Entry): OutgoingHttpHeaders => {
  const wrong = (member: string, problem: string) => unusable(`${file}: '${member}' of user '${name}' ${problem}`)
  const { as, uid, groups, extra } = {
    as: value["as"],
    uid: value["as-uid"],
    groups: value["as-groups"],
    extra: value["as-user-extra"]
  }
  for (const [member, given] of [
    ["as", as],
    ["as-uid", uid]
  ] as const)
    if (!isEmpty(given) && typeof given !== "string") throw wrong(member, "is no text")
  const others = [uid, groups, extra].map((given, position) => ({
    given,
    member: ["as-uid", "as-groups", "as-user-extra"][position] ?? ""
  }))
  const alone = isEmpty(as) ? others.find(({ given }) => !isEmpty(given)) : undefined
  if (alone !== undefined) throw wrong(alone.member, "needs 'as': there is nobody whom it could be said of")
  const named = isEmpty(groups) ? [] : texts(groups)
  if (named === undefined) throw wrong("as-groups", "is no list of texts")
  const entries = isEmpty(extra) ? [] : isObject(extra) ? Object.entries(extra) : undefined
  const extras = entries?.map(
    ([key, values]) => [`impersonate-extra-${headerKey(key)}`, texts(values)?.map(headerText)] as const
  )
  if (extras === undefined || extras.some(([, values]) => values === undefined))
    throw wrong("as-user-extra", "is no map of lists of texts")
  return {
    ...(typeof uid === "string" && uid !== "" ? { "impersonate-uid": headerText(uid) } : {}),
    ...(named.length === 0 ? {} : { "impersonate-group": named.map(headerText) }),
    ...Object.fromEntries(extras)
  }
}
