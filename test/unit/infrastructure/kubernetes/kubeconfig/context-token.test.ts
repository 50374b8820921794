/** Which token a context of the kubeconfig has, for servers that take nothing else. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { contextToken } from "../../../../../infrastructure/kubernetes/kubeconfig/context-token.ts"
import {
  execCredential,
  type KubeconfigParts,
  logInProgram,
  simpleKubeconfig,
  writeKubeconfig
} from "../../../../support/kubeconfigs.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

const cluster = { server: "https://127.0.0.1:6443" }
const asked = (KUBECONFIG: string, name = "c") =>
  Effect.either(
    Effect.tryPromise({
      try: () => contextToken(name, { KUBECONFIG }),
      catch: (error) => (error as Error).message
    })
  )
const tokenOf = (user: object, name?: string) =>
  Effect.flatMap(tempDir, (path) => asked(simpleKubeconfig(path, cluster, user), name))
const assertToken = (outcome: Effect.Effect.Success<ReturnType<typeof asked>>, token: string) =>
  assert.strictEqual(outcome._tag === "Right" ? outcome.right : `no token: ${outcome.left}`, token)
const assertRefused = (outcome: Effect.Effect.Success<ReturnType<typeof asked>>, why: RegExp) =>
  assert.match(outcome._tag === "Left" ? outcome.left : `the token ${outcome.right}`, why)

/** several files, in this order */
const files = (path: string, all: ReadonlyArray<KubeconfigParts>) =>
  all.map((parts, at) => writeKubeconfig(path, `config-${at}`, parts)).join(":")
const context = { name: "c", cluster: "k", user: "u" }

describe("the token of a context", () => {
  it.scoped("is written there, in a file beside it, or what the log-in program prints", () =>
    Effect.gen(function* () {
      assertToken(yield* tokenOf({ token: "one" }), "one")
      const path = yield* tempDir
      writeFileSync(join(path, "own"), "two\n")
      assertToken(yield* asked(simpleKubeconfig(path, cluster, { tokenFile: "own", token: "not this one" })), "two")
      const program = logInProgram(path)
      program.answers(execCredential({ token: "three" }))
      assertToken(yield* asked(simpleKubeconfig(path, cluster, { exec: { command: program.command } })), "three")
      assert.deepInclude(JSON.parse(program.runs()[0] ?? ""), { kind: "ExecCredential" })
    })
  )
  it.scoped("of a list of files, one that does not exist does not count (no token was given)", () =>
    Effect.gen(function* () {
      const path = yield* tempDir
      const file = simpleKubeconfig(path, cluster, { token: "one" })
      assertToken(yield* asked(`${join(path, "none")}:${file}`), "one")
    })
  )
  it.scoped("is that of the first file that has the user (that of a later one was taken)", () =>
    Effect.gen(function* () {
      const path = yield* tempDir
      const first = { context, user: { name: "u", "client-certificate-data": "eA==" } }
      const second = { cluster: { name: "k", ...cluster }, user: { name: "u", token: "of the second file" } }
      assertRefused(yield* asked(files(path, [first, second])), /has neither a token, a token file nor a program/)
      assertToken(yield* asked(files(path, [{ context }, second])), "of the second file")
    })
  )
  it.scoped("is none where the user asks as somebody else: it would be the word of the user (it was sent)", () =>
    Effect.gen(function* () {
      assertRefused(yield* tokenOf({ token: "t", as: "guest" }), /user 'u' asks as somebody else \('as'\)/)
    })
  )
  it.scoped("is none where there are only certificates, a password, nobody, no such context or no kubeconfig", () =>
    Effect.gen(function* () {
      assertRefused(
        yield* tokenOf({ username: "u", password: "hidden" }),
        /^(?!.*hidden).*takes no client certificate$/
      )
      assertRefused(yield* tokenOf({}), /takes no client certificate$/)
      assertRefused(yield* tokenOf({ token: "t" }, "other"), /config: context 'other' is not defined$/)
      const path = yield* tempDir
      const nobody = { context: { name: "c", cluster: "k" }, cluster: { name: "k", ...cluster } }
      assertRefused(yield* asked(writeKubeconfig(path, "nobody", nobody)), /nobody: the context names no user$/)
      assertRefused(yield* asked(""), /there is no kubeconfig/)
    })
  )
  it.scoped("fails with the words of a log-in program that fails, and without what it printed", () =>
    Effect.gen(function* () {
      const path = yield* tempDir
      const program = logInProgram(path)
      const file = simpleKubeconfig(path, cluster, { exec: { command: program.command } })
      assertRefused(yield* asked(file), /the log-in program '.*' of user 'u' failed: no session, log in first$/)
      program.answers("secret, and no JSON")
      assertRefused(yield* asked(file), /^(?!.*secret).*its answer is no ExecCredential with a status$/)
    })
  )
})
