// Debian's part of the image: the libraries that node links, the few programs that units of a local server are started with, CA
// certificates. Packages come from the machine's own sources by apt, for either processor and without root, and must have the hash of lock.json.
import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { cache, cached, lock, processors, run, sha256 } from "./machine.mjs"
import { file, filesBelow, symlink } from "./tar.mjs"

// what is taken of each package beside its copyright, by the beginnings of paths; `TRIPLET` is the folder of the processor
const contents = {
  "base-files": ["etc/os-release", "usr/lib/os-release"],
  "ca-certificates": ["usr/share/ca-certificates/mozilla/"],
  coreutils: ["usr/bin/env", "usr/bin/mkfifo", "bin/sleep"],
  dash: ["bin/dash", "bin/sh"],
  grep: ["bin/grep"],
  libc6: [
    "lib64/",
    "lib/ld-linux-aarch64.so.1",
    ...["ld-linux-*", "libc", "libdl", "libm", "libpthread", "librt", "libresolv", "libnss_dns", "libnss_files"].map(
      (name) => `lib/TRIPLET/${name}.so.`
    )
  ],
  "libgcc-s1": ["lib/TRIPLET/libgcc_s.so.1"],
  "libpcre2-8-0": ["usr/lib/TRIPLET/libpcre2-8.so.0"],
  libselinux1: ["lib/TRIPLET/libselinux.so.1"],
  "libstdc++6": ["usr/lib/TRIPLET/libstdc++.so.6"]
}

/** arguments of apt-get for one processor: the machine's sources, and nothing else of its state */
const aptOptions = (arch) => {
  const state = join(cache, "apt", arch)
  for (const folder of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(state, folder), { recursive: true })
  return [
    `Dir::State=${state}`,
    `Dir::State::lists=${state}/lists`,
    `Dir::Cache=${state}/cache`,
    "Dir::State::status=/dev/null",
    `APT::Architecture=${arch}`,
    `APT::Architectures::=${arch}`,
    "APT::Sandbox::User=root",
    "Acquire::Languages=none"
  ].flatMap((option) => ["-o", option])
}

const downloadInto = (folder, arch, names) => {
  const options = aptOptions(arch)
  run("apt-get", [...options, "-qq", "update"])
  run("apt-get", [...options, "-qq", "download", ...names], { cwd: folder })
}

const fieldOf = (deb, name) => run("dpkg-deb", ["-f", deb, name]).toString().trim()

const pinOf = (name, arch) => {
  const pin = lock.debian[name]?.[arch]
  if (pin === undefined) throw new Error(`deploy/image/lock.json has no ${name} for ${arch}`)
  return pin
}

/** folder with the unpacked files and the control file of one package */
const unpacked = (name, arch) => {
  const pin = pinOf(name, arch)
  return cached(`debian/${pin.sha256}`, (folder) => {
    try {
      downloadInto(folder, arch, [`${name}=${pin.version}`])
    } catch (error) {
      throw new Error(
        `${name} ${pin.version} for ${arch} cannot be had from this machine's package sources. When Debian has a newer one, ` +
          `\`node deploy/image.mjs --pin\` writes what there is into deploy/image/lock.json. ${error.message}`
      )
    }
    const [deb = ""] = readdirSync(folder)
    const bytes = readFileSync(join(folder, deb))
    if (sha256(bytes) !== pin.sha256)
      throw new Error(`${deb} has the SHA-256 ${sha256(bytes)}, deploy/image/lock.json wants ${pin.sha256}`)
    run("dpkg-deb", ["-x", deb, "files"], { cwd: folder })
    run("dpkg-deb", ["-e", deb, "control"], { cwd: folder })
    renameSync(join(folder, deb), join(folder, "package.deb"))
  })
}

/** the packages of the image for one processor: name, version and their entries */
export const debianPackages = (arch) =>
  Object.entries(contents).map(([name, wanted]) => {
    const folder = unpacked(name, arch)
    const { triplet } = processors[arch]
    const patterns = [...wanted, `usr/share/doc/${name}/copyright`].map((prefix) =>
      prefix.replace("TRIPLET", triplet).replaceAll(/[.+]/g, "\\$&").replaceAll("*", "[^/]*")
    )
    const isWanted = (path) => patterns.some((pattern) => new RegExp(`^${pattern}`).test(path))
    const entries = filesBelow(join(folder, "files"), "", isWanted)
    const control = readFileSync(join(folder, "control", "control"))
    return {
      name,
      version: pinOf(name, arch).version,
      sha256: pinOf(name, arch).sha256,
      // where scanners look for the packages of an image without a package manager
      entries: [...entries, file(`var/lib/dpkg/status.d/${name}`, control)]
    }
  })

const certificates = "usr/share/ca-certificates/mozilla/"

/** what the packages' scripts would make: the bundle of certificates, and the two users */
export const machineFiles = (entries) => {
  const trusted = entries.filter(({ path }) => path.startsWith(certificates)).sort((a, b) => (a.path < b.path ? -1 : 1))
  return [
    file("etc/ssl/certs/ca-certificates.crt", Buffer.concat(trusted.map(({ data }) => data))),
    file("etc/passwd", "root:x:0:0:root:/:/bin/sh\nevald:x:65532:0:evald:/:/bin/sh\n"),
    file("etc/group", "root:x:0:\nevald:x:65532:\n"),
    file("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    symlink("etc/ssl/cert.pem", "certs/ca-certificates.crt")
  ]
}

/** what the machine's sources have now, as the lock wants it */
export const currentPins = () => {
  const pins = Object.fromEntries(Object.keys(contents).map((name) => [name, {}]))
  for (const arch of Object.keys(processors)) {
    const folder = join(cache, `pins-${process.pid}-${arch}`)
    mkdirSync(folder, { recursive: true })
    downloadInto(folder, arch, Object.keys(contents))
    for (const deb of readdirSync(folder).map((entry) => join(folder, entry)))
      pins[fieldOf(deb, "Package")][arch] = { version: fieldOf(deb, "Version"), sha256: sha256(readFileSync(deb)) }
  }
  return pins
}
