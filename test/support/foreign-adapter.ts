/** Adapters of others as custom providers of a real server, each with one benchmark of sums. */
import { type HostedJob, type ServiceHost, serviceHost } from "./service-host.ts"

/** a provider with one benchmark of sums, run by `command` */
export const sumsProvider = (command: string): object => ({
  name: "sums",
  title: "Sums by an adapter of one file",
  description: "",
  runtime: { local: { command } },
  benchmarks: [
    {
      id: "sums",
      name: "Sums",
      category: "math",
      metrics: ["exact_match"],
      primary_score: { metric: "exact_match", lower_is_better: false }
    }
  ]
})

export interface ForeignHost extends Omit<ServiceHost, "evaluate"> {
  /** a demo model that is always right and knows only callers with the key that the gateway has */
  readonly modelUrl: string
  /** to the terminal state; the model's key comes from a secret unless `withKey` is false */
  readonly evaluate: (provider: string, parameters?: object, withKey?: boolean) => Promise<HostedJob>
}

export const foreignHost = async (env: Readonly<Record<string, string>> = {}): Promise<ForeignHost> => {
  const host = await serviceHost({ env })
  const guarded = await host.guardedModel()
  const open = { url: guarded.url, name: guarded.name }
  return {
    ...host,
    modelUrl: guarded.url,
    evaluate: (provider, parameters = { num_examples: 4 }, withKey = true) =>
      host.evaluate(withKey ? guarded : open, [{ id: "sums", provider_id: provider, parameters }])
  }
}
