/**
 * The script that turns a fresh mount and process namespace into a container: a root of its own from the layers of the image, the
 * declared mounts and nothing else of the host, then the command as a user without rights. It speaks on descriptor 3: `started <pid>`
 * with the host's number of the container's first process, or `failed <why>`. Descriptor 4 becomes the command's standard error, so that
 * the container's log holds no word of the tools that made it.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Layer } from "./images.ts"

export interface Mount {
  /** file or folder of the host */
  readonly source: string
  readonly target: string
  readonly readOnly: boolean
}

export interface ContainerRoot {
  /** empty folder of the host that becomes the root */
  readonly folder: string
  /** folder with the whole root file system of an image; without it programs and libraries are those of the host */
  readonly base?: string
  readonly layers: ReadonlyArray<Layer>
  readonly mounts: ReadonlyArray<Mount>
  readonly readOnly: boolean
}

export interface Command {
  readonly argv: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string }
  readonly workingDir: string
  readonly user: number
  readonly group: number
  readonly supplementalGroups: ReadonlyArray<number>
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const below = (target: string): string => quoted(target.replace(/^\//, ""))

const bind = ({ source, target, readOnly }: Mount): ReadonlyArray<string> => [
  ...(statSync(source).isDirectory()
    ? [`mkdir -p ${below(target)}`]
    : [`mkdir -p ${below(dirname(target))}`, `[ -e ${below(target)} ] || : > ${below(target)}`]),
  `mount --bind ${quoted(source)} ${below(target)}`,
  ...(readOnly ? [`mount -o remount,bind,ro ${below(target)}`] : [])
]

/** programs and libraries of the host, for images that have none of their own */
const hostPrograms = (): ReadonlyArray<string> =>
  ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"].flatMap((folder) => {
    if (!existsSync(folder)) return []
    if (lstatSync(folder).isSymbolicLink()) return [`ln -s ${quoted(readlinkSync(folder))} ${below(folder)}`]
    return bind({ source: folder, target: folder, readOnly: true })
  })

/** configuration that programs of the base need and that holds nothing private */
const etc = [
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/nsswitch.conf",
  "/etc/alternatives"
]

/** of an image that brings everything: small folders are copied, so that files can be mounted into them, the others are read where they lie */
const wholeImage = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => name !== "tmp")
    .flatMap((name) =>
      ["etc", "var"].includes(name)
        ? [`rm -rf ${quoted(name)}`, `cp -R ${quoted(join(folder, name))} ${quoted(name)}`]
        : bind({ source: join(folder, name), target: name, readOnly: true })
    )

const devices = ["null", "zero", "full", "random", "urandom"]

const identity = ({ user, group, supplementalGroups }: Command): string =>
  [
    `setpriv --reuid ${user} --regid ${group}`,
    supplementalGroups.length === 0 ? "--clear-groups" : `--groups ${supplementalGroups.join(",")}`,
    "--no-new-privs --inh-caps=-all --bounding-set=-all"
  ].join(" ")

const withEnvironment = ({ env, argv }: Command): string =>
  `env -i ${Object.entries(env)
    .map(([name, value]) => quoted(`${name}=${value}`))
    .join(" ")} ${argv.map(quoted).join(" ")}`

/** runs a program with exactly this environment as the container's user */
const launch = (command: Command): string => `${identity(command)} ${withEnvironment(command)}`

/** the same, from outside: the image has no tool that gives up rights */
const launchIn = (command: Command): string =>
  [
    "setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+sys_chroot,+setuid,+setgid",
    `chroot --userspec=${command.user}:${command.group} --groups=${command.supplementalGroups.join(",")} .`,
    `/usr/bin/env --chdir=${quoted(command.workingDir)} ${withEnvironment(command)}`
  ].join(" ")

const failedToFind =
  '{ echo "failed exec: \\"$program\\": executable file not found in \\$PATH: unknown" >&3; exit 128; }'

