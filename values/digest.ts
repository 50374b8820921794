/** A short name for a JSON value, the same for equal values: events, prompts and request bodies are recognised by it. */
import { createHash } from "node:crypto"
import { canonicalJson } from "./canonical-json.ts"

/** SHA-256 (hex) of the canonical text */
export const digestOf = (value: unknown): string => createHash("sha256").update(canonicalJson(value)).digest("hex")
