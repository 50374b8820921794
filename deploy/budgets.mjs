// How long every suite and check may take, in seconds on two quiet cores. Whatever takes longer fails, although all of its tests pass: a
// loop that everybody waits for is kept fast like any other promise. On a slower machine, or beside other work, EVALD_BUDGET_SCALE
// multiplies all rows. A suite is a folder of test/; a new one gets its row here.

/** the name of a suite or check → seconds */
export const budgets = {
  // npm run check
  types: 90,
  "format and lint": 30,
  layers: 30,
  "generated docs": 15,
  unused: 30,
  // npm test
  unit: 55,
  property: 30,
  "unit + property": 60,
  contract: 30,
  integration: 110,
  e2e: 75,
  "npm test": 240,
  // suites of their own
  trust: 240,
  faces: 165,
  browser: 110,
  volume: 45,
  "browser + volume": 150,
  stories: 60,
  timed: 190,
  peers: 600,
  cluster: 360,
  operator: 600,
  image: 240,
  install: 240,
  heavy: 3_600,
  soak: 6_060,
  // .ci/run: what fills empty caches, and everything else
  "CI preparation": 2_700,
  CI: 2_100
}

/** the suites that `npm test` runs, all at once; every other suite has a command of its own */
export const quickSuites = ["unit", "property", "contract", "integration", "e2e"]

/** rows that are the sum of others */
export const sums = { "unit + property": ["unit", "property"], "browser + volume": ["browser", "volume"] }

const scaleVariable = "EVALD_BUDGET_SCALE"

/** what bounds on time are multiplied by: those of suites, and of the stories inside of them. A figure that evald promises stays as it is. */
export const scaleOf = (environment = process.env) => {
  const given = environment[scaleVariable] ?? ""
  const scale = given === "" ? 1 : Number(given)
  if (!(Number.isFinite(scale) && scale > 0))
    throw new Error(`${scaleVariable}='${given}' must be a number above 0, for example 2`)
  return scale
}

/** seconds that the suite or check may take here; undefined for one without a row */
export const budgetOf = (name, environment = process.env) =>
  Object.hasOwn(budgets, name) ? Math.round(budgets[name] * scaleOf(environment)) : undefined

/** why a suite or check that took so many seconds fails, or undefined when it is within its budget */
export const excessOf = (name, seconds, environment = process.env) => {
  const budget = budgetOf(name, environment)
  if (budget === undefined) return `'${name}' has no time budget: give it a row in deploy/budgets.mjs`
  if (seconds <= budget) return undefined
  return `'${name}' took ${seconds.toFixed(1)} s, its budget is ${budget} s (deploy/budgets.mjs): make it faster, or set ${scaleVariable} on a slower machine`
}

// `node deploy/budgets.mjs NAME` prints when a step that hangs is ended: long after it has failed, so that it can tell what it found
if (process.argv[1] === import.meta.filename) {
  const budget = budgetOf(process.argv[2] ?? "")
  if (budget === undefined)
    throw new Error(`usage: node deploy/budgets.mjs NAME, one of: ${Object.keys(budgets).join(", ")}`)
  console.log(budget * 2)
}
