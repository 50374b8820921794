/** T1: the authority of TLS mode Issued changes: both are published first, then the new one signs, and no pod is restarted. */
import { X509Certificate } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { makeAuthority } from "../../../../../infrastructure/kubernetes/operator/x509.ts"
import { isObject, member, textMember } from "../../../../../values/json.ts"
import { layer as fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { kindOf } from "../../../../support/fake-kubernetes/job-controller.ts"
import { operating, tenantLabel } from "../../../../support/fake-kubernetes/operating.ts"
import { at } from "../../../../support/http-app.ts"

const dayMillis = 86_400_000
const [home, here, name] = ["evald-system", "team-services", "evald-operator-ca"]

describe("the authority of certificates", () => {
  it.scoped(
    "near its end it gets a successor, which everybody has for 30 days before it signs; pods are not restarted",
    () =>
      Effect.gen(function* () {
        const { cluster, addInstance, start, until, resource, rolledOut, pass } = yield* operating()
        const now = yield* Clock.currentTimeMillis
        const old = makeAuthority(now - 3300 * dayMillis)
        cluster.addSecret(home, name, { "tls.crt": old.certificate, "tls.key": old.key })
        cluster.addNamespace("team-a", tenantLabel)
        addInstance()
        const dataOf = (plural: string, namespace: string, object: string) =>
          cluster.store.get(kindOf(plural), namespace, object)["data"]
        const secretText = (namespace: string, secret: string, key: string) =>
          Buffer.from(textMember(dataOf("secrets", namespace, secret), key) ?? "", "base64").toString("utf8")
        const bundles = () =>
          [
            [here, "evald.service-ca"],
            ["team-a", "evald.team-services.service-ca"]
          ].map(
            ([namespace = "", map = ""]) => textMember(dataOf("configmaps", namespace, map), "service-ca.crt") ?? ""
          )
        const count = (text: string) => text.split("BEGIN CERTIFICATE").length - 1
        const signedBy = (certificate: string) =>
          new X509Certificate(secretText(here, "evald-tls", "tls.crt")).verify(
            new X509Certificate(certificate).publicKey
          )
        const podTemplate = () => JSON.stringify(at(cluster.objects("deployments")[0], "spec.template"))

        const first = yield* start
        yield* until("a Deployment", () => cluster.objects("deployments").length === 1)
        rolledOut()
        yield* until("a tenant", () => at(resource(), "status.tenants.ready") === 1)
        const next = secretText(home, name, "next.crt")
        assert.deepStrictEqual(bundles().map(count), [2, 2])
        assert.isTrue(bundles().every((bundle) => bundle.includes(old.certificate) && bundle.includes(next)))
        assert.isTrue(signedBy(old.certificate))
        const pods = podTemplate()

        // thirty days later
        yield* first.stop
        cluster.store.update(kindOf("secrets"), home, name, (secret) => ({
          ...secret,
          data: {
            ...(isObject(secret["data"]) ? secret["data"] : {}),
            "next.since": Buffer.from(new Date(now - 31 * dayMillis).toISOString()).toString("base64")
          }
        }))
        yield* start
        yield* until("signed by the successor", () => signedBy(next))
        yield* pass(5)
        assert.strictEqual(secretText(home, name, "tls.crt"), next)
        assert.isUndefined(member(dataOf("secrets", home, name), "next.key"))
        assert.isTrue(bundles().every((bundle) => bundle.includes(old.certificate) && bundle.includes(next)))
        assert.strictEqual(podTemplate(), pods)
      }).pipe(Effect.provide(fake))
  )
})
