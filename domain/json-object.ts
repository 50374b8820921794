/** Plain JSON objects from outside: recognising them, and the member names that must never be followed or written. */

export type JsonObject = { readonly [key: string]: unknown }

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

/** names through which an assignment could reach a prototype */
export const prototypeNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

/** an own member; inherited ones do not count */
export const ownMember = <A>(object: { readonly [key: string]: A }, name: string): A | undefined => (Object.hasOwn(object, name) ? object[name] : undefined)
