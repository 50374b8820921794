/** `evald sign`: signs the digest of an image with a key, offline. Reference: signing.md, "Images". */
import { readFileSync } from "node:fs"
import { imageStatement } from "../../domain/attestation/statement.ts"
import { canonicalJson } from "../../values/canonical-json.ts"
import { seal, signingKey } from "../../values/signing/dsse.ts"
import { parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import { signHelp as command } from "../cli/own-commands.ts"

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, command.flags)
  if (switches.has("help")) {
    process.stdout.write(renderHelp(command))
    return
  }
  const [image = "", ...further] = positional
  const file = values.get("key")?.[0]
  const digest = /^sha256:([0-9a-f]{64})$/.exec(image)?.[1]
  const wrong =
    problems[0] ??
    (further.length > 0 ? "one image at a time" : undefined) ??
    (digest === undefined ? "say which image by its digest, sha256: and 64 hexadecimal digits" : undefined) ??
    (file === undefined ? "say with --key what to sign with" : undefined)
  if (wrong !== undefined || digest === undefined || file === undefined) {
    process.stderr.write(`evald sign: ${wrong}\n\n${renderHelp(command)}`)
    process.exitCode = usageExit
    return
  }
  try {
    const statement = imageStatement(values.get("name")?.[0] ?? "evald", digest)
    const envelope = seal(canonicalJson(statement), signingKey(readFileSync(file, "utf8")))
    process.stdout.write(`${JSON.stringify(envelope)}\n`)
  } catch (error) {
    process.stderr.write(`evald sign: --key ${file}: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
