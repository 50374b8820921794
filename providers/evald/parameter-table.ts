/** Every parameter an embedded benchmark reads. The shipped provider file declares the same names; a test compares both. */

export interface Declaration {
  readonly name: string
  readonly type: "string" | "integer" | "number" | "boolean" | "object" | "integer[]" | "string[]"
  readonly default?: unknown
  readonly aliases?: ReadonlyArray<string>
  readonly min?: number
  readonly max?: number
  /** exclusive lower bound */
  readonly above?: number
  readonly allowed?: ReadonlyArray<string>
}

const integer = (name: string, min: number, more: Partial<Declaration> = {}): Declaration => ({
  name,
  type: "integer",
  min,
  ...more
})
const text = (name: string, more: Partial<Declaration> = {}): Declaration => ({ name, type: "string", ...more })

export const PARAMETERS: ReadonlyArray<Declaration> = [
  text("auth_key", { default: "api-key" }),
  { name: "seed", type: "integer", default: 42, aliases: ["random_seed"] },
  integer("num_few_shot", 0, { max: 16, default: 0, aliases: ["num_fewshot"] }),
  integer("num_concurrent", 1, { max: 256, default: 4 }),
  text("endpoint", { default: "auto", allowed: ["auto", "chat", "completions"] }),
  text("method", { default: "generate", allowed: ["generate", "logprobs", "echo"] }),
  integer("max_tokens", 1),
  { name: "temperature", type: "number", default: 0, min: 0, max: 2 },
  integer("timeout_seconds", 1, { max: 86400, default: 120 }),
  integer("max_retries", 0, { max: 10, default: 3 }),
  { name: "max_error_rate", type: "number", default: 0.05, min: 0, max: 1 },
  text("difficulty", { default: "mixed", allowed: ["easy", "medium", "hard", "mixed"] }),
  { name: "lengths", type: "integer[]", default: [1024, 4096, 8192], min: 1 },
  { name: "languages", type: "string[]" },
  text("system_prompt"),
  { name: "allow_code_execution", type: "boolean", default: false },
  { name: "judge", type: "object" },
  integer("k", 1, { max: 64, default: 1 }),
  { name: "rate", type: "number", above: 0 },
  { name: "max_seconds", type: "number", default: 30, above: 0 },
  integer("max_requests", 1),
  { name: "warmup_seconds", type: "number", default: 2, min: 0 },
  { name: "cooldown_seconds", type: "number", default: 1, min: 0 },
  integer("prompt_tokens", 1, { default: 256 }),
  integer("output_tokens", 1, { default: 128 }),
  integer("sweep_points", 2, { max: 20, default: 5 }),
  text("on_saturation", { default: "fail", allowed: ["fail", "warn"] }),
  text("data_path"),
  text("data_format", { default: "auto", allowed: ["auto", "jsonl", "csv"] }),
  { name: "columns", type: "object" },
  text("scorer", { default: "exact_match_flexible" }),
  text("regex"),
  { name: "tolerance", type: "number", default: 0, min: 0 },
  { name: "user_packages", type: "string[]" }
]
