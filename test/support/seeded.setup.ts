/** Property tests draw the same cases in every run; `EVALD_TEST_SEED` chooses others, to look for what one seed does not find. */
import * as fc from "effect/FastCheck"

fc.configureGlobal({ seed: Number(process.env["EVALD_TEST_SEED"] ?? 20_260_117) })
