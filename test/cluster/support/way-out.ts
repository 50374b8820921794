/** What can be reached from the network of a pod: asked from inside of its container, with the Node.js of its image. */
import type { ContainerProcess } from "../kubelet/container-process.ts"

/** code of the error, as an exit status; nothing else happens to a connection that is tried for a moment */
const codes = ["connected", "ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"]
const script = `
  const [host, port] = process.argv.slice(1)
  const end = (code) => process.exit(${JSON.stringify(codes)}.indexOf(code) + 100)
  require("node:net").connect({ host, port, timeout: 3000 }, () => end("connected")).on("error", ({ code }) => end(code)).on("timeout", () => end("timeout"))
`

/** `connected`, the code of the error, or "something else" */
export const tried = async (from: ContainerProcess, host: string, port: number): Promise<string> =>
  codes[(await from.exec(["node", "-e", script, host, String(port)])) - 100] ?? "something else"

/** addresses that a pod must not get an answer from: metadata services of machines in a cloud, and the networks that are for documentation */
export const beyond = ["169.254.169.254", "fd00:ec2::254", "192.0.2.1", "2001:db8::1"] as const

/** there was no way to an address, and nobody was asked */
export const isCutOff = (answer: string): boolean => ["ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL"].includes(answer)