/** makes what was assembled the root by the tools in it, and runs the command */
const enteringByItself = (root: ContainerRoot, command: Command): ReadonlyArray<string> => [
  "pivot_root . .host",
  "umount -l .host",
  "rmdir .host",
  ...(root.readOnly ? ["mount -o remount,ro /"] : []),
  `mkdir -p ${quoted(command.workingDir)} 2>/dev/null || :`,
  `cd ${quoted(command.workingDir)}`,
  "trap - EXIT",
  `PATH=${quoted(command.env["PATH"] ?? "")}`,
  `command -v -- "$program" > /dev/null || ${failedToFind}`,
  'echo "started $pid" >&3',
  "exec 3>&- 2>&4 4>&-",
  `exec ${launch(command)}`
]

/** the same by the tools of the host, of which nothing stays: what was assembled covers its root */
const enteringFromOutside = (root: ContainerRoot, command: Command): ReadonlyArray<string> => [
  "rmdir .host",
  `mkdir -p ${below(command.workingDir)} 2>/dev/null || :`,
  ...(root.readOnly ? [`mount -o remount,ro ${quoted(root.folder)}`] : []),
  `look() { case "$program" in /*) [ -x ".$program" ] ;; *) for folder in ${quoted(command.env["PATH"] ?? "").replaceAll(":", "' '")}; do [ -x ".$folder/$program" ] && return 0; done; return 1 ;; esac; }`,
  `look || { trap - EXIT; ${failedToFind}; }`,
  "mount --move . /",
  "trap - EXIT",
  'echo "started $pid" >&3',
  "exec 3>&- 2>&4 4>&-",
  `exec ${launchIn(command)}`
]

export const containerScript = (root: ContainerRoot, command: Command): string =>
  [
    "trap 'echo \"failed the container could not be set up\" >&3' EXIT",
    "set -eu",
    "ulimit -c 0",
    // before the container's own /proc is there, this is the process as the host counts it
    "read -r pid rest < /proc/self/stat",
    `mount -t tmpfs -o mode=0755,nosuid,nodev image ${quoted(root.folder)}`,
    `cd ${quoted(root.folder)}`,
    "mkdir -m 1777 tmp",
    "mkdir etc proc dev var run root .host",
    `program=${quoted(command.argv[0] ?? "")}`,
    ...(root.base === undefined
      ? [
          ...hostPrograms(),
          ...etc.filter(existsSync).flatMap((path) => bind({ source: path, target: path, readOnly: true })),
          `echo 'app:x:${command.user}:${command.group}::/:/bin/sh' > etc/passwd`
        ]
      : wholeImage(root.base)),
    ...root.layers.flatMap((layer) => bind({ ...layer, readOnly: true })),
    "mount -t proc -o nosuid,nodev,noexec proc proc",
    "mount -t tmpfs -o mode=0755,nosuid,noexec devices dev",
    ...devices.map((name) => `: > dev/${name} && mount --bind /dev/${name} dev/${name}`),
    "ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr",
    "mkdir -m 1777 dev/shm",
    // shorter paths first: a mount below another one must not be hidden by it
    ...[...root.mounts].sort((a, b) => a.target.length - b.target.length).flatMap(bind),
    ...(root.base === undefined ? enteringByItself(root, command) : enteringFromOutside(root, command))
  ].join("\n")

/** arguments of nsenter for a further program in a running container */
export const enterArguments = (pid: number, root: ContainerRoot, command: Command): ReadonlyArray<string> => {
  const into = ["--target", String(pid), "--mount", "--pid", "--net", "--root", "--wd"]
  const path = ["/usr/bin/env", `PATH=${command.env["PATH"] ?? ""}`]
  return root.base === undefined
    ? [...into, ...path, "sh", "-c", `cd ${quoted(command.workingDir)} && exec ${launch(command)}`]
    : [
        ...into,
        ...["--setuid", String(command.user), "--setgid", String(command.group)],
        ...[...path, "sh", "-c", `cd ${quoted(command.workingDir)} && exec ${withEnvironment(command)}`]
      ]
}
