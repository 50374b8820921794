/** YAML, in a bundle of its own: most commands need none. */
import { parse, parseAllDocuments, stringify } from "yaml"

/** throws with the place of the first error; aliases are refused */
export const fromYaml = (text: string): unknown => parse(text, { maxAliasCount: 0 })

export const toYaml = (value: unknown): string => stringify(value, { lineWidth: 0 })

/** each document that is not empty; throws with the place of the first error */
export const documentsIn = (text: string): ReadonlyArray<unknown> =>
  [...parseAllDocuments(text)]
    .filter(({ contents }) => contents !== null)
    .map((document): unknown => {
      const [error] = document.errors
      if (error !== undefined) throw error
      return document.toJS({ maxAliasCount: 100 })
    })
