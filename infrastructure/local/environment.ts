/**
 * The whole environment of a local adapter: an allow-list copied from the server, what the contract sets, and the provider's own
 * variables. Nothing else is inherited, so that no credential of the server reaches a benchmark. Reference: adapter-contract.md, "Environment".
 */
import { delimiter } from "node:path"
import type { EnvVar } from "../../domain/provider/runtime.ts"
import { withoutCredentials } from "../../domain/proxies.ts"
import { frameworkCommandVariable } from "../../providers/contract/frameworks.ts"
import { defined } from "../../values/defined.ts"
import type { UnitDirectory } from "./files/unit-directory.ts"

export type Variables = { readonly [name: string]: string | undefined }

const allowed = [
  ...[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_*",
    "TZ",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "http_proxy",
    "https_proxy",
    "NO_PROXY",
    "no_proxy"
  ],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"],
  ...[
    "HF_HOME",
    "HF_HUB_CACHE",
    "HF_ENDPOINT",
    "HF_HUB_OFFLINE",
    "HF_DATASETS_CACHE",
    "HF_DATASETS_OFFLINE",
    "TRANSFORMERS_OFFLINE",
    "NLTK_DATA"
  ],
  ...[
    "TIKTOKEN_CACHE_DIR",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "LD_LIBRARY_PATH",
    "CUDA_VISIBLE_DEVICES"
  ],
  ...["OMP_NUM_THREADS", "TOKENIZERS_PARALLELISM"]
]

/** never copied because of a pattern, only when named in full */
const guarded = /TOKEN|KEY|SECRET|PASSWORD|CREDENTIAL|^AWS_|^KUBECONFIG$|^DB_URL$/i

const builtIn = new Set(allowed)

const isAllowed = (name: string, extra: ReadonlyArray<string>): boolean => {
  if (builtIn.has(name) || extra.includes(name)) return true
  if (guarded.test(name)) return false
  return [...allowed, ...extra].some((pattern) => pattern.endsWith("*") && name.startsWith(pattern.slice(0, -1)))
}

export interface EnvironmentOptions {
  /** the server's own environment */
  readonly inherited: Variables
  /** further names or `PREFIX_*` (`local.env_allow`) */
  readonly allow: ReadonlyArray<string>
  /** directory of the evald binary, put first in PATH */
  readonly pathPrepend?: string
  /** also set the vendor names of variables (`compat.adapter_env`) */
  readonly adapterEnv: boolean
  /** tracking is configured */
  readonly tracked: boolean
  readonly ociInsecure: boolean
  /** names on exported results that differ from the adapter's own (`oci.artifact_type`, `oci.annotation_prefix`) */
  readonly artifactNames?: { readonly artifactType?: string; readonly annotationPrefix?: string }
}

export interface EnvironmentOf {
  readonly directory: UnitDirectory
  readonly jobId: string
  readonly index: number
  readonly runId: string
  /** the unit's own address at the server */
  readonly gateway: string
  readonly hasTestData: boolean
  readonly traceparent?: string
  /** the one that the experiment lives in, where the tracking server has workspaces */
  readonly trackerWorkspace?: string
  /** executable or virtual environment of the framework that the adapter drives */
  readonly frameworkCommand?: string
  readonly provider: ReadonlyArray<EnvVar>
}

const withLoopback = (list: string | undefined): string => {
  const given = (list ?? "").split(",").filter((host) => host !== "")
  return [...given, ...["localhost", "127.0.0.1", "::1"].filter((host) => !given.includes(host))].join(",")
}

const setVariables = (of: EnvironmentOf, options: EnvironmentOptions): Variables => {
  const both = (name: string, vendor: string, value: string | undefined) => ({
    [name]: value,
    ...(options.adapterEnv ? { [vendor]: value } : {})
  })
  const { directory, gateway, trackerWorkspace } = of
  const { inherited, tracked } = options
  return {
    ...both("EVALD_MODE", "EVALHUB_MODE", "local"),
    EVALD_JOB_SPEC_PATH: directory.jobFile,
    EVALHUB_JOB_SPEC_PATH: directory.jobFile,
    EVALD_JOB_ID: of.jobId,
    EVALD_BENCHMARK_INDEX: String(of.index),
    EVALD_RUN_ID: of.runId,
    EVALD_OUTPUT_DIR: directory.results,
    EVALD_MODEL_AUTH_DIR: directory.modelAuth,
    ...(of.hasTestData ? { TEST_DATA_DIR: directory.testData } : {}),
    ...(tracked ? both("TRACKER_TRACKING_URI", "MLFLOW_TRACKING_URI", gateway) : {}),
    ...(tracked && trackerWorkspace !== undefined
      ? both("TRACKER_WORKSPACE", "MLFLOW_WORKSPACE", trackerWorkspace)
      : {}),
    ...(options.ociInsecure ? { OCI_INSECURE: "true" } : {}),
    EVALD_OCI_ARTIFACT_TYPE: options.artifactNames?.artifactType,
    EVALD_OCI_ANNOTATION_PREFIX: options.artifactNames?.annotationPrefix,
    TMPDIR: directory.tmp,
    PYTHONUNBUFFERED: "1",
    NO_COLOR: "1",
    NO_PROXY: withLoopback(inherited["NO_PROXY"]),
    no_proxy: withLoopback(inherited["no_proxy"]),
    ...(of.frameworkCommand === undefined ? {} : { [frameworkCommandVariable]: of.frameworkCommand }),
    ...defined({ TRACEPARENT: of.traceparent })
  }
}

/** of the server's own variables, those that every unit gets */
const copiedOf = ({ inherited, allow }: EnvironmentOptions): Variables =>
  Object.fromEntries(
    Object.entries(inherited)
      .filter(([name]) => isAllowed(name, allow))
      .map(([name, value]) => [name, value !== undefined && /_PROXY$/i.test(name) ? withoutCredentials(value) : value])
  )

/** a server's options are the same for all of its units, and hundreds of names are looked at */
const copies = new WeakMap<EnvironmentOptions, Variables>()

const copiedOnce = (options: EnvironmentOptions): Variables => {
  const known = copies.get(options) ?? copiedOf(options)
  copies.set(options, known)
  return known
}

/** every variable of the adapter's process; the server's own are looked at once for the same `options` */
export const environmentOf = (of: EnvironmentOf, options: EnvironmentOptions): { readonly [name: string]: string } => {
  const copied = copiedOnce(options)
  const path = [options.pathPrepend, copied["PATH"]].filter((part) => part !== undefined && part !== "").join(delimiter)
  const own = Object.fromEntries(of.provider.map(({ name, value }) => [name, value ?? ""]))
  const all = { ...copied, ...(path === "" ? {} : { PATH: path }), ...own, ...setVariables(of, options) }
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
