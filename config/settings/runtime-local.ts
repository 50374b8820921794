/** Benchmarks as processes on this machine. */
import { day, duration, flag, integer, list, oneOf, optionalInteger, optionalText, secret } from "./kinds.ts"

export const local = {
  "local.token": secret("bearer token required in local mode; allows another bind address than loopback", {
    variable: "EVALD_LOCAL_TOKEN"
  }),
  "local.workers": integer(5, 1, 5, "benchmarks running at once in local mode"),
  "local.nice": integer(
    10,
    0,
    19,
    "how far below the server's the priority of local benchmarks is (`nice`), so that they do not hold up its answers"
  ),
  "local.base_dir": optionalText(
    "where local units keep their files; default evald-<uid> below the temporary directory"
  ),
  "local.secrets_dir": optionalText(
    "local secrets, <dir>/<secret_ref>/<key>; default secrets/ below the config directory"
  ),
  "local.test_data_dir": optionalText(
    "local test data: a folder <dir>/<bucket> is used in place of the S3 bucket of that name, without its secret"
  ),
  "local.retain_seconds": duration(7 * day, 0, 3650 * day, "how long files of a finished local benchmark are kept"),
  "local.retention_days": optionalInteger(1, 36_500, "the same in days; goes before local.retain_seconds"),
  "local.max_bytes": optionalInteger(
    1_048_576,
    1_125_899_906_842_624,
    "bytes that files of local benchmarks may take; above it those that ended first are removed early; default no limit"
  ),
  "local.linger_seconds": duration(
    30,
    0,
    day,
    "time that the process of a local benchmark may go on after its terminal event"
  ),
  "local.log_max_bytes": integer(67_108_864, 65_536, 1_099_511_627_776, "size limit of one captured log"),
  "local.env_allow": list([], "further environment variables (NAME or PREFIX_*) that local adapters may see"),
  "local.require_callback_secret": flag(false, "refuse events on the plain path in local mode"),
  "local.model_proxy": oneOf(
    ["always", "auto"],
    "always",
    "auto: model traffic goes through the gateway only when model.auth is given, and nobody looks at the rest"
  ),
  "local.adopt": flag(
    false,
    "running local benchmarks go on when the server ends and are taken over by the next one; needs a database file and the same port"
  ),
  "local.process_namespace": oneOf(
    ["auto", "off"],
    "auto",
    "auto: each local benchmark has a process namespace where the system grants one, so that nothing it starts outlives it"
  ),
  "local.limits.processes": optionalInteger(1, 1_000_000, "ulimit for local benchmarks: processes"),
  "local.limits.open_files": optionalInteger(16, 1_000_000, "ulimit for local benchmarks: open files"),
  "local.limits.file_size_bytes": optionalInteger(
    1024,
    1_099_511_627_776,
    "ulimit for local benchmarks: size of one file"
  ),
  "local.limits.address_space_bytes": optionalInteger(
    1_048_576,
    1_099_511_627_776,
    "ulimit for local benchmarks: address space"
  )
} as const
