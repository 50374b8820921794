/** The one way of signing. The key comes from the configuration, stays in memory and is never stored. Reference: signing.md, "Keys". */
import { Context } from "effect"
import type { Envelope } from "../../values/dsse.ts"

/** `seal` is absent where no key is configured */
export class Signer extends Context.Reference<Signer>()("evald/application/signing/Signer", {
  defaultValue: (): { readonly seal?: (text: string) => Envelope } => ({})
}) {}
