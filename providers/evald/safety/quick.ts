/** safety_quick: four items of each of the five attack families, for a first look in a minute. */
import { attackBenchmark, familyItems } from "./attack.ts"
import { encodingFamily } from "./encoding.ts"
import { exfilFamily } from "./exfil.ts"
import { injectionFamily } from "./injection.ts"
import { jailbreakFamily } from "./jailbreak.ts"
import { syspromptLeakFamily } from "./sysprompt-leak.ts"

const families = [jailbreakFamily, injectionFamily, encodingFamily, syspromptLeakFamily, exfilFamily]
const PER_FAMILY = 4

export const safetyQuick = attackBenchmark(
  "safety_quick",
  families.flatMap(({ probes }) => probes),
  (seed) => families.flatMap((family) => familyItems(family, seed, PER_FAMILY, "safety_quick"))
)
