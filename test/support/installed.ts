/** What is installed, as the generator makes it from the sources of this checkout. */
import { readdirSync, readFileSync } from "node:fs"
import { parseAllDocuments } from "yaml"
import type { FilesInput } from "../../infrastructure/kubernetes/installation/files.ts"
import { isObject } from "../../values/json.ts"
import { platform, shippedDefinitions } from "./operator-inputs.ts"
import type { AllowedRight, Checked } from "./policy-checks.ts"

export const deploy = new URL("../../deploy/", import.meta.url)

export const filesInput: FilesInput = {
  version: (JSON.parse(readFileSync(new URL("../package.json", deploy), "utf8")) as { readonly version: string })
    .version,
  installation: {
    domain: platform.domain,
    groups: platform.groups,
    platformDomain: platform.platformDomain,
    queueDomain: platform.queueDomain,
    namespace: platform.namespace,
    serviceAccount: platform.serviceAccount,
    rolePrefix: platform.rolePrefix,
    definitions: shippedDefinitions
  }
}

const isChecked = (value: unknown): value is Checked => isObject(value) && isObject(value["metadata"])

/** the objects of a text with any number of documents */
export const objectsIn = (text: string): ReadonlyArray<Checked> =>
  [...parseAllDocuments(text)].map((document): unknown => document.toJS()).filter(isChecked)

export const sampleFiles: ReadonlyArray<readonly [file: string, objects: ReadonlyArray<Checked>]> = readdirSync(
  new URL("kustomize/samples/", deploy)
).map((file) => [file, objectsIn(readFileSync(new URL(`kustomize/samples/${file}`, deploy), "utf8"))])

/** the list of rights that are allowed */
export const allowedRights: ReadonlyArray<AllowedRight> = readFileSync(new URL("rights.tsv", deploy), "utf8")
  .trimEnd()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [role = "", group = "", resource = "", verbs = "", subject = "", reason = ""] = line.split("\t")
    return { role, group, resource, verbs: verbs.split(" "), subject, reason }
  })
