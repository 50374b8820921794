/** What the API server checks and fills in before it stores an object: only what evald's objects can run into. */
import { isDeepStrictEqual } from "node:util"
import { isKubeObject, type KubeObject } from "../../../infrastructure/kubernetes/client/resources.ts"
import { isObject, type JsonObject } from "../../../values/json.ts"
import type { Kind } from "./kinds.ts"
import { badRequest, invalid } from "./status.ts"

const labelValue = /^$|^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/
const labelName = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/
const objectName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
const maxData = 1_048_576
const restarts: ReadonlyArray<unknown> = ["Never", "OnFailure"]
/** kinds whose status is written through its own path */
const hasStatus = ({ plural, status }: Kind): boolean =>
  status === true || ["jobs", "pods", "namespaces", "workloads"].includes(plural)

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const checkMeta = (kind: Kind, { metadata }: KubeObject): void => {
  const { name } = metadata
  if (!objectName.test(name))
    throw invalid(
      kind,
      name,
      "metadata.name",
      "FieldValueInvalid",
      `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of …`
    )
  for (const [label, value] of Object.entries(metadata.labels ?? {})) {
    const wrong = labelName.test(label) ? (labelValue.test(value) ? undefined : value) : label
    if (wrong !== undefined)
      throw invalid(
        kind,
        name,
        "metadata.labels",
        "FieldValueInvalid",
        `Invalid value: "${wrong}": a valid label must …`
      )
  }
}

const checkJob = (kind: Kind, { metadata, spec }: KubeObject): void => {
  const template = objectOf(objectOf(spec)["template"])
  const { name } = metadata
  if (name.length > 63)
    throw invalid(
      kind,
      name,
      "spec.template.labels",
      "FieldValueInvalid",
      `Invalid value: "${name}": must be no more than 63 characters`
    )
  // stored by tests that care for nothing but the Job itself
  if (!isObject(template["spec"])) return
  if (!restarts.includes(template["spec"]["restartPolicy"]))
    throw invalid(
      kind,
      name,
      "spec.template.spec.restartPolicy",
      "FieldValueRequired",
      'Required value: valid values: "OnFailure", "Never"'
    )
}

const bytesOf = (data: unknown): number =>
  Object.entries(objectOf(data)).reduce(
    (sum, [key, value]) => sum + key.length + (typeof value === "string" ? Buffer.byteLength(value) : 0),
    0
  )

const secretOf = (object: KubeObject): KubeObject => {
  const { stringData, ...rest } = object
  const added = Object.fromEntries(
    Object.entries(objectOf(stringData)).map(([key, value]) => [key, Buffer.from(String(value)).toString("base64")])
  )
  const data = { ...objectOf(rest["data"]), ...added }
  return { type: "Opaque", ...rest, metadata: rest.metadata, ...(Object.keys(data).length === 0 ? {} : { data }) }
}

/** the object of a create request as it is stored, or the refusal */
export const admitted = (kind: Kind, namespace: string | undefined, body: unknown): KubeObject => {
  const given = objectOf(body)
  const metadata = objectOf(given["metadata"])
  if (given["kind"] !== undefined && given["kind"] !== kind.kind)
    throw badRequest(`${String(given["kind"])} in version "v1" cannot be handled as a ${kind.kind}`)
  if (!isKubeObject(body))
    throw invalid(kind, "", "metadata.name", "FieldValueRequired", "Required value: name or generateName is required")
  if (metadata["namespace"] !== undefined && metadata["namespace"] !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request")
  const { status: _, ...rest } = body
  const object: KubeObject = hasStatus(kind) ? { ...rest, metadata: rest.metadata } : body
  const { name } = object.metadata
  if (kind.plural === "jobs") checkJob(kind, object)
  if (kind.plural === "configmaps" && bytesOf(object["data"]) > maxData)
    throw invalid(kind, name, "[]", "FieldValueTooLong", `Too long: may not be more than ${maxData} bytes`)
  const about = objectOf(object["involvedObject"])["namespace"]
  if (kind.plural === "events" && about !== namespace)
    throw invalid(
      kind,
      name,
      "involvedObject.namespace",
      "FieldValueInvalid",
      `Invalid value: "${String(about)}": does not match event.namespace`
    )
  return kind.plural === "secrets" ? secretOf(object) : object
}

/** may this object take the place of that one? */
export const checkChange = (kind: Kind, before: KubeObject, after: KubeObject): void => {
  const { name, uid } = before.metadata
  if (after.metadata.uid !== undefined && after.metadata.uid !== uid)
    throw invalid(
      kind,
      name,
      "metadata.uid",
      "FieldValueInvalid",
      `Invalid value: "${after.metadata.uid}": field is immutable`
    )
  if (before["immutable"] === true && !isDeepStrictEqual(before["data"], after["data"]))
    throw invalid(kind, name, "data", "FieldValueForbidden", "Forbidden: field is immutable when `immutable` is set")
  if (
    kind.plural === "jobs" &&
    !isDeepStrictEqual(objectOf(before["spec"])["template"], objectOf(after["spec"])["template"])
  )
    throw invalid(kind, name, "spec.template", "FieldValueInvalid", "Invalid value: …: field is immutable")
  checkMeta(kind, after)
}

/** a change through the object's own path leaves the status alone, one through `/status` everything else */
export const writable = (
  kind: Kind,
  before: KubeObject,
  after: KubeObject,
  subresource: string | undefined
): KubeObject => {
  if (subresource === "status")
    return {
      ...before,
      metadata: { ...before.metadata, ...preconditionsOf(after), ...ownersOf(after) },
      status: after["status"]
    }
  if (!hasStatus(kind)) return after
  const { status: _, ...rest } = after
  return { ...rest, metadata: rest.metadata, ...(before["status"] === undefined ? {} : { status: before["status"] }) }
}

const ownersOf = ({ metadata }: KubeObject) =>
  metadata.managedFields === undefined ? {} : { managedFields: metadata.managedFields }

const preconditionsOf = ({ metadata }: KubeObject) => ({
  ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
  ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion })
})

/** questions of a review that are none */
export const checkReview = (kind: Kind, spec: unknown): void => {
  const asked = objectOf(spec)
  if (kind.kind === "TokenReview") {
    if (typeof asked["token"] !== "string" || asked["token"] === "")
      throw badRequest("token is required for TokenReview in authentication")
    return
  }
  const unnamed = { kind: "", group: kind.group }
  const groups = asked["groups"]
  const hasGroup = Array.isArray(groups) && groups.length > 0
  if ((asked["user"] === undefined || asked["user"] === "") && !hasGroup)
    throw invalid(
      unnamed,
      "",
      "spec.user",
      "FieldValueInvalid",
      'Invalid value: "": at least one of user or group must be specified'
    )
  if (asked["resourceAttributes"] === undefined && asked["nonResourceAttributes"] === undefined)
    throw invalid(
      unnamed,
      "",
      "spec.resourceAttributes",
      "FieldValueInvalid",
      "Invalid value: null: exactly one of … must be specified"
    )
}
