/** What a caller must be allowed to do, as an access review asks it. Which request needs which review stands with the routes. Reference: cluster-objects.md, "Reviews". */

export const verbs = ["get", "list", "create", "update", "delete"] as const
export type Verb = (typeof verbs)[number]

export interface ReviewRule {
  /** `service` and `tracker` stand for configured API groups; anything else is the group itself */
  readonly group: string
  readonly resource: string
  /** `from_method`: the verb that the request itself stands for */
  readonly verb: Verb | "from_method"
}

/** what a review asks for, before it is known in which tenant; `group` may be an alias */
export interface Right extends ReviewRule {
  readonly verb: Verb
}

/** attributes of one SubjectAccessReview */
export interface Review {
  readonly namespace: string
  readonly verb: Verb
  readonly group: string
  readonly resource: string
}

/** aliases of API groups and what they stand for */
export type Groups = { readonly [alias: string]: string }

/** `asked`: the verb of the request */
export const reviewOf = (
  { group, resource, verb }: ReviewRule,
  asked: Verb,
  tenant: string,
  groups: Groups
): Review => ({
  namespace: tenant,
  verb: verb === "from_method" ? asked : verb,
  group: (Object.hasOwn(groups, group) ? groups[group] : undefined) ?? group,
  resource
})
