/** What the server's settings say about jobs. The defaults are those of a server without configuration. */
import { Context } from "effect"
import type { Price, TenantBudget } from "../../domain/budget/budget.ts"
import type { EgressPolicy } from "../../domain/egress.ts"
import type { OwnLimits } from "../../domain/validity/limits.ts"

export class JobPolicy extends Context.Reference<JobPolicy>()("evald/application/jobs/JobPolicy", {
  defaultValue: (): {
    /** a tracking server is configured, so that jobs may name an experiment */
    readonly trackerConfigured: boolean
    /** hold a reported tracker failure until the adapter's next event or exit (`compat.defer_tracker_failure`) */
    readonly deferTrackerFailure: boolean
    /** which addresses `model.url` may name; absent: all */
    readonly egress?: EgressPolicy
    /** limits of validity of a tenant, where they differ from the server's; absent: no tenant has any */
    readonly validityLimits?: (tenant: string) => OwnLimits | undefined
    /** defaults and caps of a tenant's jobs; absent: no tenant has any */
    readonly budgets?: (tenant: string) => TenantBudget
    /** of a model's tokens, by its name; absent: no model has any */
    readonly price?: (model: string) => Price | undefined
    /** in a cluster: there is a volume for answers of models */
    readonly requestLogVolume?: boolean
    /** namespace of the installation itself, which is nobody's tenant */
    readonly ownNamespace?: string
    /** service account of the pods of a tenant; undefined where there are none */
    readonly serviceAccount?: string
  } => ({ trackerConfigured: false, deferTrackerFailure: true })
}) {}
