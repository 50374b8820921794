// Starts the built server once and keeps the code that node has compiled until its first answer, beside the script, for the starts that follow.
// Usage: node deploy/keep-code.mjs DIST
import { once } from "node:events"
import { renameSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { setFlagsFromString } from "node:v8"

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address()
  server.close()
  await once(server, "close")
  return port
}

const answered = async (url, attempts = 1500) => {
  const response = await fetch(url).catch(() => undefined)
  if (response?.status === 200) return
  if (attempts === 0) throw new Error(`${url} did not answer`)
  await wait(20)
  await answered(url, attempts - 1)
}

const [folder = "dist"] = process.argv.slice(2)
const port = await freePort()
process.env.PORT = String(port)
// code that has not run for a while is thrown away otherwise
setFlagsFromString("--no-flush-bytecode")
const { main, script, codeFile } = await import(pathToFileURL(resolve(join(folder, "server.mjs"))).href)
main(["-local", "-configdir", "config"])
await answered(`http://127.0.0.1:${port}/api/v1/health`)
// node takes code only from a process with the same flags: those that were set since its start are as they were
for (const flag of ["--flush-bytecode", "--heap-growing-percent=0"]) setFlagsFromString(flag)
writeFileSync(`${codeFile}.new`, script.createCachedData())
renameSync(`${codeFile}.new`, codeFile)
process.kill(process.pid, "SIGTERM")
