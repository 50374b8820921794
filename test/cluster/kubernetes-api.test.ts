/** T2: what evald relies on in a Kubernetes API, as a real one does it. The integration tests run the same suite against their fake. */
import { Effect, Layer } from "effect"
import { ClusterUnderTest, kubernetesApiSuite } from "../contract/cluster/kubernetes-api.suite.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"

const real = Layer.effect(
  ClusterUnderTest,
  Effect.map(Cluster, ({ addNamespace, connectionAs, tokenOfUser, compact }) => ({
    connection: connectionAs(tokenOfUser("administrator")),
    addNamespace: Effect.orDie(Effect.suspend(() => addNamespace("api"))),
    compact
  }))
).pipe(Layer.provide(cluster))

kubernetesApiSuite("T2, a real control plane", real, noControlPlane)
