/** T2: hardware profiles as a real API server keeps them, and quantities as it judges them. Reference: cluster-objects.md, "Hardware profiles"; cases 29 and 30. */
import { assert, layer } from "@effect/vitest"
import { Effect, Either, Schedule } from "effect"
import { describe } from "vitest"
import { parseQuantity, printQuantity, type Quantity, quantityOfNumber } from "../../domain/quantity.ts"
import { KubeClient } from "../../infrastructure/kubernetes/client/client.ts"
import { serviceAccounts } from "../../infrastructure/kubernetes/client/resources.ts"
import { make } from "../../infrastructure/kubernetes/hardware-profiles.ts"
import { bigProfile, profileObject } from "../support/hardware-profile-object.ts"
import { at } from "../support/http-app.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { hardwareProfiles, installProfileKind, removeProfileKind } from "./support/profile-kind.ts"

const live = { excludeTestServices: true, timeout: "60 seconds" } as const
const lane = "launch" as const

/** texts around every edge of the grammar */
const corpus: ReadonlyArray<string> = [
  ...[
    "0",
    "1",
    "250m",
    "4Gi",
    "0.5",
    "1.5",
    "+1",
    "+0.5Gi",
    "5.",
    ".5",
    ".5Gi",
    "007",
    "1.",
    "0.0005",
    "0.5m",
    "1n",
    "1u",
    "100u",
    "1500m",
    "0.1Ki"
  ],
  ...[
    "1k",
    "1M",
    "1G",
    "1T",
    "1P",
    "1E",
    "1Ki",
    "1Mi",
    "1Gi",
    "1Ti",
    "1Pi",
    "1Ei",
    "7E",
    "7Ei",
    "8Ei",
    "9E",
    "10E",
    "16Ei",
    "1000E"
  ],
  ...[
    "1e3",
    "1E3",
    "1e+3",
    "1e-3",
    "1.5e3",
    "1e0",
    "12e-4",
    "1e18",
    "1e19",
    "1e30",
    "1e-30",
    "0e99",
    "1e",
    "e3",
    "1e3Gi",
    "1e3.5",
    "1e 3"
  ],
  ...[
    "9223372036854775807",
    "9223372036854775808",
    "9223372036854775807m",
    "18446744073709551616",
    "999999999999999999999999999999"
  ],
  ...[
    "",
    " ",
    "1 ",
    " 1",
    "1 Gi",
    "-1",
    "-0",
    "-0.5",
    "+",
    "-",
    ".",
    "+.",
    "1.2.3",
    "1..2",
    "0x10",
    "1_000",
    "1,5",
    "NaN",
    "Infinity",
    "１"
  ],
  ...[
    "1K",
    "1ki",
    "1KI",
    "1mi",
    "1g",
    "1GI",
    "1B",
    "1GB",
    "1GiB",
    "1mm",
    "1Gim",
    "abc",
    "Gi",
    "m",
    "1 m",
    "1\n",
    "\t1",
    "0.1.Gi",
    "1m1",
    "1/2",
    "50%"
  ]
]

/** taken by the server and refused by us, on purpose: it reads them as something that nobody meant */
const stricter: ReadonlyArray<string> = [
  // no digit: zero
  ...["+", "-", ".", "+.", "m", "Gi", "e3"],
  // blanks around it: dropped
  ...["1 ", " 1"],
  // more than it can hold: silently lowered to 2^63-1
  ...[
    "8Ei",
    "10E",
    "16Ei",
    "1000E",
    "1e19",
    "1e30",
    "9223372036854775808",
    "18446744073709551616",
    "999999999999999999999999999999"
  ]
]

