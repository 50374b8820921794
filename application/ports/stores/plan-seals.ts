/**
 * Seals of plans: a keyed hash, with a key that every server of the database has and nobody else, so that any of them knows what one of them has
 * planned. Reference: api.md, "Plan tokens".
 */
import { Context } from "effect"

export class PlanSeals extends Context.Tag("evald/application/ports/PlanSeals")<
  PlanSeals,
  {
    /** 43 characters of base64url */
    readonly seal: (text: string) => string
    /** constant-time comparison, of the text as it stands */
    readonly isSealOf: (seal: string, text: string) => boolean
  }
>() {}
