/** A caller of a sidecar that goes away in the middle of its request. Reference: gateway.md, "Streams and limits"; case 41. */
import { rawConnection, serve } from "./loopback-server.ts"
import { configOf, type makeScope, startedSidecar } from "./running-sidecar.ts"

export const momentsToLeave = ["before the head", "in a stream", "in an upload"] as const

/** milliseconds from the caller's leaving until the model's request is over; its silence alone would end it a quarter of an hour later */
export const callerLeaves = async (
  scope: ReturnType<typeof makeScope>,
  moment: (typeof momentsToLeave)[number]
): Promise<number> => {
  let arrived: () => void = () => {}
  const there = new Promise<void>((resolve) => {
    arrived = resolve
  })
  let end: (at: number) => void = () => {}
  const over = new Promise<number>((resolve) => {
    end = resolve
  })
  const model = await scope.keep(
    serve((request, response) => {
      response.once("close", () => end(performance.now()))
      if (moment === "in a stream")
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n")
      if (moment === "in an upload") request.once("data", arrived)
      else arrived()
    })
  )
  const { port } = await scope.keep(startedSidecar(configOf(scope.place(), { model: { url: `${model.url}/v1` } })))
  const client = await rawConnection(port)
  client.send(
    moment === "in an upload"
      ? "POST /v1 HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbegin"
      : "GET /v1 HTTP/1.1\r\nHost: x\r\n\r\n"
  )
  await there
  if (moment === "in a stream") await client.until(/data: 1/)
  const from = performance.now()
  client.destroy()
  return (await over) - from
}