describe.skipIf(noControlPlane)("T2: hardware", () => {
  layer(cluster, live)("of a real cluster", (it) => {
    it.scoped(
      "case 30: the kind absent, then a profile absent, there, disabled, malformed, and no right to read it",
      () =>
        Effect.gen(function* () {
          const { admin, addNamespace, addApiAccount, addAccount, grant, tokenOf, clientAs } = yield* Cluster
          const namespace = yield* addNamespace("profiles")
          const [api, stranger] = [yield* addApiAccount, yield* addAccount(namespace, "stranger")]
          yield* grant(namespace, "hardware-profiles-reader", { kind: "ServiceAccount", ...api })
          const readAs = (account: typeof api) =>
            Effect.gen(function* () {
              const client = yield* clientAs(yield* tokenOf(account))
              return yield* make({
                namespace,
                group: "infrastructure.opendatahub.io",
                platformDomain: "opendatahub.io"
              }).pipe(Effect.provideService(KubeClient, client))
            })
          const profiles = yield* readAs(api)
          const codeOf = (name: string) =>
            Effect.match(profiles.find(name), {
              onFailure: ({ peer }) => peer,
              onSuccess: (found) =>
                found === undefined || Either.isRight(found) ? "usable" : (found.left[0]?.code ?? "")
            })
          yield* eventually("the binding", codeOf("big"), (code) => code !== "cluster")
          assert.strictEqual(yield* codeOf("big"), "hardware_profile_not_found")

          yield* Effect.acquireRelease(installProfileKind(admin), () => removeProfileKind(admin))
          const add = (object: ReturnType<typeof profileObject>) =>
            Effect.retry(
              admin.create({ resource: hardwareProfiles, namespace, lane }, object),
              Schedule.intersect(Schedule.spaced("100 millis"), Schedule.recurs(100))
            )
          yield* add(profileObject("big"))
          yield* add(profileObject("off", { annotations: { "opendatahub.io/disabled": "true" } }))
          yield* add(profileObject("odd", { spec: { identifiers: [{ identifier: "cpu", defaultCount: "many" }] } }))
          yield* eventually("the kind", codeOf("big"), (code) => code === "usable")
          assert.deepStrictEqual(yield* profiles.find("big"), Either.right(bigProfile))
          assert.deepStrictEqual(yield* Effect.forEach(["none", "off", "odd"], codeOf), [
            "hardware_profile_not_found",
            "hardware_profile_disabled",
            "hardware_profile_invalid"
          ])
          const refused = yield* Effect.flip((yield* readAs(stranger)).find("big"))
          assert.deepStrictEqual([refused._tag, refused.peer], ["Unavailable", "cluster"])
        })
    )

    /** nothing is stored: the server only judges, and answers with the text it would keep */
    const judging = Effect.gen(function* () {
      const { admin, addNamespace } = yield* Cluster
      const namespace = yield* addNamespace("quantities")
      const account = admin.get({ resource: serviceAccounts, namespace, name: "default", lane })
      yield* eventually("the default account", Effect.either(account), Either.isRight)
      const pod = (amount: unknown) => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "judged" },
        spec: { containers: [{ name: "c", image: "none", resources: { limits: { "ephemeral-storage": amount } } }] }
      })
      return (amount: string | number) =>
        Effect.match(
          admin.send(
            { method: "POST", path: `/api/v1/namespaces/${namespace}/pods?dryRun=All`, body: pod(amount) },
            lane
          ),
          {
            onFailure: (error) => (error.class === "invalid" ? "refused" : `${error.class}: ${error.message}`),
            onSuccess: (answer) => String(at(answer, "spec.containers.0.resources.limits.ephemeral-storage"))
          }
        )
    })
    const milli = 1_000_000n
    /** a pod's amounts are rounded up to thousandths by the server */
    const rounded = (quantity: Quantity): Quantity => ({
      ...quantity,
      nanos: ((quantity.nanos + milli - 1n) / milli) * milli
    })
    const ours = (amount: string | number): string =>
      Either.match(typeof amount === "number" ? quantityOfNumber(amount) : parseQuantity(amount), {
        onLeft: () => "refused",
        onRight: (quantity) => (quantity.nanos < 0n ? "refused" : printQuantity(rounded(quantity)))
      })

    it.scoped("case 29: every text is taken or refused as by the API server, and kept as it keeps it", () =>
      Effect.gen(function* () {
        const judge = yield* judging
        const verdicts = yield* Effect.forEach(
          corpus,
          (text) => Effect.map(judge(text), (server) => [text, server] as const),
          { concurrency: 8 }
        )
        for (const [text, server] of verdicts) {
          if (stricter.includes(text)) {
            assert.strictEqual(ours(text), "refused", `we ${text}`)
            assert.notStrictEqual(server, "refused", `the server ${text}`)
          } else {
            // the server keeps some texts as they came and writes the others anew
            const kept = server === text && ours(text) !== "refused"
            if (!kept) assert.strictEqual(ours(text), server, `'${text}'`)
          }
        }
      })
    )

    it.scoped("case 29: numbers, as hardware profiles hold them", () =>
      Effect.gen(function* () {
        const judge = yield* judging
        for (const number of [0, 1, 2, 0.5, 0.001, 1.5, 250, 1000, 1e6, 2 ** 31, 2 ** 53, 123_456_789, 0.1, -1, -0.5]) {
          assert.strictEqual(ours(number), yield* judge(number), String(number))
        }
      })
    )
  })
})
