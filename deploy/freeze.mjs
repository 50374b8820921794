// Freezes what a release leaves behind, so that later ones are tested against it: `node deploy/freeze.mjs VERSION [SCHEMA=CHECKOUT…]` writes
// test/fixtures/release-VERSION. Manifests and custom resources are those of this checkout; databases are written by the built servers of the named
// checkouts, by default this one, on SQLite and on the PostgreSQL of this machine. deploy/UPGRADING.md says what is promised about them.
import { execFileSync, spawn } from "node:child_process"
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { gzipSync } from "node:zlib"

// the driver is a dependency of the library that uses it
const Sqlite = createRequire(createRequire(import.meta.url).resolve("@effect/sql-sqlite-node"))("better-sqlite3")

const [version = "", ...given] = process.argv.slice(2)
if (!/^\d+\.\d+$/.test(version)) throw new Error("usage: node deploy/freeze.mjs MAJOR.MINOR [SCHEMA=CHECKOUT…]")
const target = `test/fixtures/release-${version}`

/** a process of a build that says where it listens */
const listen = (checkout, args, env) =>
  new Promise((done, refuse) => {
    const child = spawn(process.execPath, [join(checkout, "dist/evald.mjs"), ...args], {
      cwd: checkout,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const said = []
    const gone = new Promise((ended) => child.once("exit", ended))
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on("line", (line) => {
        said.push(line)
        const url = /https?:\/\/[\w.[\]:]+(?:\/v1)?/.exec(line)?.[0]
        if (url === undefined) return
        const kill = () => {
          child.kill("SIGKILL")
          return gone
        }
        done({ url, kill })
      })
    void gone.then(() => refuse(new Error(said.join("\n"))))
  })

const asked = async (method, url, body, headers = {}) => {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`)
  return text === "" ? undefined : JSON.parse(text)
}

const until = async (read, isDone) => {
  for (let tries = 0; tries < 600; tries++) {
    const value = await read()
    if (isDone(value)) return value
    await new Promise((wake) => setTimeout(wake, 100))
  }
  throw new Error("it did not come about within a minute")
}

const isOver = ({ status }) => status.state !== "pending" && status.state !== "running"

/** jobs of two tenants in every state, with what belongs to them; answers what the server said about them before it was killed */
const fill = async (checkout, driver, url, folder) => {
  const config = join(folder, "config")
  cpSync(join(checkout, "config"), config, { recursive: true })
  writeFileSync(
    join(config, "config.yaml"),
    `database: {driver: ${driver}}\nlocal: {base_dir: ${join(folder, "units")}}\n`
  )
  const model = await listen(checkout, ["demo-model", "--port", "0"], {})
  const slow = await listen(checkout, ["demo-model", "--port", "0", "--ttft-ms", "20000"], {})
  const server = await listen(checkout, ["server", "-local", "-configdir", config], {
    PORT: "0",
    DB_URL: url,
    TMPDIR: folder
  })
  const at = (tenant, path = "") => [`${server.url}/api/v1/evaluations${path}`, { "x-tenant": tenant }]
  const post = (tenant, path, body, headers = {}) => {
    const [address, own] = at(tenant, path)
    return asked("POST", address, body, { ...own, ...headers })
  }
  const get = (tenant, path) => asked("GET", at(tenant, path)[0], undefined, at(tenant)[1])
  const arithmetic = (parameters = {}) => ({
    id: "arith_basic",
    provider_id: "evald",
    parameters: { num_examples: 5, ...parameters }
  })
  const job = (name, members = {}, endpoint = model) => ({
    ...{ name, tags: ["frozen"], model: { url: endpoint.url, name: "evald-demo" }, benchmarks: [arithmetic()] },
    ...members
  })
  const submit = async (tenant, body, headers) => (await post(tenant, "/jobs", body, headers)).resource.id
  try {
    const benchmarks = [{ id: "x", metrics: ["accuracy"] }]
    const provider = await post("a", "/providers", { name: "own", runtime: { local: { command: "true" } }, benchmarks })
    const collection = await post("a", "/collections", {
      ...{ name: "own set", category: "other" },
      benchmarks: [{ id: "arith_basic", provider_id: "evald", weight: 2 }]
    })
    const ended = [
      await submit("a", job("nightly run", { benchmarks: [arithmetic(), arithmetic({ num_examples: 7 })] })),
      await submit("a", job("under a key"), { "idempotency-key": "frozen" }),
      await submit("b", job("of the neighbour", { pass_criteria: { threshold: 0.9 } })),
      await submit("b", job("nobody answers", {}, { url: "http://127.0.0.1:9/v1" }))
    ]
    const records = []
    for (const [place, id] of ended.entries())
      records.push(await until(() => get(place < 2 ? "a" : "b", `/jobs/${id}`), isOver))
    const gone = await submit("b", job("removed"))
    await asked("DELETE", `${at("b", `/jobs/${gone}`)[0]}?hard_delete=true`, undefined, at("b")[1])
    const cancelled = await submit("b", job("cancelled", {}, slow))
    await asked("DELETE", at("b", `/jobs/${cancelled}`)[0], undefined, at("b")[1])
    records.push(await get("b", `/jobs/${cancelled}`))
    // as many as run at once, and some that wait
    const held = await submit("a", job("held", { benchmarks: Array.from({ length: 8 }, () => arithmetic()) }, slow))
    const counted = (record) => record.status.benchmarks.filter(({ status }) => status === "running").length
    records.push(
      await until(
        () => get("a", `/jobs/${held}`),
        (record) => counted(record) === 5
      )
    )
    return {
      ...{ records, gone },
      providers: [provider.resource.id],
      collections: [collection.resource.id]
    }
  } finally {
    await server.kill()
    await model.kill()
    await slow.kill()
  }
}

const frozenSqlite = async (checkout, schema) => {
  const folder = mkdtempSync(join(tmpdir(), "evald-freeze-"))
  const expected = await fill(checkout, "sqlite", `file:${join(folder, "evald.db")}`, folder)
  const database = new Sqlite(join(folder, "evald.db"))
  database.prepare("VACUUM INTO ?").run(join(folder, "copy.db"))
  database.close()
  writeFileSync(
    `${target}/databases/schema-${schema}.sqlite.gz`,
    gzipSync(readFileSync(join(folder, "copy.db")), { level: 9 })
  )
  rmSync(folder, { recursive: true })
  return expected
}

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })

const frozenPostgres = async (checkout, schema, bin) => {
  const folder = mkdtempSync(join(tmpdir(), "evald-freeze-"))
  const id = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  const user = userInfo().uid === 0 ? { uid: id("-u"), gid: id("-g") } : {}
  const place = mkdtempSync(join(tmpdir(), "evald-freeze-pg-"))
  if (user.uid !== undefined) chownSync(place, user.uid, user.gid)
  const run = (name, args) => execFileSync(join(bin, name), args, { ...user, cwd: place, stdio: "ignore" })
  const port = await freePort()
  run("initdb", ["-D", join(place, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"])
  run("pg_ctl", [
    "-D",
    join(place, "data"),
    "-w",
    "-l",
    join(place, "log"),
    "-o",
    `-p ${port} -k ${place} -c listen_addresses=127.0.0.1`,
    "start"
  ])
  try {
    const expected = await fill(checkout, "pgx", `postgres://postgres@127.0.0.1:${port}/postgres`, folder)
    const flags = [
      "--inserts",
      "--no-owner",
      "--no-privileges",
      "-h",
      "127.0.0.1",
      "-p",
      String(port),
      "-U",
      "postgres",
      "postgres"
    ]
    const dump = execFileSync(join(bin, "pg_dump"), flags, { encoding: "utf8", maxBuffer: 1e9 })
    // commands of psql, which are no SQL
    writeFileSync(
      `${target}/databases/schema-${schema}.pg.sql.gz`,
      gzipSync(dump.replace(/^\\.*\n/gm, ""), { level: 9 })
    )
    return expected
  } finally {
    run("pg_ctl", ["-D", join(place, "data"), "-m", "immediate", "stop"])
    rmSync(folder, { recursive: true })
    rmSync(place, { recursive: true })
  }
}

mkdirSync(`${target}/databases`, { recursive: true })
// what an earlier build of the release is made from, wherever the history is at hand
const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim()
writeFileSync(`${target}/build.json`, `${JSON.stringify({ commit })}\n`)
cpSync("deploy/install.yaml", `${target}/install.yaml`)
cpSync("deploy/kustomize/samples", `${target}/resources`, { recursive: true })
const bin = execFileSync("bash", ["-c", "ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1"], {
  encoding: "utf8"
}).trim()
for (const [schema, checkout] of given.map((one) => one.split("="))) {
  const path = resolve(checkout)
  const expected = {
    sqlite: await frozenSqlite(path, schema),
    pg: await frozenPostgres(path, schema, bin)
  }
  writeFileSync(`${target}/databases/schema-${schema}.json`, `${JSON.stringify(expected, null, 1)}\n`)
  process.stdout.write(`schema ${schema} frozen\n`)
}
