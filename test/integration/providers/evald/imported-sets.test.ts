/** Original files of well-known public sets (small ones written for this test, in their format), imported and evaluated by the whole adapter. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { importFile } from "../../../../providers/evald/import/import-file.ts"
import { loopbackModel } from "../../../support/loopback-model.ts"
import { tempDir } from "../../../support/temp-dir.ts"
import { evaluate } from "./evaluate.ts"
