/** Options of a local runtime as tests use it: quick to give up, nothing inherited but PATH. */
import { Effect } from "effect"
import type { LocalRuntimeOptions } from "../../infrastructure/local/local-options.ts"

export const localOptions = (baseDir: string, given: Partial<LocalRuntimeOptions> = {}): LocalRuntimeOptions => ({
  baseDir,
  instance: "test",
  workers: 5,
  callbackBase: Effect.succeed("http://127.0.0.1:9"),
  modelAuth: () => Effect.succeed([]),
  modelProxy: "auto",
  document: { samples: { write: true, includeText: true }, legacyJobKeys: false },
  environment: {
    inherited: { PATH: process.env["PATH"] },
    allow: [],
    adapterEnv: true,
    tracked: false,
    ociInsecure: false
  },
  limits: {},
  logMaxBytes: 64 * 1024 * 1024,
  retainSeconds: 3600,
  redact: [],
  stopGraceMillis: 1500,
  ...given
})
