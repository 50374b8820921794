/** Merkle trees of RFC 6962, section 2.1, over SHA-256: leaves and nodes are hashed with different prefixes, so that neither passes for the other. */
import { hash } from "node:crypto"

export const hashBytes = 32
const leafPrefix = Buffer.from([0])
const nodePrefix = Buffer.from([1])

const sha256 = (...parts: ReadonlyArray<Uint8Array>): Buffer => hash("sha256", Buffer.concat(parts), "buffer")
export const leafHash = (leaf: Uint8Array): Buffer => sha256(leafPrefix, leaf)
const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(nodePrefix, left, right)

/** the hashes of each level one after another, from those of the leaves up to the root alone */
export interface MerkleTree {
  readonly size: number
  readonly levels: ReadonlyArray<Buffer>
}

const at = (level: Uint8Array, index: number): Uint8Array => level.subarray(index * hashBytes, (index + 1) * hashBytes)
const lengthOf = (level: Uint8Array): number => level.length / hashBytes

/** hashes made between two pauses of whoever builds a tree in steps */
const step = 1024

/** yields between steps, so that a tree of a million leaves holds nobody up; `leaves`: their data, `leafBytes` each */
export function* growTree(leaves: Uint8Array, leafBytes: number): Generator<void, MerkleTree> {
  const size = leaves.length / leafBytes
  const first = Buffer.allocUnsafe(size * hashBytes)
  for (let leaf = 0; leaf < size; leaf++) {
    first.set(leafHash(leaves.subarray(leaf * leafBytes, (leaf + 1) * leafBytes)), leaf * hashBytes)
    if (leaf % step === step - 1) yield
  }
  const levels = [first]
  for (let below = first; lengthOf(below) > 1; ) {
    const count = lengthOf(below)
    const level = Buffer.allocUnsafe(Math.ceil(count / 2) * hashBytes)
    for (let node = 0; 2 * node < count; node++) {
      const left = at(below, 2 * node)
      // the last of an odd number goes up as it is
      level.set(2 * node + 1 < count ? nodeHash(left, at(below, 2 * node + 1)) : left, node * hashBytes)
      if (node % step === step - 1) yield
    }
    levels.push(level)
    below = level
  }
  return { size, levels }
}

/** the root of no leaf is the hash of nothing */
export const rootOf = ({ levels }: MerkleTree): Buffer => {
  const top = levels.at(-1)
  return top === undefined || top.length === 0 ? sha256() : Buffer.from(top)
}

/** the audit path of a leaf, from below, the hashes one after another: at most 32 bytes for each doubling of the leaves */
export const pathOf = ({ levels, size }: MerkleTree, index: number): Buffer => {
  if (!Number.isInteger(index) || index < 0 || index >= size) throw new RangeError(`leaf ${index} of ${size}`)
  const path: Array<Uint8Array> = []
  let node = index
  for (const level of levels.slice(0, -1)) {
    const sibling = node ^ 1
    if (sibling < lengthOf(level)) path.push(at(level, sibling))
    node = Math.floor(node / 2)
  }
  return Buffer.concat(path)
}

interface Inclusion {
  readonly index: number
  readonly size: number
  readonly path: Uint8Array
}

/** the root that a leaf leads to (RFC 9162, 2.1.3.2); undefined where path, index and size do not fit each other */
export const rootFrom = (leaf: Uint8Array, { index, size, path }: Inclusion): Buffer | undefined => {
  const isPlace = Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size
  if (!isPlace || path.length % hashBytes !== 0) return undefined
  let [node, last] = [index, size - 1]
  let root = leafHash(leaf)
  for (let from = 0; from < path.length; from += hashBytes) {
    if (last === 0) return undefined
    const sibling = path.subarray(from, from + hashBytes)
    if (node % 2 === 1 || node === last) {
      root = nodeHash(sibling, root)
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
    } else root = nodeHash(root, sibling)
    ;[node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  }
  return last === 0 ? root : undefined
}
