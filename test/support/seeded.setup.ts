/** Property tests draw the same cases in every run; `EVALD_TEST_SEED` chooses others, to look for what one seed does not find. */
import * as fc from "effect/FastCheck"
import { restoreTesters } from "./plain-tester.ts"

restoreTesters()

fc.configureGlobal({ seed: Number(process.env["EVALD_TEST_SEED"] ?? 20_260_117) })
