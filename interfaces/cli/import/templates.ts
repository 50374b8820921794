/** Texts with places for values, `{{ name }}`: what both formats share. Anything beyond places is not understood, and says so. */
import { Either } from "effect"
import { isObject } from "../../../values/json.ts"
import { scalarText } from "./imported.ts"

/** stands for the reply of the model that is evaluated */
export const replyPlace = "{{reply}}"

const place = /\{\{\s*([^{}]*?)\s*\}\}/g

const valueAt = (values: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (node, part) =>
        isObject(node) && Object.hasOwn(node, part)
          ? node[part]
          : Array.isArray(node) && /^\d+$/.test(part)
            ? node[Number(part)]
            : undefined,
      values
    )

/** the text with its values; `replies`: places of the reply, which is not known yet. Left: why it can not be rendered */
export const render = (
  template: string,
  values: { readonly [name: string]: unknown },
  replies: ReadonlyArray<string> = []
): Either.Either<string, string> => {
  if (/\{%|\{#/.test(template)) return Either.left("its template has statements, and only values are understood")
  let problem: string | undefined
  const text = template.replaceAll(place, (_, path: string) => {
    if (replies.includes(path)) return replyPlace
    if (!/^[\w.-]+$/.test(path)) {
      problem ??= `its template has '{{ ${path} }}', and only names of values are understood`
      return ""
    }
    const value = scalarText(valueAt(values, path))
    if (value === undefined) problem ??= `its template names '${path}', for which there is no text`
    return value ?? ""
  })
  return problem === undefined ? Either.right(text) : Either.left(problem)
}
