/**
 * Signed envelopes: DSSE 1.0 over Ed25519. One way of signing for results and images. A key's id is the SHA-256 of its public half in DER form.
 * Reference: signing.md, "Envelopes".
 */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto"
import { isObject } from "../json.ts"

const statementType = "application/vnd.in-toto+json"

export interface Envelope {
  /** base64 */
  readonly payload: string
  readonly payloadType: string
  readonly signatures: ReadonlyArray<{ readonly keyid: string; readonly sig: string }>
}

/** what is really signed: type and body, each after its length in bytes */
export const preAuthentication = (type: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `), body])

const notOurs = "it is no Ed25519 key in PEM form; make one with openssl genpkey -algorithm ed25519"

/** throws a sentence that never repeats the text */
export const signingKey = (pem: string): KeyObject => {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw new Error(notOurs)
  }
  if (key.asymmetricKeyType !== "ed25519") throw new Error(notOurs)
  return key
}

/** of a public key, or of the private one that it belongs to; throws a sentence */
export const checkingKey = (pem: string): KeyObject => {
  let key: KeyObject
  try {
    key = createPublicKey(pem)
  } catch {
    throw new Error(notOurs)
  }
  if (key.asymmetricKeyType !== "ed25519") throw new Error(notOurs)
  return key
}

/** a key never changes, and writing it out takes as long as checking what it signed */
const keyIds = new WeakMap<KeyObject, string>()

/** SHA-256 (hex) of the public half */
export const keyId = (key: KeyObject): string => {
  const known = keyIds.get(key)
  if (known !== undefined) return known
  const open = key.type === "private" ? createPublicKey(key) : key
  const id = hash("sha256", open.export({ type: "spki", format: "der" }), "hex")
  keyIds.set(key, id)
  return id
}

/** the same for the same text and key */
export const seal = (text: string, key: KeyObject): Envelope => {
  const body = Buffer.from(text)
  return {
    payload: body.toString("base64"),
    payloadType: statementType,
    signatures: [{ keyid: keyId(key), sig: sign(null, preAuthentication(statementType, body), key).toString("base64") }]
  }
}

/** undefined where the text is not the one way in which these bytes are written */
export const exactBase64 = (text: unknown): Buffer | undefined => {
  if (typeof text !== "string") return undefined
  const bytes = Buffer.from(text, "base64")
  return bytes.toString("base64") === text ? bytes : undefined
}

const hasOnly = (value: object, ...names: ReadonlyArray<string>): boolean =>
  Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name))

export type Opened =
  | { readonly _tag: "Opened"; readonly text: string; readonly keyId: string }
  | { readonly _tag: "Refused"; readonly why: string }

const refused = (why: string): Opened => ({ _tag: "Refused", why })

/** the statement in an envelope that one of the keys signed; an envelope of another shape, with other members or other types, is refused */
export const open = (envelope: unknown, keys: ReadonlyArray<KeyObject>): Opened => {
  if (!isObject(envelope) || !hasOnly(envelope, "payload", "payloadType", "signatures"))
    return refused("it is no DSSE envelope of payload, payloadType and signatures")
  const { payload, payloadType, signatures } = envelope
  const [signature, ...more] = Array.isArray(signatures) ? (signatures as ReadonlyArray<unknown>) : []
  if (!isObject(signature) || more.length > 0 || !hasOnly(signature, "keyid", "sig"))
    return refused("the envelope has not exactly one signature of keyid and sig")
  if (payloadType !== statementType) return refused(`its payload is not of type ${statementType}`)
  const body = exactBase64(payload)
  const sig = exactBase64(signature["sig"])
  if (body === undefined || sig === undefined) return refused("payload or signature is not base64")
  const key = keys.find((one) => keyId(one) === signature["keyid"])
  if (key === undefined) return refused("it is signed with a key that was not given")
  if (!verify(null, preAuthentication(statementType, body), key, sig)) return refused("the signature does not fit")
  return { _tag: "Opened", text: body.toString("utf8"), keyId: keyId(key) }
}
