/** Signed results on the wire. Reference: signing.md, "Envelopes", "One sample". */

import { Schema } from "effect"
import { FreeForm } from "../../../../config/free-form.ts"
import { integer, text } from "../shapes.ts"

const base64 = "^[A-Za-z0-9+/]*={0,2}$"

export const Attestation = Schema.Struct({
  payload: text("base64 of the in-toto statement", { pattern: base64 }),
  payloadType: text("`application/vnd.in-toto+json`"),
  signatures: Schema.Array(
    Schema.Struct({
      keyid: text("SHA-256 of the public key in DER form", { pattern: "^[0-9a-f]{64}$" }),
      sig: text("base64 of the Ed25519 signature", { pattern: base64 })
    }).annotations({ identifier: "AttestationSignature" })
  )
}).annotations({ identifier: "Attestation", description: "A DSSE envelope." })

export const Disclosure = Schema.Struct({
  attestation: Attestation,
  sample: FreeForm,
  proof: Schema.Struct({
    benchmark_index: integer("position of the benchmark in the job", { minimum: 0 }),
    leaf_index: integer("place of the sample in the tree", { minimum: 0 }),
    tree_size: integer("samples in the tree", { minimum: 1 }),
    path: text("base64 of the hashes of the audit path, from below", { pattern: base64 })
  }).annotations({ identifier: "InclusionProof" })
}).annotations({ identifier: "DisclosedSample", description: "One sample, and the proof that it was signed." })
