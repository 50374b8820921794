/** HTTP probes as a kubelet makes them: from the node to the address of the pod. */
import { get } from "node:http"
import { Effect } from "effect"
import type { Probe } from "./pod.ts"

const look = (address: string, { httpGet, timeoutSeconds = 1 }: Probe): Effect.Effect<string | undefined> =>
  Effect.async((resume) => {
    if (httpGet === undefined) return resume(Effect.succeed("a kind of probe that this kubelet does not have"))
    const request = get(
      { host: address, port: httpGet.port, path: httpGet.path ?? "/", timeout: timeoutSeconds * 1000, agent: false },
      (response) => {
        response.resume()
        const status = response.statusCode ?? 0
        resume(
          Effect.succeed(status >= 200 && status < 400 ? undefined : `HTTP probe failed with statuscode: ${status}`)
        )
      }
    )
    request.on("timeout", () => request.destroy(new Error("context deadline exceeded")))
    request.on("error", (error) =>
      resume(Effect.succeed(`Get "http://${address}:${httpGet.port}${httpGet.path ?? "/"}": ${error.message}`))
    )
    return Effect.sync(() => request.destroy())
  })

/** succeeds at the first good answer, fails with the last problem after `failureThreshold` bad ones */
export const untilGood = (address: string, probe: Probe): Effect.Effect<void, string> =>
  Effect.gen(function* () {
    const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 } = probe
    yield* Effect.sleep(initialDelaySeconds * 1000)
    for (let failures = 1; ; failures += 1) {
      const problem = yield* look(address, probe)
      if (problem === undefined) return
      if (failures >= failureThreshold) return yield* Effect.fail(problem)
      yield* Effect.sleep(periodSeconds * 1000)
    }
  })
