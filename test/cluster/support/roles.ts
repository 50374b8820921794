/** The roles of a deployment as they are shipped (`deploy/roles`), and variants with one right taken away. */
import { readdirSync, readFileSync } from "node:fs"
import { parse } from "yaml"

export interface Rule {
  readonly apiGroups: ReadonlyArray<string>
  readonly resources: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<string>
}

export interface Role {
  readonly kind: "ClusterRole" | "Role"
  readonly metadata: { readonly name: string }
  readonly rules: ReadonlyArray<Rule>
}

const folder = new URL("../../../deploy/roles/", import.meta.url)

/** by file name without ending */
export const shippedRoles: { readonly [name: string]: Role } = Object.fromEntries(
  readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => [file.replace(/\.yaml$/, ""), parse(readFileSync(new URL(file, folder), "utf8")) as Role])
)

export const rulesOf = (name: string): ReadonlyArray<Rule> => shippedRoles[name]?.rules ?? []

/** roles of the API service account in every tenant */
export const apiRolesInTenant = ["jobs-writer", "job-config", "job-runtime", "model-secret", "tracker-access"] as const
/** roles of the job service account in every tenant */
export const jobRolesInTenant = ["job-access", "tracker-jobs-access", "tracker-jobs-runs"] as const

/** one verb on one resource */
export interface Right {
  readonly group: string
  readonly resource: string
  readonly verb: string
}

export const rightsIn = (rules: ReadonlyArray<Rule>): ReadonlyArray<Right> =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))))
  )

export const nameOfRight = ({ group, resource, verb }: Right): string =>
  `${verb} ${resource}${group === "" ? "" : `.${group}`}`

/** every other right, as one rule each */
export const rulesWithout = (rules: ReadonlyArray<Rule>, taken: Right): ReadonlyArray<Rule> =>
  rightsIn(rules)
    .filter((right) => nameOfRight(right) !== nameOfRight(taken))
    .map(({ group, resource, verb }) => ({ apiGroups: [group], resources: [resource], verbs: [verb] }))
