// Writes what is generated below deploy/: install.yaml, the kustomize base and overlays, the Helm chart and the roles, from the objects of
// infrastructure/kubernetes/installation. `render` is called by generate-docs.mjs, which compares only with --check.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"

/** folders in which nothing else lies: a file that is no longer generated is stale there */
const whole = ["deploy/roles", "deploy/kustomize/base", "deploy/kustomize/overlays", "deploy/helm"]

const filesBelow = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    : []

/** a module of the sources as node can import it; packages are found from the repository's root */
export const load = async (file) => {
  mkdirSync(".cache", { recursive: true })
  const outfile = join(".cache", `manifests-${process.pid}-${basename(file)}.mjs`)
  try {
    await build({
      entryPoints: [file],
      outfile,
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      logLevel: "error"
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}

/** `settings`: the table of settings. Returns the paths that were not up to date, written unless `check`. */
export const render = async (settings, check) => {
  const { installationFiles } = await load("infrastructure/kubernetes/installation/files.ts")
  const { shippedDefinitions } = await load("infrastructure/kubernetes/installation/shipped.ts")
  const { version } = JSON.parse(readFileSync("package.json", "utf8"))
  const files = installationFiles({
    version,
    installation: {
      domain: settings.domain.initial,
      groups: {
        service: settings["api_groups.service"].initial,
        platform: settings["api_groups.platform"].initial,
        tracker: settings["api_groups.tracker"].initial
      },
      platformDomain: settings.platform_domain.initial,
      queueDomain: settings["queue.domain"].initial,
      namespace: "evald-system",
      serviceAccount: "evald-operator",
      rolePrefix: "evald-",
      definitions: shippedDefinitions("config")
    }
  })
  const wanted = new Map(Object.entries(files).map(([path, text]) => [join("deploy", path), text]))
  const left = whole.flatMap(filesBelow).filter((path) => !wanted.has(path))
  const changed = [...wanted].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text)
  if (!check) {
    for (const path of left) rmSync(path)
    for (const [path, text] of changed) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
  }
  return [...left, ...changed.map(([path]) => path)]
}
