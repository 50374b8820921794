/** The change of the operator's authority: at every moment a certificate is checked with what was published 30 days before. */
import { X509Certificate } from "node:crypto"
import { assert, describe, it } from "vitest"
import {
  type Authorities,
  bundleOf,
  overlapDays,
  rotated,
  successorDays
} from "../../../../../infrastructure/kubernetes/operator/authority.ts"
import { issueLeaf, leafState, makeAuthority } from "../../../../../infrastructure/kubernetes/operator/x509.ts"

const day = 86_400_000
const start = Date.parse("2026-01-01T00:00:00Z")
const names = ["evald.ns.svc"]
const certificatesIn = (bundle: string) =>
  bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
const verifies = (leaf: string, bundle: string, now: number) =>
  certificatesIn(bundle).some((one) => {
    const authority = new X509Certificate(one)
    return new X509Certificate(leaf).verify(authority.publicKey) && Date.parse(authority.validTo) > now
  })

describe("the authority of the operator", () => {
  it("is left alone while it lives long enough, and answers the very same value", () => {
    const stored: Authorities = { signing: makeAuthority(start) }
    assert.strictEqual(rotated(stored, start + 1000 * day, makeAuthority), stored)
  })

  it("has a successor a year before its end, which signs after 30 days and not before", () => {
    const first: Authorities = { signing: makeAuthority(start) }
    const due = start + (3650 - successorDays + 1) * day
    const both = rotated(first, due, makeAuthority)
    assert.strictEqual(both.signing, first.signing)
    assert.lengthOf(certificatesIn(bundleOf(both)), 2)
    assert.strictEqual(rotated(both, due + (overlapDays - 1) * day, makeAuthority), both)
    const after = rotated(both, due + overlapDays * day, makeAuthority)
    assert.strictEqual(after.signing.certificate, both.next?.certificate)
    assert.isUndefined(after.next)
    assert.lengthOf(certificatesIn(bundleOf(after)), 2)
    const atItsEnd = rotated(after, start + 3651 * day, makeAuthority)
    assert.lengthOf(certificatesIn(bundleOf(atItsEnd)), 1)
  })

  it("through its change, every certificate is checked with a bundle that is up to four weeks old", () => {
    let authorities: Authorities = { signing: makeAuthority(start) }
    const from = start + (3650 - successorDays - 60) * day
    let leaf = issueLeaf(authorities.signing, names, from).certificate
    const bundles: Array<string> = []
    let changes = 0
    for (let now = from; now < start + 3800 * day; now += 7 * day) {
      const next = rotated(authorities, now, makeAuthority)
      if (next.signing.certificate !== authorities.signing.certificate) changes += 1
      authorities = next
      bundles.push(bundleOf(authorities))
      if (leafState(leaf, authorities.signing, names, now)?.isGood !== true)
        leaf = issueLeaf(authorities.signing, names, now).certificate
      for (const bundle of [bundles.at(-1), bundles.at(-5)])
        if (bundle !== undefined && !verifies(leaf, bundle, now)) assert.fail(new Date(now).toISOString())
    }
    assert.strictEqual(changes, 1)
  })

  it("that is over, or can not sign, is replaced at once: by its successor, else by a new one", () => {
    const [signing, other] = [makeAuthority(start), makeAuthority(start)]
    const late = start + 3651 * day
    const next = { ...makeAuthority(late), since: late - day }
    assert.strictEqual(rotated({ signing, next }, late, makeAuthority).signing.certificate, next.certificate)
    const mixed = { signing: { certificate: signing.certificate, key: other.key } }
    const made = rotated(mixed, start, makeAuthority)
    assert.notInclude([signing.certificate, other.certificate], made.signing.certificate)
  })
})
