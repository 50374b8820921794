/** The least a server in node does: the same bytes for every request. What its figures leave open is the machine's, not ours. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type BenchProcess, startPinned } from "./bench-server.ts"
import { newFolder } from "./workspace.ts"

const source = (body: string) => `
import { createServer } from "node:http"
const body = ${JSON.stringify(body)}
const length = Buffer.byteLength(body)
const server = createServer((request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": length }).end(body)
}).listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port))
`

export const startBareServer = (body: string): Promise<BenchProcess> => {
  const file = join(newFolder("bare"), "server.mjs")
  writeFileSync(file, source(body))
  return startPinned([file])
}
