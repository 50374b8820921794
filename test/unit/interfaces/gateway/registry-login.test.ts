/** Which login of a docker configuration counts for a repository: the rules of containers-auth.json(5). */
import { assert, describe, it } from "vitest"
import { loginFor, registryAddress } from "../../../../interfaces/gateway/registry-login.ts"

const encoded = (user: string, password = "p") => ({ auth: Buffer.from(`${user}:${password}`).toString("base64") })
const config = (...names: ReadonlyArray<string>) =>
  JSON.stringify({ auths: Object.fromEntries(names.map((name) => [name, encoded(name)])) })
/** key of the entry that was chosen */
const chosen = (host: string, repository: string, ...names: ReadonlyArray<string>) =>
  loginFor(
    host,
    repository,
    JSON.stringify({ auths: Object.fromEntries(names.map((name) => [name, { username: name, password: "p" }])) })
  )?.user

describe("the login for a repository", () => {
  for (const host of ["docker.io", "registry-1.docker.io", "index.docker.io"])
    for (const entry of [
      "https://index.docker.io/v1/",
      "https://index.docker.io/v2/",
      "index.docker.io",
      "docker.io",
      "https://registry-1.docker.io",
      "registry-1.docker.io"
    ])
      it(`Docker Hub as ${host} is found under ${entry}`, () => {
        assert.isDefined(loginFor(host, "team/results", config("registry.example", entry)))
      })
  it("Docker Hub's login is nobody else's", () => {
    assert.isUndefined(loginFor("registry.example", "team/results", config("https://index.docker.io/v1/")))
    assert.isUndefined(
      loginFor("docker.io.example", "team/results", config("https://index.docker.io/v1/", "docker.io"))
    )
  })

  const ladder = [
    "registry.example",
    "registry.example/team",
    "registry.example/team/model",
    "registry.example/team/model/results"
  ]
  it("the longest matching path wins, whatever the order of the entries", () => {
    for (const names of [ladder, [...ladder].reverse()]) {
      assert.strictEqual(
        chosen("registry.example", "team/model/results", ...names),
        "registry.example/team/model/results"
      )
      assert.strictEqual(chosen("registry.example", "team/model/other", ...names), "registry.example/team/model")
      assert.strictEqual(chosen("registry.example", "team/x", ...names), "registry.example/team")
      assert.strictEqual(chosen("registry.example", "elsewhere/x", ...names), "registry.example")
    }
  })
  it("a path matches by whole segments, on its own host and port only", () => {
    assert.isUndefined(chosen("registry.example", "teams/results", "registry.example/team"))
    assert.isUndefined(chosen("registry.example", "team", "registry.example/team/results"))
    assert.isUndefined(chosen("registry.example:5000", "team/results", "registry.example/team", "registry.example"))
    assert.strictEqual(
      chosen("registry.example:5000", "team/results", "registry.example:5000/team"),
      "registry.example:5000/team"
    )
    assert.isUndefined(chosen("registry.example", "team/results", "sub.registry.example", "example"))
  })
  it("a path on Docker Hub counts under each of its names", () => {
    for (const host of ["docker.io", "registry-1.docker.io"]) {
      assert.strictEqual(chosen(host, "team/results", "docker.io", "docker.io/team"), "docker.io/team")
      assert.strictEqual(chosen(host, "other/results", "docker.io", "docker.io/team"), "docker.io")
    }
  })
  it("an address with a scheme stands for its whole host, after the exact names", () => {
    assert.isDefined(loginFor("registry.example", "team/results", config("https://registry.example/v1/")))
    assert.isDefined(loginFor("registry.example", "team/results", config("http://registry.example")))
    assert.strictEqual(
      chosen("registry.example", "team/results", "https://registry.example/v2/", "registry.example"),
      "registry.example"
    )
  })

  const login = (entry: unknown) =>
    loginFor("r.example", "team/results", JSON.stringify({ auths: { "r.example": entry } }))
  it("an identity token counts before the password beside it", () => {
    assert.deepStrictEqual(
      login({ ...encoded("00000000-0000-0000-0000-000000000000", ""), identitytoken: "refresh" }),
      {
        user: "00000000-0000-0000-0000-000000000000",
        password: "",
        identityToken: "refresh"
      }
    )
    assert.deepStrictEqual(login({ identitytoken: "refresh" }), { user: "", password: "", identityToken: "refresh" })
  })
  it("names in clear, passwords with colons and trailing zero bytes are read", () => {
    assert.deepStrictEqual(login({ username: "u", password: "p:q" }), { user: "u", password: "p:q" })
    assert.deepStrictEqual(login(encoded("u", "p:q")), { user: "u", password: "p:q" })
    assert.deepStrictEqual(login(encoded("u", "p\0\0")), { user: "u", password: "p" })
  })
  it("an entry that says nothing, and no configuration at all, are no login", () => {
    for (const entry of [
      {},
      { auth: "" },
      { auth: Buffer.from("nocolon").toString("base64") },
      { username: "u" },
      { identitytoken: "" },
      "text",
      null
    ])
      assert.isUndefined(login(entry))
    for (const text of [undefined, "", "{", "[]", "{}", '{"auths": []}'])
      assert.isUndefined(loginFor("r.example", "team/results", text))
    assert.isUndefined(loginFor("__proto__", "constructor", config("r.example")))
  })
  it("Docker Hub is reached where its API is", () => {
    assert.deepStrictEqual(
      ["docker.io", "index.docker.io", "registry-1.docker.io", "r.example:5000"].map(registryAddress),
      ["registry-1.docker.io", "registry-1.docker.io", "registry-1.docker.io", "r.example:5000"]
    )
  })
})
