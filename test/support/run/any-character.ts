import { FastCheck as fc } from "effect"

const firstSurrogate = 0xd800
const surrogates = 0x800

/**
 * Any character of Unicode but lone surrogates, as a unit of `fc.string`. `unit: "binary"` draws the same, but first makes a table of all
 * 1.1 million of them in every worker to find its way back when it makes a failing text smaller: that took 1.7 s and 100 MB.
 */
export const anyCharacter = fc.nat(0x10ffff - surrogates).map(
  (position) => String.fromCodePoint(position < firstSurrogate ? position : position + surrogates),
  (text) => {
    const point = typeof text === "string" ? text.codePointAt(0) : undefined
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error("not one character")
    if (point >= firstSurrogate && point < firstSurrogate + surrogates) throw new Error("a lone surrogate")
    return point < firstSurrogate ? point : point - surrogates
  }
)
