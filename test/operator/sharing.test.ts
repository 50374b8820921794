/** T2: several instances beside each other, the identity of their jobs, and the certificates that all trust. */
import { X509Certificate } from "node:crypto"
import { createServer } from "node:https"
import { connect } from "node:tls"
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { describe } from "vitest"
import { configMaps, namespaces, secrets } from "../../infrastructure/kubernetes/client/resources.ts"
import { deployments, managedKinds } from "../../infrastructure/kubernetes/operator/kinds.ts"
import { issueLeaf, makeAuthority } from "../../infrastructure/kubernetes/operator/x509.ts"
import { jobServiceAccount } from "../../infrastructure/kubernetes/unit/names.ts"
import { isObject, listMember, member, textMember } from "../../values/json.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { eventually } from "../cluster/support/eventually.ts"
import { conditionStatus, setUp } from "../cluster/support/operator-process.ts"
import { at } from "../support/http-app.ts"
import { listening } from "../support/loopback-server.ts"

const live = { excludeTestServices: true, timeout: "200 seconds" } as const
const lane = "launch" as const
const dayMillis = 86_400_000

type Operator = Effect.Effect.Success<typeof setUp>

const ask = ({ admin }: Operator, group: string, plural: string, kind: string, spec: object) =>
  Effect.map(
    admin.send(
      {
        method: "POST",
        path: `/apis/${group}/v1/${plural}`,
        body: { apiVersion: `${group}/v1`, kind, spec }
      },
      lane
    ),
    (answer) => member(answer, "status")
  )

const reasonOf = (found: unknown, type: string): unknown =>
  member(
    listMember(member(found, "status"), "conditions").find((one) => member(one, "type") === type),
    "reason"
  )

const decoded = (secret: unknown, key: string): string =>
  Buffer.from(textMember(member(secret, "data"), key) ?? "", "base64").toString("utf8")
const encoded = (text: string): string => Buffer.from(text, "utf8").toString("base64")

/** does a client that trusts `ca` take the certificate for this name? */
const isTrusted = (certificate: string, key: string, ca: string, servername: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { port } = yield* Effect.acquireRelease(
        Effect.promise(() => listening(createServer({ cert: certificate, key }), "https")),
        ({ close }) => Effect.promise(close)
      )
      return yield* Effect.async<boolean>((resume) => {
        const socket = connect({ host: "127.0.0.1", port, ca, servername }, () => {
          resume(Effect.succeed(socket.authorized))
          socket.destroy()
        })
        socket.once("error", () => resume(Effect.succeed(false)))
      })
    })
  )

