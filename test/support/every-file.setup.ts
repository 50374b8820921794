/** Before each test file: the seed of property tests, and the global testers as they were before any file. */
import * as fc from "effect/FastCheck"
import { restoreTesters } from "./plain-tester.ts"
import { seedOf } from "./seed.ts"

restoreTesters()
fc.configureGlobal({ seed: seedOf(process.env) })
