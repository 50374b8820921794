/**
 * Routes of a local unit's adapter, authorised by the secret in the path: its own events and samples, its model traffic, and
 * its results on their way to registry and tracker. Everything else, and
 * every unknown secret, answers like a path that does not exist. Reference: gateway.md, "Routes".
 */
import { Effect, Either, Redacted } from "effect"
import { Forbidden } from "../../../application/errors.ts"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { UnitSecrets } from "../../../application/ports/stores/unit-secrets.ts"
import { reporterAtAddress } from "../../../domain/access/reporting.ts"
import { errorAnswer, routeNotFound } from "../error-response.ts"
import type { Answer, Exchange } from "../exchange.ts"
import { ModelTraffic } from "../gateway/model-traffic.ts"
import { ResultTraffic } from "../gateway/result-traffic.ts"
import { takeEvent } from "./events.ts"
import { takeSamples } from "./samples.ts"

const shape = /^\/cb\/([A-Za-z0-9_-]{43})(\/.*)$/
const eventsPath = /^\/api\/v1\/evaluations\/jobs\/([^/]+)\/events$/
const samplesPath = /^\/api\/v1\/evaluations\/jobs\/([^/]+)\/benchmarks\/(\d{1,6})\/samples$/

const unknown = ({ trace }: Exchange): Answer => errorAnswer(routeNotFound, trace)

const modelPath = /^\/model(?=$|\/)/

const toModel = (exchange: Exchange, unit: UnitId, secret: string, rest: string) =>
  Effect.gen(function* () {
    const { handle } = yield* ModelTraffic
    const query = exchange.search === "" ? "" : `?${exchange.search}`
    return (
      (yield* handle({
        exchange,
        unit,
        base: `/cb/${secret}/model`,
        path: `${rest.slice("/model".length)}${query}`
      })) ?? unknown(exchange)
    )
  })

/** registry and tracker; what is neither answers like an unknown route */
const toPeers = (exchange: Exchange, unit: UnitId, secret: string, rest: string) =>
  Effect.gen(function* () {
    const { handle } = yield* ResultTraffic
    const query = exchange.search === "" ? "" : `?${exchange.search}`
    return (yield* handle({ exchange, unit, base: `/cb/${secret}`, path: `${rest}${query}` })) ?? unknown(exchange)
  })

const peerPath = /^\/(v2|_evald|api\/[23]\.0)\//

const route = (exchange: Exchange, unit: UnitId, secret: string, rest: string) =>
  Effect.gen(function* () {
    if (modelPath.test(rest)) return yield* toModel(exchange, unit, secret, rest)
    if (peerPath.test(rest)) return yield* toPeers(exchange, unit, secret, rest)
    const [, jobId, index] = eventsPath.exec(rest) ?? samplesPath.exec(rest) ?? []
    if (jobId === undefined || exchange.method !== "POST") return unknown(exchange)
    const reporter = yield* Either.mapLeft(reporterAtAddress(unit, jobId), (message) => new Forbidden({ message }))
    const target = { ...reporter, jobId }
    // adapters name the address that they asked, and everybody who may read the job reads what they say
    const told = { ...exchange, unspoken: secret }
    return yield* index === undefined ? takeEvent(told, target) : takeSamples(told, { ...target, index: Number(index) })
  })

export const callbacks = (exchange: Exchange) =>
  Effect.gen(function* () {
    const [, secret, rest] = shape.exec(exchange.path) ?? []
    if (secret === undefined || rest === undefined) return unknown(exchange)
    const secrets = yield* UnitSecrets
    const lookUp = secrets.identify(Redacted.make(secret))
    const { identify } = yield* ModelTraffic
    const unit = yield* modelPath.test(rest) ? identify(secret, lookUp) : lookUp
    return unit === undefined ? unknown(exchange) : yield* route(exchange, unit, secret, rest)
  })
