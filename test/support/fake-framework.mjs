#!/usr/bin/env node
// A framework's command line for tests: `<output folder> <step>…`, each step one thing that frameworks do.
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [output, ...steps] = process.argv.slice(2)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

for (const step of steps) {
  const [verb, ...rest] = step.split("=")
  const value = rest.join("=")
  if (verb === "say") process.stderr.write(`${value}\n`)
  else if (verb === "bar") process.stderr.write(`${value}\r`)
  else if (verb === "exit") process.exit(Number(value))
  else if (verb === "result") {
    mkdirSync(output, { recursive: true })
    writeFileSync(join(output, "results_1.json"), value)
  } else if (verb === "environment") {
    mkdirSync(output, { recursive: true })
    const named = ["TMPDIR", "HF_TOKEN", "OPENAI_API_KEY", "SSL_CERT_FILE"].map((name) => [name, process.env[name]])
    writeFileSync(
      join(output, "results_1.json"),
      JSON.stringify({ environment: Object.fromEntries(named), cwd: process.cwd() })
    )
  } else if (verb === "hang") {
    // ignores the polite request, and has a child that does not know of it
    process.on("SIGTERM", () => undefined)
    spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], { stdio: "ignore" })
    process.stderr.write(`hanging ${process.pid}\n`)
    await sleep(600_000)
  }
}
