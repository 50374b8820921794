/** Signing with a key in memory, by node's own cryptography. */
import type { KeyObject } from "node:crypto"
import { Effect, Either, Redacted } from "effect"
import type { DigestTree, Signing } from "../../application/ports/signer.ts"
import { digestOf } from "../../values/digest.ts"
import { seal, signingKey } from "../../values/signing/dsse.ts"
import { growTree, hashBytes, type MerkleTree, pathOf, rootOf } from "../../values/signing/merkle.ts"

/** -1: it is not there */
const leafOf = (digests: Uint8Array, digest: string): number => {
  const all = Buffer.from(digests.buffer, digests.byteOffset, digests.length)
  const wanted = Buffer.from(digest, "hex")
  // a digest may begin within one leaf and end within the next
  for (let from = 0; ; ) {
    const found = all.indexOf(wanted, from)
    if (found < 0 || found % hashBytes === 0) return found < 0 ? -1 : found / hashBytes
    from = found + 1
  }
}

const shown = (digests: Uint8Array, tree: MerkleTree): DigestTree => ({
  size: tree.size,
  root: rootOf(tree).toString("hex"),
  find: (digest) => {
    const leaf = leafOf(digests, digest)
    return leaf < 0 ? undefined : { leaf, path: pathOf(tree, leaf).toString("base64") }
  }
})

export const makeSigning = (key: KeyObject): Signing => ({
  seal: (text) => seal(text, key),
  digest: digestOf,
  tree: (digests, pause) =>
    Effect.gen(function* () {
      const growing = growTree(digests, hashBytes)
      for (;;) {
        const { done, value } = growing.next()
        if (done === true) return shown(digests, value)
        yield* pause
      }
    })
})

/** `pem`: setting `signing.key`. Left: why it cannot be used, without its text. */
export const signingWith = (
  pem: Redacted.Redacted | undefined
): Either.Either<{ readonly signing?: Signing }, string> =>
  pem === undefined
    ? Either.right({})
    : Either.try({
        try: () => ({ signing: makeSigning(signingKey(Redacted.value(pem))) }),
        catch: (error) => `signing.key: ${error instanceof Error ? error.message : "it can not be read"}`
      })
