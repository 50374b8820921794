// The web pages: a script in parts that are loaded when a screen is opened, one style sheet, one icon, and the document that names them. Names
// hold a digest of the content, so that a browser may keep them for ever. Everything is compressed here, once and thoroughly. Beside them lies the
// frame of a report: one document with script and style in it, into which the command line writes what it shows.
import { createHash } from "node:crypto"
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

const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** it loads nothing, and runs nothing but its own script: the data are no script */
const reportOf = (script, style) => {
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error("script or style of the report would end its own element")
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>evald report</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This report needs JavaScript. It loads nothing: all that it shows is in this file.</noscript>
<script type="application/json" id="data">null</script>
<script>${script}</script>
</body>
</html>
`
}

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

/** the script of a report, whole in one text */
const buildReport = (folder) =>
  build({
    ...options,
    format: "iife",
    entryPoints: [`${sources}/report/main.tsx`],
    outfile: join(folder, "ui", "report.js")
  })

/** writes the pages into `folder/ui`; answers esbuild's description of what they are made of */
export const buildPages = async (folder) => {
  const target = join(folder, "ui", "assets")
  mkdirSync(target, { recursive: true })
  const [{ metafile, outputFiles, warnings }, report] = await Promise.all([
    build({
      ...options,
      entryPoints: [`${sources}/main.tsx`, `${sources}/style.css`, `${sources}/icon.svg`],
      loader: { ".svg": "copy" },
      outdir: target,
      splitting: true,
      entryNames: "[name]-[hash]",
      chunkNames: "[name]-[hash]",
      assetNames: "[name]-[hash]"
    }),
    buildReport(folder)
  ])
  const entries = Object.entries(metafile.outputs)
  const named = (source) => {
    const found = entries.find(
      ([, { entryPoint, inputs }]) =>
        entryPoint === `${sources}/${source}` || (entryPoint === undefined && `${sources}/${source}` in inputs)
    )
    if (found === undefined) throw new Error(`the pages have no ${source}`)
    return basename(found[0])
  }
  const style = outputFiles.find(({ path }) => basename(path) === named("style.css"))
  writeFileSync(join(folder, "ui", "report.html"), reportOf(report.outputFiles[0].text, style.text))
  await Promise.all([
    ...outputFiles.map(({ path, contents }) => write(join(target, basename(path)), contents)),
    write(join(folder, "ui", "index.html"), documentOf(named))
  ])
  // the script of a report is no file of its own: what it is made of is in the document
  const inDocument = Object.entries(report.metafile.outputs).map(([file, made]) => [file.replace(/js$/, "html"), made])
  return {
    metafile: { outputs: { ...metafile.outputs, ...Object.fromEntries(inDocument) } },
    warnings: [...warnings, ...report.warnings]
  }
}
