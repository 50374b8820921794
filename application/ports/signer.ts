/** The one way of signing. The key comes from the configuration, stays in memory and is never stored. Reference: signing.md, "Keys". */
import { Context, type Effect } from "effect"
import type { Envelope } from "../../values/signing/dsse.ts"

/** a Merkle tree over digests */
export interface DigestTree {
  readonly size: number
  /** hex */
  readonly root: string
  /** base64 of the audit path of a digest, and its place; undefined where it is none of the leaves */
  readonly find: (digest: string) => { readonly leaf: number; readonly path: string } | undefined
}

export interface Signing {
  readonly seal: (text: string) => Envelope
  /** SHA-256 (hex) of the canonical text of a JSON value */
  readonly digest: (value: unknown) => string
  /** over digests of 32 bytes, one after another; `pause` lets others in between the steps of a large one */
  readonly tree: (digests: Uint8Array, pause: Effect.Effect<void>) => Effect.Effect<DigestTree>
}

/** `signing` is absent where no key is configured */
export class Signer extends Context.Reference<Signer>()("evald/application/ports/Signer", {
  defaultValue: (): { readonly signing?: Signing } => ({})
}) {}
