/** Seals by HMAC with SHA-256. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { PlanSeals } from "../../application/ports/stores/plan-seals.ts"

export const sealedWith = (key: string): PlanSeals["Type"] => {
  const seal = (text: string) => createHmac("sha256", key).update(text).digest("base64url")
  return PlanSeals.of({
    seal,
    isSealOf: (given, text) => {
      // as texts: several of them decode to the same bytes, and a token is spent by what stands in it
      const [one, other] = [Buffer.from(given), Buffer.from(seal(text))]
      return one.length === other.length && timingSafeEqual(one, other)
    }
  })
}
