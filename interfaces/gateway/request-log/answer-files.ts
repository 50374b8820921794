/**
 * Answers of one benchmark as files, one each, named by the digest of question and occurrence. A file appears whole or not at all, and is
 * sealed when there is a key. What cannot be read is as if it had never been kept. Reference: reruns.md, "Where it is kept".
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { crypto } from "../../../values/node/crypto.ts"

export interface KeptAnswer {
  readonly status: number
  /** names in lower case */
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer
}

export interface AnswerFiles {
  readonly has: (name: string) => boolean
  /** undefined when it can not be read */
  readonly read: (name: string) => Promise<KeptAnswer | undefined>
  /** false: there is no more room, or the disk failed */
  readonly write: (name: string, answer: KeptAnswer) => Promise<boolean>
}

interface AnswerFilesOptions {
  /** of this benchmark alone */
  readonly directory: string
  /** bytes of all its files */
  readonly maxBytes: number
  /** answers are sealed with a key made of it */
  readonly secret?: string | undefined
}

const plainMark = 1
const sealedMark = 2
const nonceBytes = 12
const tagBytes = 16
const named = /^[0-9a-f]{64}$/

const keyOf = (secret: string): Buffer => Buffer.from(crypto().hkdfSync("sha256", secret, "", "evald request log", 32))

const packed = ({ status, headers, body }: KeptAnswer): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ status, headers })}\n`, "utf8"), body])

const unpacked = (bytes: Buffer): KeptAnswer | undefined => {
  const end = bytes.indexOf(10)
  if (end < 0) return undefined
  const head = JSON.parse(bytes.subarray(0, end).toString("utf8")) as Omit<KeptAnswer, "body">
  return { ...head, body: bytes.subarray(end + 1) }
}

/** bound to its name, so that one answer can not be put in the place of another */
const seal = (key: Buffer, name: string, bytes: Buffer): Buffer => {
  const nonce = crypto().randomBytes(nonceBytes)
  const cipher = crypto().createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(name, "ascii"))
  const text = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([Buffer.from([sealedMark]), nonce, cipher.getAuthTag(), text])
}

const opened = (key: Buffer | undefined, name: string, bytes: Buffer): Buffer | undefined => {
  if (bytes[0] === plainMark && key === undefined) return bytes.subarray(1)
  // with a key nothing is believed that does not carry its seal
  if (bytes[0] !== sealedMark || key === undefined) return undefined
  const nonce = bytes.subarray(1, 1 + nonceBytes)
  const tag = bytes.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes)
  const decipher = crypto().createDecipheriv("aes-256-gcm", key, nonce)
  decipher.setAAD(Buffer.from(name, "ascii")).setAuthTag(tag)
  return Buffer.concat([decipher.update(bytes.subarray(1 + nonceBytes + tagBytes)), decipher.final()])
}

/** looks once at what is there; a directory that cannot be made keeps nothing */
export const openAnswerFiles = async ({ directory, maxBytes, secret }: AnswerFilesOptions): Promise<AnswerFiles> => {
  const key = secret === undefined ? undefined : keyOf(secret)
  const present = new Set<string>()
  let used = 0
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    for (const name of await readdir(directory)) {
      if (!named.test(name)) {
        // begun by a process that ended
        await rm(join(directory, name), { force: true })
        continue
      }
      used += (await stat(join(directory, name))).size
      present.add(name)
    }
  } catch {
    used = Number.POSITIVE_INFINITY
  }
  return {
    has: (name) => present.has(name),
    read: async (name) => {
      try {
        const bytes = opened(key, name, await readFile(join(directory, name)))
        return bytes === undefined ? undefined : unpacked(bytes)
      } catch {
        return undefined
      }
    },
    write: async (name, answer) => {
      const bytes = packed(answer)
      const file = key === undefined ? Buffer.concat([Buffer.from([plainMark]), bytes]) : seal(key, name, bytes)
      if (used + file.length > maxBytes) return false
      used += file.length
      const begun = join(directory, `${name}.${crypto().randomBytes(6).toString("hex")}`)
      try {
        await writeFile(begun, file, { mode: 0o600 })
        await rename(begun, join(directory, name))
        present.add(name)
        return true
      } catch {
        used -= file.length
        await rm(begun, { force: true }).catch(() => {})
        return false
      }
    }
  }
}
