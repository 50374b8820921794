#!/usr/bin/env node
// What the pages use of openssl, so that their blocks run where only Node is: genpkey -algorithm ed25519 -out FILE, pkey -in FILE -pubout -out FILE.
import { createPublicKey, generateKeyPairSync } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"

const [command, ...words] = process.argv.slice(2)
// one dash before a long name
const args = words.map((word) => word.replace(/^-(?=[a-z])/, "--"))
const options = {
  algorithm: { type: "string" },
  in: { type: "string" },
  out: { type: "string" },
  pubout: { type: "boolean" }
}
const { values } = parseArgs({ args, options })
if (command === "genpkey" && values.algorithm === "ed25519")
  writeFileSync(values.out, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }), {
    mode: 0o600
  })
else if (command === "pkey" && values.pubout)
  writeFileSync(values.out, createPublicKey(readFileSync(values.in)).export({ type: "spki", format: "pem" }))
else throw new Error(`openssl of the tests does not know ${[command, ...words].join(" ")}`)
