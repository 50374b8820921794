/** Calls to the API of an instance by TLS, as a user of a tenant. */
import { request } from "node:https"

interface Answer {
  readonly status: number
  readonly text: string
  readonly json: unknown
}

export type Call = readonly [method: string, path: string, body?: unknown]

/** a call to a pod, under the name of its Service, for which `authority` vouches */
export const callPod = (
  { address, name, authority }: { readonly address: string; readonly name: string; readonly authority: string },
  { token, tenant }: { readonly token: string; readonly tenant: string },
  [method, path, body]: Call
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = body === undefined ? "" : JSON.stringify(body)
    const outgoing = request(
      {
        host: address,
        port: 8443,
        servername: name,
        ca: authority,
        agent: false,
        method,
        path: `/api/v1/evaluations/${path}`,
        headers: {
          authorization: `Bearer ${token}`,
          "x-tenant": tenant,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(sent)
        }
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          resolve({ status: response.statusCode ?? 0, text, json: text === "" ? undefined : JSON.parse(text) })
        })
      }
    )
    outgoing.on("error", reject)
    outgoing.end(sent)
  })
