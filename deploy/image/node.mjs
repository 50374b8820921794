// Node.js and the SQLite driver compiled for it. The program and its headers come from one npm package for each processor.
import { createHash } from "node:crypto"
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { cached, isInstalled, lock, processors, run, sha256 } from "./machine.mjs"
import { file, filesBelow } from "./tar.mjs"

/** the unpacked npm package: bin/node, include/, LICENSE */
const nodePackage = (arch) => {
  const { package: name, integrity } = lock.node[arch]
  return cached(`node/${sha256(integrity)}`, (folder) => {
    run("npm", ["pack", "--silent", "--pack-destination", folder, `${name}@${lock.node.version}`], { cwd: folder })
    const archive = join(folder, `${name}-${lock.node.version}.tgz`)
    const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`
    if (found !== integrity)
      throw new Error(
        `${name}@${lock.node.version} has the integrity ${found}, deploy/image/lock.json wants ${integrity}`
      )
    run("tar", ["-xzf", archive, "--strip-components=1"], { cwd: folder })
  })
}

const tool = (arch, name) => {
  const own = processors[arch].node === process.arch
  return own ? name : `${processors[arch].triplet}-${name}`
}

/** undefined when an image for this processor can be made here, else what is missing */
export const missingFor = (arch) =>
  ["strip", "ar", "gcc", "g++"].map((name) => tool(arch, name)).find((program) => !isInstalled(program))

const versionOf = (program) => run(program, ["--version"]).toString().split("\n", 1)[0]

/** the program, without what only a debugger reads */
const strippedNode = (arch) => {
  const strip = tool(arch, "strip")
  const stamp = sha256(lock.node[arch].integrity, versionOf(strip))
  return join(
    cached(`node-stripped/${stamp}`, (folder) =>
      run(strip, ["-o", join(folder, "node"), join(nodePackage(arch), "bin", "node")])
    ),
    "node"
  )
}

export const nodeEntries = (arch) => [
  file("usr/local/bin/node", readFileSync(strippedNode(arch)), 0o755),
  file("usr/share/doc/node/LICENSE", readFileSync(join(nodePackage(arch), "LICENSE")))
]

/** modules that the bundles leave out because one of them is compiled, with their versions */
export const driverModules = ["better-sqlite3", "bindings", "file-uri-to-path"].map((name) => {
  const { version } = JSON.parse(readFileSync(join("node_modules", name, "package.json"), "utf8"))
  return { name, version }
})

const nodeGyp = () => {
  const npm = run("npm", ["root", "--global"]).toString().trim()
  const found = [
    join(npm, "npm", "node_modules", "node-gyp", "bin", "node-gyp.js"),
    join(
      dirname(process.execPath),
      "..",
      "lib",
      "node_modules",
      "npm",
      "node_modules",
      "node-gyp",
      "bin",
      "node-gyp.js"
    )
  ].find((path) => existsSync(path))
  if (found === undefined) throw new Error("npm's node-gyp, which compiles the SQLite driver, was not found beside npm")
  return found
}

/** the compiled driver; which compiler made it is part of what it is kept under */
const compiledDriver = (arch) => {
  const [{ version }] = driverModules
  const [gcc, gxx, strip, ar] = ["gcc", "g++", "strip", "ar"].map((name) => tool(arch, name))
  const stamp = sha256(version, lock.node[arch].integrity, ...[gxx, strip].map(versionOf))
  const target = cached(`driver/${stamp}`, (folder) => {
    const source = join(folder, "source")
    cpSync("node_modules/better-sqlite3", source, {
      recursive: true,
      filter: (path) => !path.endsWith("better-sqlite3/build")
    })
    const flags = `-ffile-prefix-map=${source}=.`
    run(
      process.execPath,
      [nodeGyp(), "rebuild", "--release", `--nodedir=${nodePackage(arch)}`, `--arch=${processors[arch].node}`],
      {
        cwd: source,
        env: {
          ...process.env,
          CC: gcc,
          CXX: gxx,
          AR: ar,
          CFLAGS: flags,
          CXXFLAGS: flags,
          npm_config_nodedir: nodePackage(arch)
        }
      }
    )
    const made = join(source, "build", "Release", "better_sqlite3.node")
    run(strip, ["--strip-unneeded", "--remove-section=.note.gnu.build-id", made])
    renameSync(made, join(folder, "better_sqlite3.node"))
    rmSync(source, { recursive: true })
  })
  return join(target, "better_sqlite3.node")
}

const ofModule = /\/(package\.json|LICENSE[^/]*|bindings\.js|index\.js|lib\/.*\.js)$/

export const driverEntries = (arch) => [
  ...driverModules.flatMap(({ name }) =>
    filesBelow(join("node_modules", name), `opt/evald/node_modules/${name}`, (path) => ofModule.test(path))
  ),
  file(
    "opt/evald/node_modules/better-sqlite3/build/Release/better_sqlite3.node",
    readFileSync(compiledDriver(arch)),
    0o755
  )
]
