// One bundle per process, split into shared chunks, so that a process loads only what it needs: the sidecar carries no database driver.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { build } from "esbuild"
import { parse } from "yaml"
import { buildPages } from "./build-pages.mjs"
import { asOneScript } from "./server-script.mjs"

/**
 * where the bundles go; everything below it is replaced. Elsewhere than in `dist` they have no source maps, since those name the place, and no compiled
 * code, which fits one version of node and is never the same twice; without it the server stays modules, since one script takes more memory to compile.
 */
const folder = process.argv[2] ?? "dist"
const isHere = folder === "dist"
const sourcemap = isHere ? "linked" : false
const { version } = JSON.parse(readFileSync("package.json", "utf8"))
const git = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" })
const gitHash = git.status === 0 ? git.stdout.trim() : "unknown"

// bundled by themselves they load what they need: chunks shared with other entries hold what any of those needs, and each file costs a start half a
// millisecond. One sidecar starts with every pod, people wait for the client's commands, a server is down until it has started, and each of them begins
// with evald.ts.
const alone = ["evald.ts", "sidecar.ts", "client-commands.ts", "server.ts"]
// what those rarely load would share files with what they always load: the token of a kubeconfig, packed answers, and what a pod does at its end
const rare = [
  "infrastructure/kubernetes/kubeconfig/context-token.ts",
  "infrastructure/local/files/left-samples.ts",
  "providers/contract/mailbox.ts",
  "interfaces/gateway/witness/unpack.ts"
]
/** programs of threads, which find them beside their own bundle */
const threads = ["infrastructure/samples/reading/read-samples.ts", "infrastructure/samples/pack-samples.ts"]
const entries = readdirSync("interfaces/main").filter((name) => name.endsWith(".ts"))
rmSync(folder, { recursive: true, force: true })
/** libraries that are no modules ask for others with it */
const forRequire =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"
const options = {
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20",
  // names stay, so that stack traces can be read; the rest is a third of the text that node parses and keeps
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap,
  metafile: true,
  define: { __EVALD_VERSION__: JSON.stringify(version), __EVALD_GIT_HASH__: JSON.stringify(gitHash) },
  logLevel: "warning",
  external: ["better-sqlite3", "pg-native", "@parcel/watcher"],
  banner: { js: forRequire }
}
// the first program loads the others as they were bundled, and so do small programs what they rarely load
const keepApart = {
  name: "keep-apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/[\w-]+\.ts$/ }, ({ path, importer, resolveDir, kind }) => {
      const isApart = importer === resolve("interfaces/main/evald.ts") && path.startsWith("./")
      return isApart || (kind === "dynamic-import" && rare.some((one) => resolve(one) === resolve(resolveDir, path)))
        ? { path: `./${basename(path, ".ts")}.mjs`, external: true }
        : undefined
    })
}
// what libraries load for what is not used here: schemas make test data with fast-check, prom-client has exemplars, summaries, a push gateway and clusters
const neverUsed = [
  { by: "/node_modules/effect/", path: /^fast-check$/ },
  { by: "/node_modules/prom-client/", path: /^(@opentelemetry\/api|\.\/lib\/(summary|pushgateway|cluster))$/ }
]
const leaveOutNeverUsed = {
  name: "leave-out-never-used",
  setup: ({ onResolve, onLoad }) => {
    for (const { by, path: filter } of neverUsed)
      onResolve({ filter }, ({ importer, path }) =>
        importer.includes(by) ? { path, namespace: "never-used", sideEffects: false } : undefined
      )
    onLoad({ filter: /./, namespace: "never-used" }, () => ({ contents: "module.exports = {}", loader: "js" }))
  }
}
// the Kubernetes library says nothing about side effects, so that a thousand generated classes would come with the one that is used. Its files name
// each other as they are called; to have esbuild find them would take it longer than all the rest of a build
const kubernetes = "/node_modules/@kubernetes/client-node/"
const leaveOutUnused = {
  name: "leave-out-unused",
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, importer }) =>
      importer.includes(kubernetes) ? { path: join(dirname(importer), path), sideEffects: false } : undefined
    )
    onResolve({ filter: /^[@a-z]/ }, async ({ path, pluginData, ...options }) => {
      if (
        pluginData === "resolved" ||
        !(path.startsWith("@kubernetes/client-node") || options.importer.includes(kubernetes))
      )
        return undefined
      return { ...(await resolve(path, { ...options, pluginData: "resolved" })), sideEffects: false }
    })
  }
}
// V8 keeps a text with a byte for each letter, or two for each when one letter needs them: patterns in Chinese would make twice as much of the server's
const oneByteLetters = {
  name: "one-byte-letters",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8")
      const contents = text.replace(
        /[^\0-\x7f]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
      )
      return contents === text ? undefined : { contents, loader: "ts" }
    })
}
const results = await Promise.all([
  build({
    ...options,
    entryPoints: entries.filter((name) => !alone.includes(name)).map((name) => `interfaces/main/${name}`),
    plugins: [leaveOutUnused, leaveOutNeverUsed]
  }),
  ...[...alone.map((name) => `interfaces/main/${name}`), ...rare, ...threads].map(async (path) => {
    const isScript = isHere && basename(path) === "server.ts"
    const result = await build({
      ...options,
      // chunks of two builds have the same name when they are the same, and those of the server become something else
      chunkNames: isScript ? "server-[name]-[hash]" : "[name]-[hash]",
      entryPoints: [path],
      plugins: [keepApart, leaveOutUnused, leaveOutNeverUsed, oneByteLetters]
    })
    return isScript ? asOneScript(result, folder, options) : result
  }),
  buildPages(folder)
])
const warnings = results.flatMap((result) => result.warnings)
const outputs = results.flatMap(({ metafile }) => Object.values(metafile.outputs))
// most bundles have no such library, and a program would make one in each file that it reads. The line stays, since source maps count lines.
for (const file of results
  .flatMap(({ metafile }) => Object.keys(metafile.outputs))
  .filter((one) => one.endsWith(".mjs"))) {
  const text = readFileSync(file, "utf8")
  const rest = text.replace(forRequire, "")
  if (rest !== text && !/\brequire\b/.test(rest)) writeFileSync(file, rest)
}
chmodSync(`${folder}/evald.mjs`, 0o755)
// which files each bundle is made of, for tests of what may be in none
writeFileSync(
  `${folder}/.inputs.json`,
  JSON.stringify(
    Object.fromEntries(
      results.flatMap(({ metafile }) =>
        Object.entries(metafile.outputs).map(([file, { inputs }]) => [
          file,
          Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0 && !input.startsWith("never-used:"))
        ])
      )
    )
  )
)
mkdirSync(`${folder}/bin`)
symlinkSync("../evald.mjs", `${folder}/bin/evald`) // the folder that local adapters find on their PATH
// the values of the shipped YAML files by content hash, of definitions also as their schemas read them, and of providers whether they are sound: all
// together are half of the start-up time
const decoder = `${folder}/.definition-decoder.mjs`
await build({
  ...options,
  outdir: undefined,
  outfile: decoder,
  splitting: false,
  sourcemap: false,
  stdin: {
    resolveDir: process.cwd(),
    loader: "ts",
    contents: `
      import { Either, Schema } from "effect"
      import { CollectionFile, ProviderFile } from "./config/definition-schemas.ts"
      import { definitionOfProvider } from "./config/definitions.ts"
      import { modernKeys } from "./config/runtime-aliases.ts"
      import { checkProvider } from "./domain/provider/check-provider.ts"
      const decoder = (schema) => (value) => Either.getOrUndefined(Schema.decodeUnknownEither(schema)(modernKeys(value).value))
      export const decode = { providers: decoder(ProviderFile), collections: decoder(CollectionFile) }
      /** what a provider is checked for and what becomes of it */
      export const checked = (decoded) => {
        const given = definitionOfProvider(decoded)
        return { given, made: Either.getOrUndefined(checkProvider(given)) }
      }`
  }
})
const { decode, checked } = await import(pathToFileURL(decoder).href)
rmSync(decoder)
const parsed = {}
for (const kind of ["providers", "collections"]) {
  for (const name of readdirSync(`config/${kind}`)) {
    const text = readFileSync(`config/${kind}/${name}`, "utf8")
    const value = parse(text)
    const decoded = decode[kind](value)
    // only what JSON gives back as it was; the server decodes the others itself
    const kept = decoded !== undefined && isDeepStrictEqual(JSON.parse(JSON.stringify(decoded)), decoded)
    const { given, made } = kind === "providers" && kept ? checked(decoded) : {}
    const sound = made !== undefined && isDeepStrictEqual(made, given)
    parsed[createHash("sha256").update(text).digest("hex")] = {
      value,
      ...(kept ? { decoded } : {}),
      ...(sound ? { sound } : {})
    }
  }
}
const access = readFileSync("config/auth.yaml", "utf8")
parsed[createHash("sha256").update(access).digest("hex")] = { value: parse(access) }
writeFileSync(`${folder}/parsed-definitions.json`, JSON.stringify(parsed))
if (isHere) {
  const place = mkdtempSync(join(tmpdir(), "evald-build-"))
  const env = { PATH: process.env.PATH, HOME: place, TMPDIR: place }
  const { status, stderr } = spawnSync(process.execPath, ["deploy/keep-code.mjs", folder], { env, encoding: "utf8" })
  rmSync(place, { recursive: true })
  if (status !== 0) console.log(`the server's compiled code was not kept, so that each start compiles it:\n${stderr}`)
}
const bytes = outputs.reduce((sum, { bytes }) => sum + bytes, 0)
console.log(
  `built ${entries.length} entry points, ${(bytes / 1e6).toFixed(1)} MB${sourcemap === false ? "" : " with source maps"}, ${warnings.length} warnings`
)
