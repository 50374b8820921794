/** What an adapter's environment holds, and what never gets there. Reference: adapter-contract.md, "Environment". */
import { assert, describe, it } from "@effect/vitest"
import type { EnvVar } from "../../../../domain/provider/runtime.ts"
import { type EnvironmentOptions, environmentOf } from "../../../../infrastructure/local/environment.ts"
import { directoryOf } from "../../../../infrastructure/local/files/unit-directory.ts"

const given = (options: Partial<EnvironmentOptions>, provider: ReadonlyArray<EnvVar> = [], hasTestData = false) =>
  environmentOf(
    {
      directory: directoryOf("/u"),
      jobId: "j",
      index: 3,
      runId: "r",
      gateway: "http://127.0.0.1:1/cb/s",
      hasTestData,
      provider
    },
    { inherited: {}, allow: [], adapterEnv: true, tracked: false, ociInsecure: false, ...options }
  )

const set = {
  EVALD_MODE: "local",
  EVALHUB_MODE: "local",
  EVALD_JOB_SPEC_PATH: "/u/meta/job.json",
  EVALHUB_JOB_SPEC_PATH: "/u/meta/job.json",
  EVALD_JOB_ID: "j",
  EVALD_BENCHMARK_INDEX: "3",
  EVALD_RUN_ID: "r",
  EVALD_OUTPUT_DIR: "/u/results",
  EVALD_MODEL_AUTH_DIR: "/u/secrets/model",
  TMPDIR: "/u/tmp",
  PYTHONUNBUFFERED: "1",
  NO_COLOR: "1",
  NO_PROXY: "localhost,127.0.0.1,::1",
  no_proxy: "localhost,127.0.0.1,::1"
}

const secrets = {
  DB_URL: "postgres://u:p@h/d",
  AWS_SECRET_ACCESS_KEY: "a",
  AWS_PROFILE: "b",
  OPENAI_API_KEY: "c",
  HF_TOKEN: "d",
  KUBECONFIG: "/k",
  GITHUB_TOKEN: "e",
  EVALD_LOCAL_TOKEN: "f",
  LC_SECRET: "g",
  MY_PASSWORD: "h",
  EDITOR: "vi"
}

describe("the environment of a local adapter", () => {
  it("is what the contract sets when the server has none", () => {
    assert.deepStrictEqual(given({}), set)
  })
  it("has the addresses of proxies without user and password", () => {
    const inherited = {
      HTTPS_PROXY: "http://me:s3cret@proxy.test:3128",
      http_proxy: "me:s3cr@t@proxy.test:3128",
      ALL_PROXY: "socks5://me:s3cret@proxy.test"
    }
    const { HTTPS_PROXY, http_proxy, ALL_PROXY } = given({ inherited, allow: ["ALL_PROXY"] })
    assert.deepStrictEqual(
      [HTTPS_PROXY, http_proxy, ALL_PROXY],
      ["http://proxy.test:3128", "proxy.test:3128", "socks5://proxy.test"]
    )
  })
  it("copies the allow-list and nothing else", () => {
    const inherited = {
      ...secrets,
      HOME: "/h",
      LANG: "C",
      LC_ALL: "C.UTF-8",
      HTTPS_PROXY: "http://p",
      https_proxy: "http://p",
      HF_HOME: "/hf",
      CUDA_VISIBLE_DEVICES: "0"
    }
    const { HOME, LANG, LC_ALL, HTTPS_PROXY, https_proxy, HF_HOME, CUDA_VISIBLE_DEVICES } = inherited
    assert.deepStrictEqual(given({ inherited }), {
      HOME,
      LANG,
      LC_ALL,
      HTTPS_PROXY,
      https_proxy,
      HF_HOME,
      CUDA_VISIBLE_DEVICES,
      ...set
    })
  })
  it("gets exactly one more by a full name, and no guarded one by a pattern", () => {
    assert.deepStrictEqual(given({ inherited: secrets, allow: ["OPENAI_API_KEY"] }), { OPENAI_API_KEY: "c", ...set })
    assert.deepStrictEqual(given({ inherited: { ...secrets, MY_FLAG: "1" }, allow: ["MY_*", "AWS_*", "*"] }), {
      MY_FLAG: "1",
      EDITOR: "vi",
      ...set
    })
  })
  it("lets the provider override what is copied, never what is set", () => {
    const provider = [
      { name: "LANG", value: "de" },
      { name: "EVALD_RUN_ID", value: "mine" },
      { name: "EMPTY" },
      { name: "PATH", value: "/only" }
    ]
    assert.deepStrictEqual(given({ inherited: { LANG: "C", PATH: "/bin" }, pathPrepend: "/evald" }, provider), {
      LANG: "de",
      PATH: "/only",
      EMPTY: "",
      ...set
    })
  })
  it("has the directory of the binary first in its path, and keeps inherited proxy exceptions", () => {
    const { PATH, NO_PROXY, no_proxy } = given({
      inherited: { PATH: "/usr/bin:/bin", NO_PROXY: ".corp,localhost", no_proxy: ".low" },
      pathPrepend: "/evald"
    })
    assert.deepStrictEqual(
      [PATH, NO_PROXY, no_proxy],
      ["/evald:/usr/bin:/bin", ".corp,localhost,127.0.0.1,::1", ".low,localhost,127.0.0.1,::1"]
    )
  })
  it("names the tracker under both names only when there is one, the workspace only when it has workspaces", () => {
    const of = {
      directory: directoryOf("/u"),
      jobId: "j",
      index: 3,
      runId: "r",
      gateway: "http://127.0.0.1:1/cb/s",
      hasTestData: false,
      provider: []
    }
    const options = { inherited: {}, allow: [], adapterEnv: true, ociInsecure: false }
    const tracked = environmentOf({ ...of, trackerWorkspace: "w" }, { ...options, tracked: true })
    assert.notProperty(
      environmentOf({ ...of, trackerWorkspace: "w" }, { ...options, tracked: false }),
      "MLFLOW_WORKSPACE"
    )
    for (const name of ["TRACKER_TRACKING_URI", "MLFLOW_TRACKING_URI"])
      assert.strictEqual(tracked[name], "http://127.0.0.1:1/cb/s")
    for (const name of ["TRACKER_WORKSPACE", "MLFLOW_WORKSPACE"]) assert.strictEqual(tracked[name], "w")
    assert.notProperty(given({ tracked: true }), "MLFLOW_WORKSPACE")
    assert.notProperty(given({ tracked: true, adapterEnv: false }), "MLFLOW_TRACKING_URI")
  })
  it("keeps the one vendor name that existing adapters cannot do without", () => {
    const { EVALHUB_MODE: _, ...without } = set
    assert.deepStrictEqual(given({ adapterEnv: false }), without)
  })
  it("names the artifacts as the settings say", () => {
    const artifactNames = { artifactType: "application/vnd.own", annotationPrefix: "org.own" }
    assert.deepStrictEqual(given({ artifactNames }), {
      ...set,
      EVALD_OCI_ARTIFACT_TYPE: "application/vnd.own",
      EVALD_OCI_ANNOTATION_PREFIX: "org.own"
    })
    assert.deepStrictEqual(given({ artifactNames: {} }), set)
  })
  it("names test data when it was staged, and an insecure registry when it is one", () => {
    assert.deepStrictEqual(given({ ociInsecure: true }, [], true), {
      ...set,
      TEST_DATA_DIR: "/u/test_data",
      OCI_INSECURE: "true"
    })
  })
})
