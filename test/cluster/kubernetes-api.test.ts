/** T2: what evald relies on in a Kubernetes API, as a real one does it. The integration tests run the same suite against their fake. */
import { Effect, Layer } from "effect"
import { ClusterUnderTest, kubernetesApiSuite } from "../contract/cluster/kubernetes-api.suite.ts"
import { serverSideApplySuite } from "../contract/cluster/server-side-apply.suite.ts"
import { ask } from "../support/raw-kubernetes.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"

const real = Layer.effect(
  ClusterUnderTest,
  Effect.map(Cluster, ({ addNamespace, connectionAs, tokenOfUser, compact }) => {
    const connection = connectionAs(tokenOfUser("administrator"))
    /** a controller writes a configuration map into every new namespace; one that comes later would be seen by a watch of a test */
    const settled = (namespace: string) =>
      eventually(
        "the namespace's own configuration map",
        ask(connection, { path: `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt` }),
        ({ status }) => status === 200
      )
    return {
      connection,
      addNamespace: Effect.orDie(
        Effect.tap(
          Effect.suspend(() => addNamespace("api")),
          settled
        )
      ),
      compact
    }
  })
).pipe(Layer.provide(cluster))

kubernetesApiSuite("T2, a real control plane", real, noControlPlane)
serverSideApplySuite("T2, a real control plane", real, noControlPlane)
