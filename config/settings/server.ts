/** Where the API listens, and what it takes at most. */
import {
  duration,
  flag,
  hosts,
  integer,
  list,
  optionalAllowance,
  optionalInteger,
  optionalText,
  someOf
} from "./kinds.ts"

export const service = {
  "service.port": integer(8080, 0, 65_535, "port of the API; 0 takes a free one", { variable: "PORT" }),
  "service.host": optionalText("address the API listens on; default all addresses, in local mode 127.0.0.1", {
    variable: "EVALD_HOST"
  }),
  "service.max_body_bytes": integer(10_485_760, 1024, 1_073_741_824, "largest request body; above it 413"),
  "service.max_head_bytes": integer(32_768, 4096, 1_048_576, "largest request head; above it 431"),
  "service.max_connections": integer(
    5000,
    16,
    1_000_000,
    "connections at once; above it 503, but for health and what adapters report"
  ),
  "service.max_streams": integer(2000, 1, 1_000_000, "watchers and followers of logs at once; above it 429"),
  "service.max_streams_per_tenant": integer(1500, 1, 1_000_000, "the same of one tenant"),
  "service.request_timeout_seconds": duration(30, 1, 3600, "a body that stalls this long gets 408"),
  "service.shutdown_grace_seconds": duration(10, 0, 3600, "time that requests in flight get at shutdown"),
  "service.tls.cert_path": optionalText(
    "PEM certificate with its chain: serve HTTPS; read again when it changes; not in local mode"
  ),
  "service.tls.key_path": optionalText("PEM key of the certificate")
} as const

export const ui = {
  "ui.enabled": flag(true, "serve the web pages at /"),
  "ui.origins": list(
    [],
    "further origins of the pages, such as https://evald.example, for a proxy that does not pass the Host header on"
  )
} as const

export const rateLimit = {
  "rate_limit.per_second": optionalInteger(
    1,
    1_000_000,
    "requests of one tenant per second; default no limit; status events are not counted"
  ),
  "rate_limit.burst": optionalInteger(
    1,
    1_000_000,
    "requests of one tenant at once after a pause; default twice rate_limit.per_second"
  )
} as const

/** agents' programs */
export const mcp = {
  "mcp.enabled": flag(false, "agents' programs may ask at /mcp (Model Context Protocol), with a caller's token"),
  "mcp.content": flag(false, "agents may read prompts and responses of samples there"),
  "mcp.allow_write": someOf(
    ["submit_job", "rerun_job", "cancel_job"],
    "what agents may change there, as far as their callers may: submit_job, rerun_job, cancel_job; each asks the agent's user"
  ),
  "mcp.model_hosts": hosts("host or host:port of the models that agents may have evaluated; all others are refused"),
  "mcp.unattended_budget": optionalAllowance(
    "most of one job that is submitted where the agent's program can not ask its user, such as requests=200,tokens=100000; unset: it is refused"
  )
} as const
