/** A certificate authority and server certificates for 127.0.0.1, made in the test: just enough DER for one name, no key in the repository. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { bits, octets, oid, sequence, tagged } from "../../infrastructure/kubernetes/operator/der.ts"

const time = (text: string) => tagged(0x18, Buffer.from(text, "ascii"))
const name = (text: string) => sequence(tagged(0x31, sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from(text)))))

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const basicConstraints = (authority: boolean) =>
  sequence(
    oid(0x55, 0x1d, 0x13),
    tagged(0x01, Buffer.from([0xff])),
    octets(sequence(...(authority ? [tagged(0x01, Buffer.from([0xff]))] : [])))
  )
const alternativeNames = (names: ReadonlyArray<string>) =>
  sequence(
    oid(0x55, 0x1d, 0x11),
    octets(sequence(tagged(0x87, Buffer.from([127, 0, 0, 1])), ...names.map((one) => tagged(0x82, Buffer.from(one)))))
  )

export interface Signed {
  /** PEM */
  readonly certificate: string
  readonly key: string
}

interface Issuer {
  readonly subject: string
  readonly key: KeyObject
}

const signed = (
  subject: string,
  issuer: Issuer | undefined,
  serial: number,
  names: ReadonlyArray<string> = []
): Signed => {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([serial])),
    ecdsaWithSha256,
    name(issuer?.subject ?? subject),
    sequence(time("20200101000000Z"), time("20990101000000Z")),
    name(subject),
    pair.publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0xa3,
      sequence(basicConstraints(issuer === undefined), ...(issuer === undefined ? [] : [alternativeNames(names)]))
    )
  )
  const signature = sign("sha256", body, issuer?.key ?? pair.privateKey)
  const der = sequence(body, ecdsaWithSha256, bits(signature))
  const lines = der.toString("base64").match(/.{1,64}/g) ?? []
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: String(pair.privateKey.export({ type: "pkcs8", format: "pem" }))
  }
}

/** an authority and a server certificate for 127.0.0.1, localhost and further names that it signed */
export const makeAuthority = (
  subject = "test authority",
  names: ReadonlyArray<string> = []
): { readonly authority: string; readonly server: Signed } => {
  const authority = signed(subject, undefined, 1)
  return {
    authority: authority.certificate,
    server: signed("loopback", { subject, key: createPrivateKey(authority.key) }, 2, ["localhost", ...names])
  }
}
