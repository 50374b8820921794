/** Before each test file: the seed of property tests, and the global testers as they were before any file. Once a process: the clock. */
import * as fc from "effect/FastCheck"
import { restoreTesters } from "./plain-tester.ts"
import { quickenTestClock } from "./quick-test-clock.ts"
import { seedOf } from "./seed.ts"

restoreTesters()
quickenTestClock()
fc.configureGlobal({ seed: seedOf(process.env) })
