/** `evald verify FILE`: whether results, a sample or an image are what was signed, offline. Reference: signing.md, "Verifying". */
import type { KeyObject } from "node:crypto"
import { readFileSync } from "node:fs"
import { Either } from "effect"
import { type Checked, checkFile } from "../../infrastructure/signing/check-file.ts"
import { member } from "../../values/json.ts"
import { checkingKey, keyId, open } from "../../values/signing/dsse.ts"
import { parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import { verifyHelp as command } from "../cli/own-commands.ts"

const keyIn = (file: string): KeyObject => {
  try {
    return checkingKey(readFileSync(file, "utf8"))
  } catch (error) {
    throw new Error(`--key ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const textIn = (file: string): string => {
  try {
    return readFileSync(file, "latin1")
  } catch (error) {
    throw new Error(`${file} can not be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const shown = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "-")

/** what the file says, for people */
const report = ({ keyId: key, subject, results, disclosed }: Checked): string => {
  const lines = [`verified ${subject.name}`, `  key      ${key}`, `  sha256   ${subject.sha256}`]
  if (results !== undefined) {
    const { job, samples, gates } = results
    const entries = job["benchmarks"]
    lines.push(
      `  model    ${shown(member(job["model"], "name"))}`,
      `  state    ${shown(member(job["status"], "state"))}`
    )
    for (const { benchmark_index: index, count, root } of samples) {
      const entry: unknown = Array.isArray(entries) ? entries[index] : undefined
      lines.push(`  samples  ${index} ${shown(member(entry, "id"))}: ${count}, root ${root}`)
    }
    for (const gate of gates) lines.push(`  gate     ${gate.outcome}, policy ${gate.policy_sha256}`)
  }
  if (disclosed !== undefined) {
    const { benchmark, sample } = disclosed
    lines.push(`  sample   ${benchmark} ${shown(sample["sample_id"])}: ${shown(sample["verdict"])}`)
  }
  return `${lines.join("\n")}\n`
}

/** the text, or why it is not what was signed */
const verified = (
  file: string,
  keys: ReadonlyArray<KeyObject>,
  digest: string | undefined
): Either.Either<string, string> => {
  const text = textIn(file)
  // what is handed out is UTF-8: other bytes would be replaced by a reader, and with them a changed bit
  const bytes = Buffer.from(text, "latin1")
  const decoded = bytes.toString("utf8")
  if (!Buffer.from(decoded).equals(bytes)) return Either.left("it is not UTF-8")
  return Either.flatMap(
    checkFile(decoded, (envelope) => open(envelope, keys)),
    (checked) => {
      if (digest !== undefined && `sha256:${checked.subject.sha256}` !== digest)
        return Either.left(`it is about sha256:${checked.subject.sha256}`)
      return digest === undefined && checked.results === undefined
        ? Either.left("it is the signature of an image; say which one with --digest")
        : Either.right(report(checked))
    }
  )
}

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, command.flags)
  if (switches.has("help")) {
    process.stdout.write(renderHelp(command))
    return
  }
  const [file, ...further] = positional
  const keys = values.get("key") ?? []
  const wrong =
    problems[0] ??
    (file === undefined ? "which file?" : further.length > 0 ? "one file at a time" : undefined) ??
    (keys.length === 0 ? "say with --key whose signature is trusted" : undefined)
  if (wrong !== undefined || file === undefined) {
    process.stderr.write(`evald verify: ${wrong}\n\n${renderHelp(command)}`)
    process.exitCode = usageExit
    return
  }
  try {
    const trusted = keys.map(keyIn)
    const found = verified(file, trusted, values.get("digest")?.[0])
    if (Either.isRight(found)) process.stdout.write(found.right)
    else {
      process.stderr.write(
        `evald verify: ${file} is NOT what was signed: ${found.left}\n  trusted keys: ${trusted.map(keyId).join(", ")}\n`
      )
      process.exitCode = 1
    }
  } catch (error) {
    process.stderr.write(`evald verify: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
