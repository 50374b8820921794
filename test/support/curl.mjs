#!/usr/bin/env node
// What the pages use of curl, so that their blocks run where only Node is: -s -S -f -N -X -H -d -o and one address. Ports that a page names are
// those of the test's own processes (EVALD_TEST_PORTS: "8080=40123,11434=40124"), in the address and in what is sent.
import { createWriteStream } from "node:fs"

const ports = new Map((process.env.EVALD_TEST_PORTS ?? "").split(",").map((pair) => pair.split("=")))
const moved = (text) =>
  text.replace(/(?:localhost|127\.0\.0\.1):(\d+)/g, (whole, port) =>
    ports.has(port) ? `127.0.0.1:${ports.get(port)}` : whole
  )

const headers = {}
let [method, body, url, fails, file] = [undefined, undefined, undefined, false, undefined]
const words = process.argv.slice(2)
while (words.length > 0) {
  const word = words.shift()
  if (word === "-X") method = words.shift()
  else if (word === "-d") body = moved(words.shift())
  else if (word === "-o") file = words.shift()
  else if (word === "-H") {
    const [name, ...value] = words.shift().split(":")
    headers[name] = value.join(":").trim()
  } else if (/^-[sSfN]+$/.test(word)) fails ||= word.includes("f")
  else if (word.startsWith("-")) throw new Error(`curl of the tests does not know ${word}`)
  else url = moved(word.includes("://") ? word : `http://${word}`)
}

/** a server that a block has just started in the background */
const patiently = async () => {
  const end = Date.now() + 20_000
  for (;;) {
    try {
      return await fetch(url, { method: method ?? (body === undefined ? "GET" : "POST"), headers, body })
    } catch (error) {
      if (error?.cause?.code !== "ECONNREFUSED" || Date.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
const answer = await patiently()
process.stderr.write(`curl: ${method ?? ""} ${new URL(url).pathname} ${answer.status}\n`)
process.stdout.on("error", () => process.exit(0))
const output = file === undefined ? process.stdout : createWriteStream(file)
for await (const chunk of answer.body ?? []) output.write(chunk)
if (file !== undefined) output.end()
if (!answer.ok && (fails || answer.status >= 400)) process.exitCode = 22
