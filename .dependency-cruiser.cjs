// The layer rule of ARCHITECTURE.md. Paths are anchored: a loose "domain" would also match "interfaces/domain-picker.ts".
// `values` is beneath all of them
const layers = ["domain", "application", "infrastructure", "interfaces", "config", "providers", "test"]
const own = `^(${layers.join("|")})/`
const only = (from, allowed, comment, fromNot) => ({
  name: `${from.replaceAll("/", "-")}-imports`,
  severity: "error",
  comment,
  from: fromNot === undefined ? { path: `^${from}/` } : { path: `^${from}/`, pathNot: fromNot },
  to: { path: own, pathNot: `^(${[from, ...allowed].join("|")})/` }
})
const packages = (from, allowed, fromNot) => ({
  name: `${from.replaceAll("/", "-")}-packages`,
  severity: "error",
  from: { path: `^${from}/`, ...(fromNot === undefined ? {} : { pathNot: fromNot }) },
  to: { dependencyTypes: ["npm", "npm-dev", "npm-peer", "core"], pathNot: `(^|/)node_modules/(${allowed.join("|")})/` }
})
module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    { name: "no-orphans", severity: "error", from: { orphan: true, pathNot: "\\.(test|config)\\.ts$|^test/" }, to: {} },
    { name: "not-to-test", severity: "error", from: { pathNot: "^test/" }, to: { path: "^test/" } },
    { name: "not-to-dev-packages", severity: "error", from: { pathNot: "^(test/|[^/]+\\.ts$)" }, to: { dependencyTypes: ["npm-dev"] } },
    only("domain", [], "pure rules"),
    packages("domain", ["effect"], "^domain/patch/"),
    packages("domain/patch", ["effect", "fast-json-patch"]),
    only("application", ["domain"], "use cases and ports"),
    packages("application", ["effect"]),
    only("infrastructure", ["domain", "application", "config", "providers/contract"], "implementations of ports"),
    only("interfaces", ["domain", "application", "config", "providers/contract", "infrastructure/outbound"], "transport", "^interfaces/main/"),
    {
      name: "pages-are-light",
      severity: "error",
      comment: "a page is made of its own parts, the small client and plain values; of the contract it takes types alone",
      from: { path: "^interfaces/ui/" },
      to: { path: own, pathNot: "^interfaces/(ui/|client/|http/(api|groups/operation)\\.ts$)" }
    },
    {
      name: "only-pages-know-the-browser",
      severity: "error",
      from: { pathNot: "^(interfaces/ui|test)/" },
      to: { path: "^interfaces/ui/|node_modules/(preact|preact-iso|@preact|@tanstack|diff|uplot)/" }
    },
    {
      name: "the-way-out-is-plain-node",
      severity: "error",
      comment: "the sidecar is made of it: rules of the domain and node's own modules, no port and no Effect runtime",
      from: { path: "^infrastructure/outbound/" },
      to: { pathNot: "^(domain|infrastructure/outbound)/", dependencyTypesNot: ["core"] }
    },
    only("config", [], "data and one typed loader"),
    { name: "values-is-beneath-all", severity: "error", from: { path: "^values/" }, to: { path: own } },
    {
      name: "pointers-stay-at-the-edge",
      severity: "error",
      comment: "rules and use cases name places by the domain's own members; config/wire-names.ts knows what callers call them",
      from: { path: "^(domain|application)/", pathNot: "^domain/patch/" },
      to: { path: "^values/json-pointer" }
    },
    { name: "pure-layers-digest-nothing", severity: "error", from: { path: "^(domain|application)/" }, to: { path: "^values/(digest|node/crypto)" } },
    {
      name: "adapters-do-not-import-the-server",
      severity: "error",
      from: { path: "^providers/" },
      to: { path: own, pathNot: "^providers/" }
    },
    {
      name: "adapters-are-independent",
      severity: "error",
      comment: "an adapter imports the contract, the SDK and itself",
      from: { path: "^providers/([^/]+)/" },
      to: { path: "^providers/", pathNot: "^providers/(contract|sdk|$1)/" }
    },
    { name: "contract-is-a-leaf", severity: "error", from: { path: "^providers/contract/" }, to: { path: own, pathNot: "^providers/contract/" } }
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "/fixtures/" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "types"] }
  }
}
