/** On whose behalf a use case runs: every stored record is read and written within one tenant. Reference: api.md, "Authentication". */

export interface Caller {
  readonly tenant: string
  /** resolved identity, stored as `owner` of what the caller creates */
  readonly owner: string
}
