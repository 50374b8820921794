// Makes a release, in one folder, from the commit that is checked out; publishes nothing. The same commit gives the same bytes. Usage:
//   node deploy/release.mjs --set=0.2.0              writes the version wherever it stands; look at it and commit it
//   node deploy/release.mjs [--out=.cache/release]   image (an index of all processors), chart, npm package, install.yaml, bill of materials,
//                                                    changes since the last tag (or --since=REF), build information, checksums
//   node deploy/release.mjs --draft                  the same of a checkout with changes; build.json says so
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { changesOf, commitsIn, released } from "./changes.mjs"
import { lock, run, sha256 } from "./image/machine.mjs"
import { archive, filesBelow } from "./image/tar.mjs"

const { values } = parseArgs({
  options: {
    set: { type: "string" },
    out: { type: "string", default: ".cache/release" },
    since: { type: "string" },
    draft: { type: "boolean", default: false }
  }
})
const say = (text) => process.stderr.write(`${text}\n`)
const give = (text) => {
  say(`release: ${text}`)
  process.exit(1)
}
const git = (...args) => run("git", args).toString().trim()
const { version } = JSON.parse(readFileSync("package.json", "utf8"))

/** files in which somebody names the image of the release */
const naming = ["docs/install.md", "docs/cluster.md", "deploy/image/lm-eval.Containerfile"]

const setVersion = (next) => {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(next)) give(`--set: '${next}' is no version such as 0.2.0`)
  const replace = (path, change) => writeFileSync(path, change(readFileSync(path, "utf8")))
  // the first two in the lock are the package's own
  replace("package.json", (text) => text.replace(`"version": "${version}"`, `"version": "${next}"`))
  for (const _ of [1, 2])
    replace("package-lock.json", (text) => text.replace(`"version": "${version}"`, `"version": "${next}"`))
  for (const path of naming) replace(path, (text) => text.replaceAll(`evald:${version}`, `evald:${next}`))
  replace("CHANGELOG.md", (text) => released(text, next, new Date().toISOString().slice(0, 10)))
  const { status } = spawnSync(process.execPath, ["deploy/generate-docs.mjs"], { stdio: ["ignore", 2, 2] })
  if (status !== 0) give("the manifests could not be rendered")
  say(`${version} is ${next} now: look at the changes, commit them, tag the commit v${next}`)
}

/** the last tag before this commit; undefined when there is none */
const lastTag = () => {
  const { status, stdout } = spawnSync("git", ["describe", "--tags", "--abbrev=0", "HEAD^"], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : undefined
}

/** GNU gzip: its bytes are the same on every machine */
const packed = (entries) => run("gzip", ["--no-name", "-9", "--stdout"], { input: archive(entries) })

const make = (out, isDraft) => {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const scratch = mkdtempSync(join(tmpdir(), "evald-release-"))
  const write = (name, bytes) => writeFileSync(join(out, name), bytes)
  const node = (...args) =>
    run(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
      .toString()
      .trim()
  try {
    const image = JSON.parse(node("deploy/image.mjs", `--out=${scratch}/image`))
    if (image.skipped.length > 0 && !isDraft)
      give(`the image has no ${image.skipped.join(", ")}: see above what is missing for it`)
    write(`evald-${version}.oci.tar`, archive(filesBelow(join(scratch, "image", "oci"))))
    copyFileSync(join(scratch, "image", "evald.cdx.json"), join(out, `evald-${version}.cdx.json`))
    const npm = node("deploy/package.mjs", `--out=${scratch}/package`)
    copyFileSync(npm, join(out, basename(npm)))
    write(`evald-operator-${version}.tgz`, packed(filesBelow("deploy/helm/evald-operator", "evald-operator")))
    copyFileSync("deploy/install.yaml", join(out, "install.yaml"))
    const since = values.since ?? lastTag()
    const range = since === undefined ? "HEAD" : `${since}..HEAD`
    write(
      "CHANGES.md",
      changesOf({
        version,
        since,
        date: image.created.slice(0, 10),
        changelog: readFileSync("CHANGELOG.md", "utf8"),
        commits: commitsIn(git("log", "--no-merges", "--name-only", "--format=%x00%h%x00%s%x00", range))
      })
    )
    const { digest, revision, created, platforms, skipped } = image
    const info = {
      version,
      revision,
      created,
      draft: isDraft,
      node: lock.node.version,
      image: { digest, platforms, skipped }
    }
    write("build.json", `${JSON.stringify(info, null, 2)}\n`)
    const files = filesBelow(out)
    write("SHA256SUMS", files.map(({ path, data }) => `${sha256(data)}  ${path}\n`).join(""))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

if (values.set !== undefined) setVersion(values.set)
else {
  if (!values.draft && git("status", "--porcelain") !== "")
    give("the checkout has changes: commit them, or make a draft (--draft)")
  make(resolve(values.out), values.draft)
  process.stdout.write(`${resolve(values.out)}\n`)
}
