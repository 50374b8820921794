// Layers as archives whose bytes depend on nothing but their entries: sorted, of one owner and time, with modes that are given.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { dirname, join } from "node:path"

/** entries of a layer; paths are relative to the root of the image */
export const file = (path, data, mode = 0o644) => ({ path, mode, data: Buffer.from(data) })
export const symlink = (path, target) => ({ path, mode: 0o777, target })
export const folder = (path, mode = 0o755, user = 0) => ({ path, mode, user })

/** wanted files and links below a folder of this machine, at the same place below `to`; of modes only whether a file can be run is kept */
export const filesBelow = (from, to = "", isWanted = (_path) => true) =>
  readdirSync(from)
    .sort()
    .flatMap((name) => {
      const source = join(from, name)
      const path = join(to, name)
      const state = lstatSync(source)
      if (state.isDirectory()) return filesBelow(source, path, isWanted)
      if (!isWanted(path)) return []
      if (state.isSymbolicLink()) return [symlink(path, readlinkSync(source))]
      return [file(path, readFileSync(source), state.mode & 0o111 ? 0o755 : 0o644)]
    })

const octal = (value, length) => `${value.toString(8).padStart(length - 1, "0")}\0`

/** ustar divides a path of more than 100 bytes at a slash */
const divided = (path) => {
  if (Buffer.byteLength(path) <= 100) return ["", path]
  const at = path.indexOf("/", path.length - 101)
  if (at < 0 || at > 155) throw new Error(`'${path}' is too long for an archive`)
  return [path.slice(0, at), path.slice(at + 1)]
}

const header = ({ path, mode, data, target, user = 0 }) => {
  const type = data === undefined ? (target === undefined ? "5" : "2") : "0"
  const [prefix, name] = divided(type === "5" ? `${path}/` : path)
  const block = Buffer.alloc(512)
  block.write(name, 0)
  block.write(octal(mode, 8), 100)
  block.write(octal(user, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(data?.length ?? 0, 12), 124)
  block.write(octal(0, 12), 136)
  block.write("        ", 148)
  block.write(type, 156)
  block.write(target ?? "", 157)
  block.write("ustar\u000000", 257)
  block.write(user === 0 ? "root" : "evald", 265)
  block.write("root", 297)
  block.write(prefix, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return block
}

const parentsOf = (path) => {
  const parent = dirname(path)
  return parent === "." ? [] : [...parentsOf(parent), parent]
}

/** the archive of the entries and of the folders that lead to them, in pieces: a layer is hashed more often than it is needed whole */
export const archivePieces = (entries) => {
  const all = new Map(entries.flatMap(({ path }) => parentsOf(path)).map((path) => [path, folder(path)]))
  for (const entry of entries) all.set(entry.path, entry)
  const sorted = [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  const blocks = sorted.flatMap((entry) => {
    const { data } = entry
    return data === undefined ? [header(entry)] : [header(entry), data, Buffer.alloc((512 - (data.length % 512)) % 512)]
  })
  return [...blocks, Buffer.alloc(1024)]
}

export const archive = (entries) => Buffer.concat(archivePieces(entries))
