/**
 * Certificates of the operator's own authority: an ECDSA P-256 root and leaves for names of a Service. Exactly as much DER as these two
 * need, written with `node:crypto`; a general library brings eleven packages and a container of decorators for it.
 */
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate
} from "node:crypto"
import { bits, octets, oid, sequence, tagged, yes } from "./der.ts"

export interface Authority {
  /** PEM */
  readonly certificate: string
  readonly key: string
}

/** an integer must not look negative */
const serial = () => tagged(0x02, Buffer.from([0x01]), randomBytes(15))
const time = (millis: number) =>
  tagged(0x18, Buffer.from(`${new Date(millis).toISOString().replace(/[-:T]|\.\d+/g, "")}`, "ascii"))
const commonName = (text: string) =>
  sequence(tagged(0x31, sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from(text)))))
const extension = (id: number, content: Buffer, critical = false) =>
  sequence(oid(0x55, 0x1d, id), ...(critical ? [yes] : []), octets(content))

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const serverAuth = oid(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01)

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${(der.toString("base64").match(/.{1,64}/g) ?? []).join("\n")}\n-----END CERTIFICATE-----\n`

interface Content {
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly publicKey: KeyObject
  readonly from: number
  readonly until: number
  readonly extensions: ReadonlyArray<Buffer>
}

const signed = (content: Content, key: KeyObject): string => {
  const { issuer, subject, publicKey, from, until, extensions } = content
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    serial(),
    ecdsaWithSha256,
    issuer,
    sequence(time(from), time(until)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions))
  )
  return pem(sequence(body, ecdsaWithSha256, bits(sign("sha256", body, key))))
}

/** tells authorities of one name apart: a client that trusts two of them looks for the one that a certificate refers to */
const keyIdentifier = (key: KeyObject): Buffer =>
  createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest()
    .subarray(0, 20)

const keyText = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString()

const dayMillis = 86_400_000
const authorityDays = 3650
const leafDays = 90
const renewDays = 30
/** clocks of others may be behind */
const marginMillis = 3_600_000
const authorityName = commonName("evald operator")

export const makeAuthority = (now: number): Authority => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const extensions = [
    extension(0x13, sequence(yes), true),
    // keyCertSign and cRLSign
    extension(0x0f, bits(Buffer.from([0x06]), 1), true),
    extension(0x0e, octets(keyIdentifier(publicKey)))
  ]
  const from = now - marginMillis
  const certificate = signed(
    {
      issuer: authorityName,
      subject: authorityName,
      publicKey,
      from,
      until: now + authorityDays * dayMillis,
      extensions
    },
    privateKey
  )
  return { certificate, key: keyText(privateKey) }
}

/** a certificate for 90 days; the first of `names` is its subject */
export const issueLeaf = (authority: Authority, names: ReadonlyArray<string>, now: number): Authority => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const extensions = [
    extension(0x13, sequence(), true),
    extension(0x0f, bits(Buffer.from([0x80]), 7), true),
    extension(0x25, sequence(serverAuth)),
    extension(0x23, sequence(tagged(0x80, keyIdentifier(new X509Certificate(authority.certificate).publicKey)))),
    extension(0x11, sequence(...names.map((name) => tagged(0x82, Buffer.from(name, "ascii")))))
  ]
  const certificate = signed(
    {
      issuer: authorityName,
      // a common name has at most 64 characters; the alternative names are what counts
      subject: commonName((names[0] ?? "evald").slice(0, 64)),
      publicKey,
      from: now - marginMillis,
      until: now + leafDays * dayMillis,
      extensions
    },
    createPrivateKey(authority.key)
  )
  return { certificate, key: keyText(privateKey) }
}

export interface LeafState {
  /** RFC 3339 */
  readonly notAfter: string
  /** of this authority, for all of the names, and for 30 days more */
  readonly isGood: boolean
}

/** undefined: it can not be read */
export const leafState = (
  certificate: string,
  authority: Authority,
  names: ReadonlyArray<string>,
  now: number
): LeafState | undefined => {
  try {
    const leaf = new X509Certificate(certificate)
    const until = Date.parse(leaf.validTo)
    const isOurs = leaf.verify(new X509Certificate(authority.certificate).publicKey)
    const hasNames = names.every((name) => leaf.checkHost(name) !== undefined)
    return {
      notAfter: new Date(until).toISOString().replace(/\.\d+Z$/, "Z"),
      isGood: isOurs && hasNames && until - now > renewDays * dayMillis
    }
  } catch {
    return undefined
  }
}
