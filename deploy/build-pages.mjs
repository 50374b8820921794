// The web pages: a script in parts that are loaded when a screen is opened, one style sheet, one icon, and the document that names them. Names
// hold a digest of the content, so that a browser may keep them for ever. Everything is compressed here, once and thoroughly.
import { mkdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { build } from "esbuild"

const sources = "interfaces/ui"

const [gzipped, brotlied] = [promisify(gzip), promisify(brotliCompress)]

const write = async (file, content) => {
  const bytes = Buffer.from(content)
  writeFileSync(file, bytes)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  const [gz, br] = await Promise.all([gzipped(bytes, { level: 9 }), brotlied(bytes, { params })])
  writeFileSync(`${file}.gz`, gz)
  writeFileSync(`${file}.br`, br)
}

const documentOf = (named) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>evald</title>
<link rel="icon" href="/assets/${named("icon.svg")}">
<link rel="stylesheet" href="/assets/${named("style.css")}">
<script type="module" src="/assets/${named("main.tsx")}"></script>
</head>
<body>
<div id="app"></div>
<noscript>These pages need JavaScript. The same is said by the command line (evald get jobs) and by the API (/docs).</noscript>
</body>
</html>
`

const options = {
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  metafile: true,
  write: false,
  logLevel: "warning",
  define: { "process.env.NODE_ENV": '"production"' }
}

/** writes the pages into `folder/ui`; answers esbuild's description of what they are made of */
export const buildPages = async (folder) => {
  const target = join(folder, "ui", "assets")
  mkdirSync(target, { recursive: true })
  const { metafile, outputFiles, warnings } = await build({
    ...options,
    entryPoints: [`${sources}/main.tsx`, `${sources}/style.css`, `${sources}/icon.svg`],
    loader: { ".svg": "copy" },
    outdir: target,
    splitting: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]"
  })
  const entries = Object.entries(metafile.outputs)
  const named = (source) => {
    const found = entries.find(
      ([, { entryPoint, inputs }]) =>
        entryPoint === `${sources}/${source}` || (entryPoint === undefined && `${sources}/${source}` in inputs)
    )
    if (found === undefined) throw new Error(`the pages have no ${source}`)
    return basename(found[0])
  }
  await Promise.all([
    ...outputFiles.map(({ path, contents }) => write(join(target, basename(path)), contents)),
    write(join(folder, "ui", "index.html"), documentOf(named))
  ])
  return { metafile, warnings }
}
