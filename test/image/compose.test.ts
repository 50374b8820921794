/** compose.yaml: held to the compose specification by its own loader, its service run from the image as it says, beside a real PostgreSQL. */
import { execFile, execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { blocksRunBy } from "../support/docs/page-blocks.ts"
import { until } from "../support/evald-process.ts"
import { freePort } from "../support/free-port.ts"
import { goTool } from "../support/go-tools/tools.ts"
import { runInImage, startInImage } from "../support/image/image-process.ts"
import { findProgram } from "../support/peer-process.ts"

interface Service {
  readonly image: string
  readonly command: ReadonlyArray<string>
  readonly user?: string
  readonly read_only?: boolean
  readonly network_mode?: string
  readonly privileged?: boolean
  readonly environment: { readonly [name: string]: string }
  readonly volumes: ReadonlyArray<{
    readonly type: string
    readonly source: string
    readonly target: string
    readonly read_only?: boolean
  }>
  readonly tmpfs?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<{ readonly host_ip?: string; readonly published: string }>
  readonly healthcheck: { readonly test: ReadonlyArray<string> }
  readonly depends_on?: { readonly [service: string]: { readonly condition: string } }
  readonly cap_drop?: ReadonlyArray<string>
  readonly security_opt?: ReadonlyArray<string>
}
interface Project {
  readonly services: { readonly db: Service; readonly evald: Service }
}

const image = inject("image")
const noNamespaces = inject("noNamespaces")
const loader = goTool("compose-project")
const [asking = "exit 99"] = blocksRunBy("test/image/compose.test.ts", "docs/install.md")

describe.skipIf(typeof loader !== "string")("compose.yaml", () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "evald-compose-"))
    cpSync("deploy/compose", folder, { recursive: true })
    const page = readFileSync("docs/install.md", "utf8")
    const block = /<!-- run with: deploy\/compose\/compose\.yaml.*?```sh\n(.*?)```/s.exec(page)?.[1] ?? "exit 1"
    execFileSync("sh", ["-e", "-c", block], { cwd: folder })
    execFileSync("chmod", ["-R", "a+rX", folder])
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const environment = { PATH: process.env["PATH"], EVALD_IMAGE: "registry.example/evald:0.1.0" }
  const loaded = (env: object = environment, file = "compose.yaml") =>
    spawnSync(typeof loader === "string" ? loader : "", [file], {
      cwd: folder,
      encoding: "utf8",
      env: { ...env }
    })
  const project = (env?: object): Project => {
    const { status, stdout, stderr } = loaded(env)
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Project
  }

  it("is what the specification allows; a member that it does not know, and a missing image, are refused", () => {
    assert.strictEqual(loaded().status, 0, loaded().stderr)
    const text = readFileSync(join(folder, "compose.yaml"), "utf8")
    writeFileSync(join(folder, "wrong.yaml"), text.replace("read_only: true", "readonly: true"))
    const wrong = loaded(environment, "wrong.yaml")
    assert.notStrictEqual(wrong.status, 0)
    assert.match(wrong.stderr + wrong.stdout, /readonly/)
    const without = loaded({ PATH: process.env["PATH"] })
    assert.notStrictEqual(without.status, 0)
    assert.include(without.stderr + without.stdout, "set EVALD_IMAGE")
  })

  it("case 16: publishes on loopback only, names images by version, has no rights and no secret in itself", () => {
    const { db, evald } = project().services
    assert.deepStrictEqual(
      db.ports?.map(({ host_ip }) => host_ip),
      ["127.0.0.1"]
    )
    assert.match(db.image, /:\d+\.\d+$/)
    assert.strictEqual(evald.user, "65532:0")
    assert.isTrue(evald.read_only)
    assert.deepStrictEqual(evald.cap_drop, ["ALL"])
    assert.deepStrictEqual(evald.security_opt, ["no-new-privileges:true"])
    assert.isUndefined(evald.privileged)
    assert.strictEqual(evald.network_mode, "host")
    assert.strictEqual(evald.depends_on?.["db"]?.condition, "service_healthy")
    assert.deepStrictEqual(
      db.volumes.map(({ type, target }) => [type, target]),
      [["volume", "/var/lib/postgresql/data"]]
    )
    const { DB_URL: url = "" } = evald.environment
    assert.strictEqual(new URL(url).password, db.environment["POSTGRES_PASSWORD"])
    assert.notMatch(readFileSync("deploy/compose/compose.yaml", "utf8"), /postgres:\/\/|PASSWORD:|PASSWORD=/)
  })

  it.skipIf(findProgram("pg_isready") === undefined)(
    "the health check of its db sees a real PostgreSQL, and sees that there is none",
    async () => {
      const [kind, program = "", ...args] = project().services.db.healthcheck.test
      assert.strictEqual(kind, "CMD")
      const asked = (port: string) =>
        spawnSync(program, args, { encoding: "utf8", env: { PATH: process.env["PATH"], PGPORT: port } })
      const { status, stdout } = asked(new URL(inject("pgUrl")).port)
      assert.strictEqual(status, 0, stdout)
      assert.include(stdout, "accepting connections")
      assert.strictEqual(asked(String(await freePort())).status, 2)
    }
  )

  it.skipIf("missing" in image || noNamespaces !== undefined)(
    "its evald runs so on a real PostgreSQL: command, user, mounts, read-only root; its health check sees it come and go",
    async () => {
      const root = "missing" in image ? "" : image.root
      const port = String(await freePort())
      const { evald } = project({ ...environment, EVALD_PORT: port }).services
      const database = new URL(inject("pgUrl"))
      const env: Record<string, string> = { ...evald.environment, DB_URL: database.href }
      assert.strictEqual(env["PORT"], port)
      assert.isTrue(evald.tmpfs?.some((entry) => entry.startsWith("/tmp")))
      const mounts = evald.volumes.map(({ source, target, read_only }) => ({
        source,
        target,
        readOnly: read_only === true
      }))
      const [kind, ...check] = evald.healthcheck.test
      assert.strictEqual(kind, "CMD")
      const healthy = async () => (await runInImage({ root, argv: check, env })).code === 0
      assert.isFalse(await healthy())
      const server = startInImage({ root, argv: ["evald", ...evald.command], env, mounts })
      try {
        assert.isTrue(await until(healthy, (ok) => ok, 60_000), server.output())
        const jobs = await fetch(`http://127.0.0.1:${port}/api/v1/evaluations/jobs`)
        assert.strictEqual(jobs.status, 200, await jobs.clone().text())
        const typed = await promisify(execFile)("sh", ["-e", "-c", asking], {
          env: { PATH: process.env["PATH"], EVALD_PORT: port }
        })
        const { dependencies } = JSON.parse(typed.stdout) as {
          readonly dependencies: ReadonlyArray<{ readonly name: string; readonly ok: boolean }>
        }
        assert.isTrue(dependencies.find(({ name }) => name === "database")?.ok, JSON.stringify(dependencies))
        assert.strictEqual(await server.stop(), 0, server.output())
        assert.isFalse(await healthy())
      } finally {
        await server.stop("SIGKILL")
      }
    }
  )
})
