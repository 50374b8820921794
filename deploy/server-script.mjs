// The server as one CommonJS script in place of twenty modules: node can run a script from code that was compiled before, and modules only since 22.1.
// What is loaded later stays in modules of its own, which take what they share with the server from the script. ARCHITECTURE.md, decision 16.
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { build } from "esbuild"

/** the outputs that are read with `file` */
const readWith = (outputs, file, seen = new Set()) => {
  seen.add(file)
  for (const { path, kind, external } of outputs[file].imports)
    if (kind === "import-statement" && !external && !seen.has(path)) readWith(outputs, path, seen)
  return seen
}

/**
 * what a script calls in place of `import`, which node gives to scripts with a warning only; as long as the word, so that what the source map says of
 * the rest of a line stays true
 */
const later = "later_"

/** what the outputs import when it is asked for, they call instead; `files`: where they lie */
const callLater = (outputs, files) => {
  for (const file of files) {
    const called = outputs[file].imports
      .filter(({ kind }) => kind === "dynamic-import")
      .map(({ path, external }) => (external ? path : `./${basename(path)}`))
    writeFileSync(
      file,
      called.reduce(
        (text, path) => text.replaceAll(`import("${path}")`, `${later}("${path}")`),
        readFileSync(file, "utf8")
      )
    )
  }
}

const list = (items) => items.join(", ")

/** `shared`: chunks that others import from, with all that they export. What they are is asked when one of the others is loaded. */
const entryOf = (shared) =>
  [
    ...shared.map(
      ({ chunk, names }, at) => `import { ${list(names.map((name) => `${name} as ${name}_${at}`))} } from "./${chunk}"`
    ),
    'export { main } from "./server.mjs"',
    `export const shared = { ${list(
      shared.map(
        ({ chunk, names }, at) => `"${chunk}": () => ({ ${list(names.map((name) => `${name}: ${name}_${at}`))} })`
      )
    )} }`
  ].join("\n")

/** stands where a chunk was, for those that are loaded later */
const standIn = ({ chunk, names }) =>
  names.length === 0
    ? 'import "./server.mjs"\n'
    : `import { shared } from "./server.mjs"\nexport const { ${list(names)} } = shared["${chunk}"]()\n`

/**
 * Code that was kept lies beside the script, so that nobody can write it who could not write the script; another node than the one that compiled it asks
 * for another file. A start keeps nothing of what it reads but the text of the script, once: buffers give their memory back as soon as they are read,
 * not at the next full collection, and the text is never joined with what stands around it, which would make a second one. What a start makes stays
 * alive nearly all, and V8 would take 16 MB more for what is new: not before the server listens (interfaces/main/compose/machine/heap.ts).
 */
const loaderOf = (script) => `import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import Module, { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { Script } from "node:vm"

const require = createRequire(import.meta.url)
const file = fileURLToPath(new URL("./${script}", import.meta.url))
export const codeFile = \`\${file}.\${process.version}-\${process.arch}\`
const [before, after] = Module.wrapper
const read = (path, before, after, use) => {
  const descriptor = openSync(path)
  try {
    const { size } = fstatSync(descriptor)
    const length = before.length + size + after.length
    const memory = new ArrayBuffer(length, { maxByteLength: length })
    const bytes = Buffer.from(memory)
    bytes.write(before, 0, "latin1")
    for (let at = 0, got; at < size && (got = readSync(descriptor, bytes, before.length + at, size - at, null)) > 0; ) at += got
    bytes.write(after, before.length + size, "latin1")
    const made = use(bytes)
    memory.resize(0)
    return made
  } finally {
    closeSync(descriptor)
  }
}
const text = () => read(file, before, after, (bytes) => bytes.toString("latin1"))
const compiled = (cachedData) => new Script(text(), { filename: file, cachedData })
const fromKept = () => {
  try {
    return read(codeFile, "", "", compiled)
  } catch {
    return compiled()
  }
}
/** undefined where stack traces show the sources: node's own loader knows them */
export const script = process.sourceMapsEnabled ? undefined : fromKept()
const run = () => {
  const module = { exports: {}, ${later}: (path) => import(path) }
  setFlagsFromString("--semi-space-growth-factor=1")
  script.runInThisContext()(module.exports, require, module, file, dirname(file))
  return module.exports
}
export const { main, shared } = script === undefined ? require(file) : run()
`

const compiled = (folder, entry, options) =>
  build({
    ...options,
    stdin: { contents: entry, resolveDir: resolve(folder) },
    entryNames: "server-[hash]",
    outExtension: { ".js": ".cjs" },
    splitting: false,
    format: "cjs",
    define: { "import.meta.url": "__urlOfScript" },
    banner: {
      js: `"use strict";const __urlOfScript=require("node:url").pathToFileURL(__filename).href,${later}=module.${later}??(path=>import(path));`
    }
  })

/**
 * Makes one script of `server.mjs` and the chunks that are read with it; takes and gives the result of a build, whose outputs lie in `folder`.
 */
export const asOneScript = async ({ metafile: { outputs } }, folder, options) => {
  const server = Object.keys(outputs).find((file) => basename(file) === "server.mjs")
  const joined = readWith(outputs, server)
  const later = Object.entries(outputs).filter(([file]) => file.endsWith(".mjs") && !joined.has(file))
  const imported = new Set(later.flatMap(([, { imports }]) => imports.map(({ path }) => path)))
  const shared = [...joined]
    .filter((file) => imported.has(file))
    .map((file) => ({ file, chunk: basename(file), names: outputs[file].exports }))
  callLater(outputs, joined)
  const { metafile, warnings } = await compiled(folder, entryOf(shared), options)
  const [script] = Object.keys(metafile.outputs).filter((file) => file.endsWith(".cjs"))
  if (/[^\0-\x7f]/.test(readFileSync(script, "utf8"))) throw new Error(`${script} is not ASCII, as its loader takes it`)
  const inputs = Object.assign({}, ...[...joined].map((file) => outputs[file].inputs))
  for (const file of joined) {
    rmSync(file)
    rmSync(`${file}.map`, { force: true })
  }
  for (const one of shared) writeFileSync(one.file, standIn(one))
  writeFileSync(join(folder, "server.mjs"), loaderOf(basename(script)))
  return {
    warnings,
    metafile: {
      outputs: {
        ...Object.fromEntries(Object.entries(outputs).filter(([file]) => !joined.has(file.replace(/\.map$/, "")))),
        ...metafile.outputs,
        [script]: { ...metafile.outputs[script], inputs }
      }
    }
  }
}
