/**
 * A process in the root file system of an image, without any privilege of this machine: user and group of the image in namespaces of its
 * own (user, mounts, processes, on demand network), the root read-only, no capability, /tmp in memory, nothing of the host to be seen.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface ImageMount {
  readonly source: string
  readonly target: string
  readonly readOnly: boolean
}

export interface ImageRun {
  /** folder with the unpacked image */
  readonly root: string
  readonly argv: ReadonlyArray<string>
  readonly env?: { readonly [name: string]: string }
  readonly mounts?: ReadonlyArray<ImageMount>
  /** own: not even this machine's loopback */
  readonly network?: "host" | "own"
}

const imageUser = 65_532

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const below = (target: string): string => quoted(target.replace(/^\//, ""))

const bind = ({ source, target, readOnly }: ImageMount): ReadonlyArray<string> => [
  statSync(source).isDirectory() ? `mkdir -p ${below(target)}` : `[ -e ${below(target)} ] || : > ${below(target)}`,
  `mount --bind ${quoted(source)} ${below(target)}`,
  ...(readOnly ? [`mount -o remount,bind,ro ${below(target)}`] : [])
]

/** small folders are copied, so that files can be mounted into them */
const copied = ["etc", "var", "tmp"]

const setUp = ({ root, mounts = [] }: ImageRun, folder: string): string =>
  [
    "set -eu",
    `mount -t tmpfs -o mode=0755 image ${quoted(folder)}`,
    `cd ${quoted(folder)}`,
    ...readdirSync(root).flatMap((name) =>
      copied.includes(name)
        ? name === "tmp"
          ? ["mkdir tmp", "mount -t tmpfs -o mode=1777,nosuid,nodev tmp tmp"]
          : [`cp -R ${quoted(join(root, name))} ${name}`]
        : bind({ source: join(root, name), target: name, readOnly: true })
    ),
    "mkdir -p dev proc",
    "mount -t proc -o nosuid,nodev,noexec proc proc",
    "mount -t tmpfs -o mode=0755 devices dev",
    ...["null", "zero", "full", "random", "urandom"].map(
      (name) => `: > dev/${name} && mount --bind /dev/${name} dev/${name}`
    ),
    "ln -s /proc/self/fd dev/fd",
    "cp /etc/hosts etc/hosts",
    ...mounts.flatMap(bind),
    "mount -o remount,bind,ro ."
  ].join("\n")

const entering = (run: ImageRun, folder: string): ReadonlyArray<string> => {
  const variables = Object.entries(run.env ?? {}).map(([name, value]) => `${name}=${value}`)
  const path = "PATH=/opt/evald/dist/bin:/usr/local/bin:/usr/bin:/bin"
  const enter = ["unshare", "--user", `--map-user=${imageUser}`, "--map-group=0", `--root=${folder}`, "--wd=/"]
  const script = `${setUp(run, folder)}\nexec ${[...enter, "/usr/bin/env", "-i", path, ...variables, ...run.argv].map(quoted).join(" ")}`
  const namespaces = ["--user", "--map-root-user", "--mount", "--pid", "--ipc", "--uts", "--propagation=private"]
  const network = run.network === "own" ? ["--net"] : []
  return [
    "setpriv",
    ...(process.getuid?.() === 0 ? [`--reuid=${imageUser}`, `--regid=${imageUser}`, "--clear-groups"] : []),
    "--no-new-privs",
    ...["unshare", ...namespaces, ...network, "--fork", "--kill-child", "sh", "-c", script]
  ]
}

/** why no process can be kept apart without privileges here; undefined when it can */
export const namespaceProblem = (): string | undefined => {
  const [file = "", ...args] = [
    ...["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork"],
    ...["sh", "-c", "mount -t tmpfs none /mnt && mount -t proc proc /proc"]
  ]
  const { status, error, stderr } = spawnSync(file, args, { encoding: "utf8" })
  if (error !== undefined) return `${file} is not installed`
  return status === 0 ? undefined : `namespaces cannot be made without privileges: ${stderr.trim()}`
}

export interface ImageProcess {
  readonly output: () => string
  /** to the process in the image; its exit code */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
  readonly ended: Promise<number | null>
}

const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0] || pid)

/** starts it; whoever starts it stops it, and with the process of the tests it ends */
export const startInImage = (run: ImageRun): ImageProcess => {
  const folder = mkdtempSync(join(tmpdir(), "evald-image-root-"))
  const [file = "", ...args] = entering(run, folder)
  const child: ChildProcess = spawn(file, args, {
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve)).finally(() => {
    process.off("exit", kill)
    rmSync(folder, { recursive: true, force: true })
  })
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(childOf(child.pid), signal)
    return ended
  }
  return { output: () => output, stop, ended }
}

/** runs to its end */
export const runInImage = async (run: ImageRun): Promise<{ readonly code: number | null; readonly output: string }> => {
  const { ended, output } = startInImage(run)
  return { code: await ended, output: output() }
}