describe.skipIf(noControlPlane)("T2: what instances share", () => {
  layer(cluster, live)("and what they do not", (it) => {
    it.scoped(
      "case 39: a token of a job's account is good for status-events in its tenant alone, and dead after the label went",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { tokenOf, addNamespace } = yield* Cluster
          const { home, tenant } = yield* operator.oneTenant
          const other = yield* addNamespace("team", operator.label)
          yield* operator.when(home, "two tenants", (found) => at(found, "status.tenants.ready") === 2)
          const account = { name: jobServiceAccount({ name: "evald", namespace: home }), namespace: tenant }
          const token = yield* tokenOf(account)
          const review = ask(operator, "authentication.k8s.io", "tokenreviews", "TokenReview", { token })
          const user = String(at(yield* review, "user.username"))
          assert.strictEqual(user, `system:serviceaccount:${tenant}:${account.name}`)
          const may = (namespace: string, resource: string) =>
            Effect.map(
              ask(operator, "authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", {
                user,
                resourceAttributes: { group: operator.group, resource, verb: "create", namespace }
              }),
              (status) => member(status, "allowed") === true
            )
          assert.isTrue(yield* may(tenant, "status-events"))
          assert.isFalse(yield* may(other, "status-events"))
          assert.isFalse(yield* may(tenant, "evaluations"))
          yield* operator.setLabels(tenant, { [Object.keys(operator.label)[0] ?? ""]: null })
          yield* eventually("a dead token", review, (status) => member(status, "authenticated") !== true)
          assert.isFalse(yield* may(tenant, "status-events"))
        })
    )

    it.scoped(
      "case 46: instances in one namespace and in others share no object and write nothing once they are there",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { addNamespace } = yield* Cluster
          yield* operator.start
          const [one, two] = [yield* addNamespace("services"), yield* addNamespace("services")]
          yield* addNamespace("team", operator.label)
          const ids = [
            [one, "evald"],
            [one, "second"],
            [two, "evald"]
          ] as const
          for (const [namespace, name] of ids) {
            yield* operator.addInstance(namespace, name)
            yield* operator.rolledOut(namespace, name)
          }
          for (const [namespace, name] of ids)
            yield* operator.when(
              namespace,
              "ready",
              (found) => conditionStatus(found, "Ready") === "True" && at(found, "status.tenants.ready") === 1,
              name
            )
          const made = yield* Effect.forEach(ids, ([namespace, name]) => operator.made(namespace, name))
          assert.isTrue(made.every(({ length }) => length > 20))
          assert.strictEqual(new Set(made.flat()).size, made.flat().length)
          const versions = Effect.map(
            Effect.forEach(
              managedKinds.filter(({ plural }) => !["servicemonitors", "routes"].includes(plural)),
              (resource) =>
                operator.admin.list({
                  resource,
                  lane,
                  labelSelector: `app.kubernetes.io/managed-by=evald-operator,${operator.here.domain}/instance-name`,
                  metadataOnly: true
                })
            ),
            (lists) => lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.resourceVersion)).join(" ")
          )
          const statuses = Effect.map(
            Effect.forEach(ids, ([namespace, name]) => operator.resource(namespace, name)),
            (all) => all.map((found) => Option.getOrUndefined(found)?.metadata.resourceVersion).join(" ")
          )
          // the last word about what was just made
          yield* Effect.sleep("3 seconds")
          const before = [yield* versions, yield* statuses]
          yield* Effect.sleep("60 seconds")
          assert.deepStrictEqual([yield* versions, yield* statuses], before)
        })
    )

    it.scoped(
      "case 46: two instances that want one name for the account of their jobs: the older has it until it goes",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { addNamespace } = yield* Cluster
          yield* operator.start
          const short = yield* addNamespace("services")
          const long = `b-${short}`
          yield* operator.admin.create(
            { resource: namespaces, lane },
            { apiVersion: "v1", kind: "Namespace", metadata: { name: long } }
          )
          yield* addNamespace("team", operator.label)
          yield* operator.addInstance(long, "a")
          yield* operator.when(long, "a tenant", (found) => at(found, "status.tenants.ready") === 1, "a")
          // the cluster tells ages in seconds
          yield* Effect.sleep("1100 millis")
          yield* operator.addInstance(short, "a-b")
          yield* operator.when(short, "refused", (found) => reasonOf(found, "TenantsReady") === "NameConflict", "a-b")
          assert.strictEqual(
            conditionStatus(Option.getOrThrow(yield* operator.resource(long, "a")), "TenantsReady"),
            "True"
          )
          yield* operator.removeInstance(long, "a")
          yield* operator.when(short, "its turn", (found) => at(found, "status.tenants.ready") === 1, "a-b")
        })
    )

    it.scoped(
      "case 48: the certificate is good for its Service's name at every moment: first, renewed, and of a new authority",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { admin, here, start } = operator
          const { home, tenant, running } = yield* operator.oneTenant
          const get = (resource: typeof secrets, namespace: string, name: string) =>
            admin.get({ resource, namespace, name, lane })
          const names = [`evald.${home}.svc`, `evald.${home}.svc.cluster.local`, `evald.${home}`, "evald"]
          const leaf = get(secrets, home, "evald-tls")
          const authority = get(secrets, here.namespace, "evald-operator-ca")
          const bundle = Effect.map(
            get(configMaps, tenant, `evald.${home}.service-ca`),
            ({ data }) => textMember(data, "service-ca.crt") ?? ""
          )
          const trusted = (ca: string) =>
            Effect.flatMap(leaf, (found) =>
              Effect.map(
                Effect.forEach(names, (name) =>
                  isTrusted(decoded(found, "tls.crt"), decoded(found, "tls.key"), ca, name)
                ),
                (all) => all.every((one) => one)
              )
            )
          const put = (namespace: string, name: string, data: object) =>
            admin.mergePatch({ resource: secrets, namespace, name, lane }, { data })
          const generation = Effect.map(
            admin.get({ resource: deployments, namespace: home, name: "evald", lane }),
            ({ metadata }) => metadata.generation
          )
          const first = yield* bundle
          const pods = yield* generation
          assert.isTrue(yield* trusted(first))
          assert.isFalse(yield* trusted(makeAuthority(Date.now()).certificate))

          // one that ends in 25 days is renewed
          const signing = {
            certificate: decoded(yield* authority, "tls.crt"),
            key: decoded(yield* authority, "tls.key")
          }
          const old = issueLeaf(signing, names, Date.now() - 65 * dayMillis)
          yield* Effect.promise(() => running.stop())
          yield* put(home, "evald-tls", { "tls.crt": encoded(old.certificate), "tls.key": encoded(old.key) })
          assert.isTrue(yield* trusted(first))
          // a successor that somebody put there is published before it signs
          const next = makeAuthority(Date.now())
          yield* put(here.namespace, "evald-operator-ca", {
            "next.crt": encoded(next.certificate),
            "next.key": encoded(next.key)
          })
          const second = yield* start
          const renewed = yield* eventually("renewed", leaf, (found) => decoded(found, "tls.crt") !== old.certificate)
          const both = yield* eventually("both published", bundle, (text) => text.includes(next.certificate))
          assert.isTrue(new X509Certificate(decoded(renewed, "tls.crt")).verify(new X509Certificate(first).publicKey))
          assert.isTrue((yield* trusted(first)) && (yield* trusted(both)))
          assert.isFalse(yield* trusted(next.certificate))

          // thirty days later it signs, and who has the bundle of before takes it
          yield* eventually("dated", authority, (found) => decoded(found, "next.since") !== "")
          yield* Effect.promise(() => second.stop())
          yield* put(here.namespace, "evald-operator-ca", {
            "next.since": encoded(new Date(Date.now() - 31 * dayMillis).toISOString())
          })
          yield* start
          yield* eventually("signed by the successor", leaf, (found) =>
            new X509Certificate(decoded(found, "tls.crt")).verify(new X509Certificate(next.certificate).publicKey)
          )
          assert.isTrue(yield* trusted(both))
          yield* eventually(
            "still both",
            bundle,
            (text) => text.includes(next.certificate) && text.includes(first.trim())
          )
          assert.isFalse(isObject(yield* authority) && decoded(yield* authority, "next.key") !== "")
          assert.strictEqual(yield* generation, pods)
        })
    )
  })
})
