/** Envelopes: the vector of the DSSE specification, and what is refused. */
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import { assert, describe, it } from "vitest"
import {
  checkingKey,
  type Envelope,
  keyId,
  open,
  preAuthentication,
  seal,
  signingKey
} from "../../../../values/signing/dsse.ts"

/** of the specification's protocol.md: ECDSA over P-256 and SHA-256, r and s one after the other */
const vector = {
  body: "hello world",
  type: "http://example.com/HelloWorld",
  encoded: "DSSEv1 29 http://example.com/HelloWorld 11 hello world",
  x: 46950820868899156662930047687818585632848591499744589407958293238635476079160n,
  y: 5640078356564379163099075877009565129882514886557779369047442380624545832820n,
  sig: "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA=="
}

const coordinate = (value: bigint) => Buffer.from(value.toString(16).padStart(64, "0"), "hex").toString("base64url")

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const pem = {
  own: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  open: String(publicKey.export({ type: "spki", format: "pem" }))
}

describe("envelopes", () => {
  it("what is signed is the specification's encoding, and its signature fits it", () => {
    const encoded = preAuthentication(vector.type, Buffer.from(vector.body))
    assert.strictEqual(encoded.toString("utf8"), vector.encoded)
    const key = createPublicKey({
      key: { kty: "EC", crv: "P-256", x: coordinate(vector.x), y: coordinate(vector.y) },
      format: "jwk"
    })
    const signature = Buffer.from(vector.sig, "base64")
    assert.isTrue(verify("sha256", encoded, { key, dsaEncoding: "ieee-p1363" }, signature))
    assert.isFalse(verify("sha256", Buffer.from(vector.body), { key, dsaEncoding: "ieee-p1363" }, signature))
  })

  it("lengths are counted in bytes", () => {
    assert.strictEqual(preAuthentication("ä", Buffer.from("€")).toString("utf8"), "DSSEv1 2 ä 3 €")
  })

  it("a statement comes out as it went in, for its key alone, and twice the same", () => {
    const envelope = seal('{"a":"ä"}', signingKey(pem.own))
    assert.deepStrictEqual(seal('{"a":"ä"}', privateKey), envelope)
    assert.deepStrictEqual(open(envelope, [checkingKey(pem.open)]), {
      _tag: "Opened",
      text: '{"a":"ä"}',
      keyId: keyId(publicKey)
    })
    // an old key and a new one are trusted together
    const newer = generateKeyPairSync("ed25519")
    assert.strictEqual(open(envelope, [newer.publicKey, publicKey])._tag, "Opened")
    assert.strictEqual(open(seal("{}", newer.privateKey), [newer.publicKey, publicKey])._tag, "Opened")
    assert.deepStrictEqual(open(envelope, [newer.publicKey]), {
      _tag: "Refused",
      why: "it is signed with a key that was not given"
    })
  })

  it("refuses other shapes, other types and other spellings", () => {
    const envelope = seal("{}", privateKey)
    const [signature = { keyid: "", sig: "" }] = envelope.signatures
    const refused = (given: unknown) =>
      assert.strictEqual(open(given, [publicKey])._tag, "Refused", JSON.stringify(given))
    const changed: ReadonlyArray<Partial<Record<keyof Envelope | "more", unknown>>> = [
      { more: 1 },
      { payloadType: "application/json" },
      { payload: envelope.payload.replaceAll("=", "") },
      { payload: Buffer.from("[]").toString("base64") },
      { payload: 1 },
      { signatures: [] },
      { signatures: [signature, signature] },
      { signatures: [{ ...signature, more: 1 }] },
      { signatures: [{ sig: signature.sig }] },
      { signatures: [{ ...signature, sig: "" }] },
      { signatures: [{ ...signature, sig: 1 }] },
      { signatures: "x" }
    ]
    for (const change of changed) refused({ ...envelope, ...change })
    for (const other of [undefined, null, [], "x", {}]) refused(other)
    assert.strictEqual(open(envelope, [publicKey])._tag, "Opened")
  })

  it("keys of another kind are refused without a word of their text", () => {
    const { privateKey: other } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    for (const text of ["", "secret", pem.own.slice(0, 60), String(other.export({ type: "pkcs8", format: "pem" }))])
      for (const read of [signingKey, checkingKey])
        assert.throws(() => read(text), /^it is no Ed25519 key in PEM form; make one with openssl genpkey/)
  })
})
