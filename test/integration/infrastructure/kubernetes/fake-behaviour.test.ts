/** T1: the fake does what evald relies on in a Kubernetes API exactly as the real control plane does, which runs the same suite. */
import { Effect, Layer } from "effect"
import { ClusterUnderTest, kubernetesApiSuite } from "../../../contract/cluster/kubernetes-api.suite.ts"
import { serverSideApplySuite } from "../../../contract/cluster/server-side-apply.suite.ts"
import { Fake } from "../../../support/fake-kubernetes/fake-kubernetes.ts"

const fake = Layer.effect(
  ClusterUnderTest,
  Effect.map(Fake, ({ connection, addNamespace, store }) => {
    let made = 0
    return {
      connection,
      addNamespace: Effect.sync(() => {
        made += 1
        addNamespace(`api-${made}`)
        return `api-${made}`
      }),
      compact: Effect.sync(store.compact)
    }
  })
).pipe(Layer.provide(Fake.Default))

kubernetesApiSuite("T1, the fake", fake)
serverSideApplySuite("T1, the fake", fake)
