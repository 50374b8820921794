/** Label and field selectors as the API server reads them. */
import type { KubeObject } from "../../../infrastructure/kubernetes/client/resources.ts"
import { isObject } from "../../../values/json.ts"
import type { Kind } from "./kinds.ts"
import { badRequest } from "./status.ts"

type Test = (object: KubeObject) => boolean

const valuesOf = (list: string): ReadonlyArray<string> => list.split(",").map((value) => value.trim())

const requirement = (text: string): Test => {
  const label = (object: KubeObject, key: string) => object.metadata.labels?.[key]
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text)
  if (set !== null) {
    const [, key = "", operator, list = ""] = set
    const values = valuesOf(list)
    return (object) => values.includes(label(object, key) ?? "\0") === (operator === "in")
  }
  const pair = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(text)
  if (pair !== null) {
    const [, key = "", operator, value] = pair
    return (object) => (label(object, key) === value) === (operator !== "!=")
  }
  if (/^!\S+$/.test(text)) return (object) => label(object, text.slice(1)) === undefined
  if (/^[^\s()]+$/.test(text)) return (object) => label(object, text) !== undefined
  throw badRequest(`unable to parse requirement: ${text}`)
}

export const labelSelector = (text: string): Test => {
  const parts = text.match(/[^,(]+(\([^)]*\))?/g) ?? []
  const tests = parts.map((part) => requirement(part.trim()))
  return (object) => tests.every((test) => test(object))
}

const member = (object: KubeObject, path: string): unknown => {
  let value: unknown = object
  for (const name of path.split(".")) value = isObject(value) ? value[name] : undefined
  return value
}

/** fields that can be selected by, beside name and namespace */
const fieldsOf: { readonly [plural: string]: ReadonlyArray<string> } = {
  pods: ["status.phase", "spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName"],
  jobs: ["status.successful"],
  secrets: ["type"],
  namespaces: ["status.phase"],
  events: [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "reason",
    "type"
  ]
}

export const fieldSelector = (kind: Kind, text: string): Test => {
  const tests = text.split(",").map((part): Test => {
    const [, path = "", operator, value] = /^([^=!]+)(==|=|!=)(.*)$/.exec(part) ?? []
    if (operator === undefined) throw badRequest(`invalid selector: '${part}'`)
    if (!["metadata.name", "metadata.namespace", ...(fieldsOf[kind.plural] ?? [])].includes(path))
      throw badRequest(`"${path}" is not a known field selector`)
    return (object) => (String(member(object, path) ?? "") === value) === (operator !== "!=")
  })
  return (object) => tests.every((test) => test(object))
}
