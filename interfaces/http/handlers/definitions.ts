/** What the handlers of providers and of collections have in common, which is nearly all. Reference: api.md, "Definitions", "Bodies". */
import { Effect, Either } from "effect"
import { changeDefinition, removeDefinition } from "../../../application/definitions/change-definition.ts"
import { createDefinition } from "../../../application/definitions/create-definition.ts"
import type { DefinitionKind, DefinitionRecord } from "../../../application/definitions/definition-kind.ts"
import { getDefinition } from "../../../application/definitions/find-definition.ts"
import type { Invalid, PreconditionFailed } from "../../../application/errors.ts"
import type { CollectionStore } from "../../../application/ports/stores/collection-store.ts"
import type { ProviderStore } from "../../../application/ports/stores/provider-store.ts"
import { applyPatch, isEmpty } from "../../../domain/patch/apply-patch.ts"
import type { Patch } from "../../../domain/patch/patch-policy.ts"
import type { BodyReader } from "../dto/decode.ts"
import { invalidPatch } from "../dto/patch.ts"
import type { RecordText } from "../dto/provider-wire.ts"
import { empty, jsonText } from "../exchange.ts"
import type { GuardedRequest } from "../handler.ts"
import { permitted, tagged } from "../middleware/conditional.ts"
import { onceKey, replayHeader } from "../middleware/idempotency.ts"
import { ignoredMembers, warningHeader } from "../middleware/warnings.ts"
import { HttpSettings } from "../services.ts"
import { breathe, readPayload, readQuery } from "./read-request.ts"

/** how one kind of definition looks on the wire */
export interface DefinitionWire<D, K> {
  /** of the list; records lie below it */
  readonly path: string
  readonly decode: BodyReader<D>
  /** the record without `resource`: what a PUT takes and a PATCH works on */
  readonly body: (record: K) => unknown
  readonly text: (record: K) => RecordText
}

interface Named {
  readonly id: string
}

type OnOne<Payload = never> = GuardedRequest<Named, unknown, Payload>

/** the answer to what creates a record from its body */
export const created = <Params, Payload, K, E, R>(
  request: GuardedRequest<Params, unknown, Payload>,
  { path, text }: Pick<DefinitionWire<never, K>, "path" | "text">,
  make: (
    value: Payload,
    document: unknown
  ) => Effect.Effect<{ readonly record: K & Named; readonly replayed: boolean }, E, R>
) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const { value, ignored, notes, document } = yield* readPayload(request)
    yield* breathe(request)
    const { record, replayed } = yield* Effect.uninterruptible(make(value, document))
    const { json, etag } = text(record)
    const headers = {
      location: `${path}/${record.id}`,
      etag,
      ...replayHeader(replayed),
      ...warningHeader([...notes, ...ignoredMembers(ignored)])
    }
    return jsonText(json, headers, 201)
  })

export const definitionHandlers = <D, K extends D & DefinitionRecord, S extends ProviderStore | CollectionStore>(
  kind: DefinitionKind<D, K, S>,
  wire: DefinitionWire<D, K>
) => {
  /** the caller's version is the stored one, or it named none */
  const permit =
    ({ headers }: OnOne<unknown>) =>
    (current: K): Either.Either<void, PreconditionFailed> =>
      headers["if-match"] === undefined ? Either.void : permitted(headers, current.id)(wire.text(current).etag)

  const changed = (request: OnOne<unknown>, next: (current: K) => Either.Either<D, Invalid | PreconditionFailed>) =>
    Effect.map(Effect.uninterruptible(changeDefinition(kind, request.caller, request.params.id, next)), wire.text)

  const get = (request: OnOne) =>
    Effect.gen(function* () {
      yield* readQuery(request)
      const { json, etag } = wire.text(yield* getDefinition(kind, request.caller, request.params.id))
      return tagged(request.headers, json, etag)
    })

  const create = (request: GuardedRequest<unknown, unknown, D>) =>
    created(request, wire, (value, document) =>
      Effect.flatMap(onceKey(request, document), (once) =>
        createDefinition(kind, request.caller, Effect.succeed(value), once)
      )
    )

  const replace = (request: OnOne<D>) =>
    Effect.gen(function* () {
      yield* readQuery(request)
      const { value, ignored, notes } = yield* readPayload(request)
      const { json, etag } = yield* changed(request, (current) => Either.map(permit(request)(current), () => value))
      return jsonText(json, { etag, ...warningHeader([...notes, ...ignoredMembers(ignored)]) })
    })

  const patch = (request: OnOne<Patch>) =>
    Effect.gen(function* () {
      yield* readQuery(request)
      const { value: changes, notes } = yield* readPayload(request)
      const { lenient } = yield* HttpSettings
      let unknown: ReadonlyArray<string> = []
      const { json, etag } = yield* changed(request, (current) =>
        Either.gen(function* () {
          yield* permit(request)(current)
          if (isEmpty(changes)) return current
          const patched = yield* Either.mapLeft(applyPatch(wire.body(current), changes), invalidPatch)
          const { value, ignored } = yield* wire.decode(patched, { lenient })
          unknown = ignored
          return value
        })
      )
      return jsonText(json, { etag, ...warningHeader([...notes, ...ignoredMembers(unknown)]) })
    })

  const remove = (request: OnOne) =>
    Effect.gen(function* () {
      yield* readQuery(request)
      yield* Effect.uninterruptible(removeDefinition(kind, request.caller, request.params.id, permit(request)))
      return empty
    })

  return { get, create, replace, patch, remove }
}
