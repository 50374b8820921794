/** HTTP probes as a kubelet makes them: from the node to the address of the pod; whoever answers by TLS is not asked who they are. */
import { get as getPlain } from "node:http"
import { get as getByTls } from "node:https"
import { Effect } from "effect"
import type { Container, Probe } from "./pod.ts"

type Get = NonNullable<Probe["httpGet"]>

/** undefined: no port of the container has this name */
const portOf = ({ ports = [] }: Container, { port }: Get): number | undefined =>
  typeof port === "number" ? port : ports.find(({ name }) => name === port)?.containerPort

const look = (
  address: string,
  container: Container,
  { httpGet, timeoutSeconds = 1 }: Probe
): Effect.Effect<string | undefined> =>
  Effect.async((resume) => {
    const port = httpGet === undefined ? undefined : portOf(container, httpGet)
    if (httpGet === undefined || port === undefined)
      return resume(Effect.succeed("a kind of probe that this kubelet does not have, or a port without a name"))
    const { path = "/", scheme = "HTTP" } = httpGet
    const options = { host: address, port, path, timeout: timeoutSeconds * 1000, agent: false } as const
    const get = scheme === "HTTPS" ? getByTls : getPlain
    const request = get({ ...options, rejectUnauthorized: false }, (response) => {
      response.resume()
      const status = response.statusCode ?? 0
      resume(Effect.succeed(status >= 200 && status < 400 ? undefined : `HTTP probe failed with statuscode: ${status}`))
    })
    request.on("timeout", () => request.destroy(new Error("context deadline exceeded")))
    request.on("error", (error) =>
      resume(Effect.succeed(`Get "${scheme.toLowerCase()}://${address}:${port}${path}": ${error.message}`))
    )
    return Effect.sync(() => request.destroy())
  })

/** succeeds at the first good answer, fails with the last problem after `failureThreshold` bad ones */
export const untilGood = (address: string, container: Container, probe: Probe): Effect.Effect<void, string> =>
  Effect.gen(function* () {
    const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 } = probe
    yield* Effect.sleep(initialDelaySeconds * 1000)
    for (let failures = 1; ; failures += 1) {
      const problem = yield* look(address, container, probe)
      if (problem === undefined) return
      if (failures >= failureThreshold) return yield* Effect.fail(problem)
      yield* Effect.sleep(periodSeconds * 1000)
    }
  })
