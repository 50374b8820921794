/**
 * What chance draws in tests: the same cases in every run on a developer's machine, other ones in every run of CI. `EVALD_TEST_SEED` draws
 * those of one run again.
 */
import { randomInt } from "node:crypto"

export const seedVariable = "EVALD_TEST_SEED"
const usual = 20_260_117

/** the seed that this environment asks for; throws when it is not a whole number */
export const seedOf = (
  environment: { readonly [name: string]: string | undefined },
  fresh = () => randomInt(2 ** 31)
): number => {
  const given = environment[seedVariable] ?? ""
  if (given === "") return (environment["CI"] ?? "") === "" || environment["CI"] === "false" ? usual : fresh()
  const seed = Number(given)
  if (!Number.isSafeInteger(seed)) throw new Error(`${seedVariable}='${given}' must be a whole number`)
  return seed
}
