/** What the handlers of providers and of collections have in common, which is nearly all. Reference: api.md, "Definitions", "Bodies". */
import { Effect, Either } from "effect"
import { changeDefinition, removeDefinition } from "../../../application/definitions/change-definition.ts"
import { createDefinition } from "../../../application/definitions/create-definition.ts"
import type { DefinitionKind, DefinitionRecord } from "../../../application/definitions/definition-kind.ts"
import { getDefinition } from "../../../application/definitions/find-definition.ts"
import { Invalid, type PreconditionFailed } from "../../../application/errors.ts"
import type { CollectionStore } from "../../../application/ports/collection-store.ts"
import type { ProviderStore } from "../../../application/ports/provider-store.ts"
import { applyPatch, isEmpty } from "../../../domain/patch/apply-patch.ts"
import { type PatchPolicy, readPatch } from "../../../domain/patch/patch-policy.ts"
import { type Violation, violation } from "../../../domain/violation.ts"
import type { GuardedHandler, GuardedRequest } from "../dispatch.ts"
import type { Decoded, DecodeOptions } from "../dto/decode.ts"
import { readNothing } from "../dto/list-queries.ts"
import { withoutAnswerMembers } from "../dto/provider-body.ts"
import type { RecordText } from "../dto/provider-wire.ts"
import { empty, jsonText } from "../exchange.ts"
import { permitted, tagged } from "../middleware/conditional.ts"
import { onceKey, replayHeader } from "../middleware/idempotency.ts"
import { ignoredMembers, warningHeader } from "../middleware/warnings.ts"
import { HttpSettings } from "../services.ts"
import { acceptsJson, breathe, readDocument } from "./read-request.ts"

/** how one kind of definition looks on the wire */
export interface DefinitionWire<D, K> {
  /** of the list; records lie below it */
  readonly path: string
  readonly decode: (document: unknown, options: DecodeOptions) => Either.Either<Decoded<D>, Invalid>
  /** the record without `resource`: what a PUT takes and a PATCH works on */
  readonly body: (record: K) => unknown
  readonly text: (record: K) => RecordText
  /** what a PATCH may touch */
  readonly policy: PatchPolicy
}

const patchTypes = ["application/json", "application/json-patch+json", "application/merge-patch+json"]

const invalid = ([first, ...rest]: ReadonlyArray<Violation>): Invalid =>
  new Invalid({ violations: [first ?? violation("", "the patch is not valid", "invalid_patch_operation"), ...rest] })

const idOf = ({ params }: GuardedRequest): string => params["id"] ?? ""

export const definitionHandlers = <D, K extends D & DefinitionRecord, S extends ProviderStore | CollectionStore>(
  kind: DefinitionKind<D, K, S>,
  wire: DefinitionWire<D, K>
) => {
  /** the caller's version is the stored one, or it named none */
  const permit =
    ({ headers }: GuardedRequest) =>
    (current: K): Either.Either<void, PreconditionFailed> =>
      headers["if-match"] === undefined ? Either.void : permitted(headers, current.id)(wire.text(current).etag)

  const changed = (request: GuardedRequest, next: (current: K) => Either.Either<D, Invalid | PreconditionFailed>) =>
    Effect.map(Effect.uninterruptible(changeDefinition(kind, request.caller, idOf(request), next)), wire.text)

  const get: GuardedHandler = (request) =>
    Effect.gen(function* () {
      yield* acceptsJson(request)
      yield* readNothing(request.search)
      const { json, etag } = wire.text(yield* getDefinition(kind, request.caller, idOf(request)))
      return tagged(request.headers, json, etag)
    })

  const create: GuardedHandler = (request) =>
    Effect.gen(function* () {
      yield* acceptsJson(request)
      yield* readNothing(request.search)
      const { value: document, notes } = yield* readDocument(request)
      const { value, ignored } = yield* wire.decode(document, yield* HttpSettings)
      yield* breathe(request)
      const once = yield* onceKey(request, document)
      yield* breathe(request)
      const { record, replayed } = yield* Effect.uninterruptible(createDefinition(kind, request.caller, value, once))
      const { json, etag } = wire.text(record)
      const headers = { location: `${wire.path}/${record.id}`, etag, ...replayHeader(replayed), ...warningHeader([...notes, ...ignoredMembers(ignored)]) }
      return jsonText(json, headers, 201)
    })

  const replace: GuardedHandler = (request) =>
    Effect.gen(function* () {
      yield* acceptsJson(request)
      yield* readNothing(request.search)
      const { value: document, notes } = yield* readDocument(request)
      const { value, ignored } = yield* wire.decode(withoutAnswerMembers(document), yield* HttpSettings)
      yield* breathe(request)
      const { json, etag } = yield* changed(request, (current) => Either.map(permit(request)(current), () => value))
      return jsonText(json, { etag, ...warningHeader([...notes, ...ignoredMembers(ignored)]) })
    })

  const patch: GuardedHandler = (request) =>
    Effect.gen(function* () {
      yield* acceptsJson(request)
      yield* readNothing(request.search)
      const { value: document, notes } = yield* readDocument(request, patchTypes)
      const changes = yield* Either.mapLeft(readPatch(document, wire.policy), invalid)
      yield* breathe(request)
      const { lenient } = yield* HttpSettings
      let unknown: ReadonlyArray<string> = []
      const { json, etag } = yield* changed(request, (current) =>
        Either.gen(function* () {
          yield* permit(request)(current)
          if (isEmpty(changes)) return current
          const patched = yield* Either.mapLeft(applyPatch(wire.body(current), changes), invalid)
          const { value, ignored } = yield* wire.decode(patched, { lenient })
          unknown = ignored
          return value
        })
      )
      return jsonText(json, { etag, ...warningHeader([...notes, ...ignoredMembers(unknown)]) })
    })

  const remove: GuardedHandler = (request) =>
    Effect.gen(function* () {
      yield* readNothing(request.search)
      yield* Effect.uninterruptible(removeDefinition(kind, request.caller, idOf(request), permit(request)))
      return empty
    })

  return { get, create, replace, patch, remove }
}
