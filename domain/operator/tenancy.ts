/** Which namespaces are tenants, and who may use the name of a job account. Reference: operator.md, "Tenants". */

export interface NamespaceView {
  readonly name: string
  readonly labels: { readonly [name: string]: string }
  readonly deleting: boolean
  /** `status.phase` */
  readonly phase?: string
}

/** the label is `""` or `"true"`, exactly; other texts, such as `True`, do not count */
export const carriesTenantLabel = ({ labels }: Pick<NamespaceView, "labels">, domain: string): boolean => {
  const value = Object.hasOwn(labels, `${domain}/tenant`) ? labels[`${domain}/tenant`] : undefined
  return value === "" || value === "true"
}

/** `own`: the namespaces of the instance and of the operator, which are never tenants */
export const isTenant = (namespace: NamespaceView, domain: string, own: ReadonlyArray<string>): boolean =>
  carriesTenantLabel(namespace, domain) &&
  !namespace.deleting &&
  namespace.phase !== "Terminating" &&
  !own.includes(namespace.name)

export interface AccountClaim {
  /** `namespace/name` of the instance */
  readonly instance: string
  readonly uid: string
  /** RFC 3339 */
  readonly createdAt: string
  /** the name that its job account has in every tenant */
  readonly account: string
}

const isOlder = (a: AccountClaim, b: AccountClaim): boolean =>
  a.createdAt === b.createdAt ? a.uid < b.uid : a.createdAt < b.createdAt

/**
 * The instance that holds the account's name before this one, or undefined. Two instances can want one name, as `a` in `b-c` and `a-b` in
 * `c` do: the older has it in every tenant, the other serves none until it is gone.
 */
export const holderBefore = (claim: AccountClaim, all: ReadonlyArray<AccountClaim>): AccountClaim | undefined =>
  all
    .filter((other) => other.uid !== claim.uid && other.account === claim.account && isOlder(other, claim))
    .reduce<AccountClaim | undefined>(
      (first, other) => (first === undefined || isOlder(other, first) ? other : first),
      undefined
    )
