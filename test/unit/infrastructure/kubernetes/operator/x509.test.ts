/** Certificates of the operator's authority, as a TLS client of node meets them. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { connect, createServer } from "node:tls"
import { describe, expect, it } from "vitest"
import { issueLeaf, leafState, makeAuthority } from "../../../../../infrastructure/kubernetes/operator/x509.ts"

const names = ["evald.evals.svc", "evald.evals.svc.cluster.local", "evald.evals", "evald"]
const day = 86_400_000
// a handshake is judged by the machine's own clock
const now = Date.now()
const authority = makeAuthority(now)

/** undefined, or why the client refuses the server */
const handshake = async (leaf: ReturnType<typeof issueLeaf>, servername: string, ca: string) => {
  const server = createServer({ cert: leaf.certificate, key: leaf.key }, (socket) => socket.end())
  server.on("tlsClientError", () => undefined)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  try {
    return await new Promise<string | undefined>((resolve) => {
      const socket = connect({ host: "127.0.0.1", port, servername, ca: [ca] }, () => {
        socket.destroy()
        resolve(undefined)
      })
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
  } finally {
    server.close()
  }
}

describe("a certificate of the operator", () => {
  const leaf = issueLeaf(authority, names, now)

  it.each(names)("is taken by a client that asks for %s and trusts the authority", async (name) => {
    expect(await handshake(leaf, name, authority.certificate)).toBeUndefined()
  })

  it("is refused for another name, and by who trusts another authority of the same name", async () => {
    expect(await handshake(leaf, "other.evals.svc", authority.certificate)).toBe("ERR_TLS_CERT_ALTNAME_INVALID")
    const other = makeAuthority(now)
    expect(await handshake(leaf, "evald", other.certificate)).toMatch(
      /CERT_SIGNATURE_FAILURE|UNABLE_TO_VERIFY|SELF_SIGNED/
    )
  })

  it("is taken by who trusts two authorities of the same name, whichever of them comes first and whichever has signed", async () => {
    const next = makeAuthority(now)
    const [first, second] = [authority.certificate + next.certificate, next.certificate + authority.certificate]
    for (const by of [authority, next])
      for (const bundle of [first, second])
        expect(await handshake(issueLeaf(by, names, now), "evald", bundle)).toBeUndefined()
  })

  it("is refused when its 90 days are over", async () => {
    const old = issueLeaf(authority, names, now - 91 * day)
    expect(await handshake(old, "evald", authority.certificate)).toBe("CERT_HAS_EXPIRED")
  })

  it("is no authority itself: what it signs is refused", async () => {
    const below = issueLeaf({ certificate: leaf.certificate, key: leaf.key }, names, now)
    expect(await handshake(below, "evald", authority.certificate)).toBeDefined()
  })

  it("has a serial number of its own", () => {
    expect(issueLeaf(authority, names, now).certificate).not.toBe(leaf.certificate)
  })
})

describe("whether a certificate is still good", () => {
  const leaf = issueLeaf(authority, names, now)
  const good = (at: number, asked: ReadonlyArray<string> = names, by = authority) =>
    leafState(leaf.certificate, by, asked, at)?.isGood

  it("it is for 60 days, then it is made anew while it still holds for 30", () => {
    expect(good(now + 59 * day)).toBe(true)
    expect(good(now + 61 * day)).toBe(false)
    expect(leafState(leaf.certificate, authority, names, now)?.notAfter).toBe(
      new Date(Math.floor((now + 90 * day) / 1000) * 1000).toISOString().replace(".000Z", "Z")
    )
  })

  it("it is not with a name more, or when another authority is in force", () => {
    expect(good(now, [...names, "evald.example"])).toBe(false)
    expect(good(now, names, makeAuthority(now))).toBe(false)
  })

  it("what is no certificate has no state", () => {
    expect(
      leafState("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", authority, names, now)
    ).toBeUndefined()
  })
})
