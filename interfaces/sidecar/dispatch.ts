/** Which part of the sidecar answers a request of the adapter. Reference: gateway.md, "Routes". */

import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { defined } from "../../values/defined.ts"
import { Fault } from "../gateway/fault.ts"
import { toModel } from "../gateway/model-route.ts"
import { type Caller, type Exchange, refuse } from "../gateway/proxy.ts"
import { toRegistry, toUpload } from "../gateway/registry-route.ts"
import { type Route, type RouteContext, routeOf } from "../gateway/route.ts"
import { toTracker } from "../gateway/tracker-route.ts"
import type { EventIdentity } from "./event-body.ts"
import type { Relay } from "./event-relay.ts"
import { toEvents } from "./event-route.ts"
import type { Outbound } from "./outbound.ts"
import { type SampleRelay, toSamples } from "./sample-route.ts"
import type { SpentReport } from "./spent-report.ts"

/** what requests are brought to */
export interface Parts {
  readonly outbound: Outbound
  readonly relay: Relay
  readonly samples: SampleRelay
}

interface DispatchOptions {
  readonly identity: EventIdentity
  readonly report: SpentReport
  readonly onExchange: (exchange: Exchange) => void
}

const routeContextOf = ({ identity, registry, model }: SidecarConfig): RouteContext => ({
  jobId: identity.job_id,
  benchmarkIndex: identity.benchmark_index,
  ...defined({ repository: registry?.repository, modelPrefix: model.prefix })
})

/** `parts` are undefined while the sidecar starts */
export const makeDispatch = (config: SidecarConfig, { identity, report, onExchange }: DispatchOptions) => {
  const context = routeContextOf(config)
  const stop = (caller: Caller, name: string, fault: Fault) => refuse(caller, name, fault, { onExchange })

  const follow = (route: Route, caller: Caller, { outbound, relay, samples }: Parts): void => {
    switch (route._tag) {
      case "Invalid":
        stop(caller, "other", new Fault(400, "path_invalid", route.message))
        break
      case "Forbidden": {
        const message = "only events and samples of this pod's own benchmark can be sent to the server"
        stop(caller, "other", new Fault(403, "forbidden", message))
        break
      }
      case "Health":
        caller.response.writeHead(200, { "content-type": "application/json" }).end('{"status":"healthy"}')
        break
      case "Events":
        toEvents(caller, { identity, relay, report, onExchange })
        break
      case "Samples":
        toSamples(caller, samples, onExchange)
        break
      case "Tracker": {
        const message = "no tracking server is configured for this benchmark"
        if (outbound.tracker !== undefined) toTracker(caller, outbound.tracker)
        else stop(caller, "tracker", new Fault(404, "route_not_found", message))
        break
      }
      case "Registry":
        if (outbound.registry !== undefined) toRegistry(caller, outbound.registry)
        break
      case "Upload":
        if (outbound.registry !== undefined) toUpload(caller, outbound.registry, route.token)
        break
      case "Unknown": {
        const message = `no such path here; the model is asked below ${config.model.prefix}, as model.url of the job file says`
        stop(caller, "other", new Fault(404, "route_not_found", message))
        break
      }
      case "Model":
        toModel(config.model.prefix === undefined ? caller : { ...caller, path: route.path }, outbound.model)
    }
  }

  return (caller: Caller, parts: Parts | undefined): void => {
    const { method = "GET", url = "", headers } = caller.request
    if (parts === undefined)
      stop(caller, "other", new Fault(503, "overloaded", "the sidecar is starting", { "retry-after": "1" }))
    else if (headers.upgrade !== undefined)
      stop(caller, "other", new Fault(501, "upgrade_not_supported", "protocol upgrades are not supported"))
    else follow(routeOf(method, url, context), caller, parts)
  }
}
