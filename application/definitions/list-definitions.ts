/** A page of the definitions that a tenant sees, built-in ones first, then by name. Reference: api.md, "Lists". */
import { Effect } from "effect"
import type { PageRequest } from "../../domain/paging.ts"
import { definitionPage } from "../../domain/provider/definition-page.ts"
import type { Caller } from "../access/caller.ts"
import type { DefinitionKind, DefinitionRecord } from "./definition-kind.ts"
import { visibleDefinitions } from "./find-definition.ts"

export const listDefinitions = <D, K extends D & DefinitionRecord, S>(
  kind: DefinitionKind<D, K, S>,
  caller: Caller,
  matches: (record: K) => boolean,
  page: PageRequest,
  render: (record: K) => string
) =>
  Effect.map(visibleDefinitions(kind, caller.tenant), ({ records, errors }) => ({
    ...definitionPage(records, matches, page, render),
    errors
  }))
