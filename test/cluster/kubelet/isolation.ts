/** Can this machine keep containers apart? Root, and mount, process and network namespaces, are needed. */
import { spawnSync } from "node:child_process"

const problemOf = (command: string, args: ReadonlyArray<string>): string | undefined => {
  const { status, error, stderr } = spawnSync(command, [...args], { encoding: "utf8" })
  if (error !== undefined) return `${command} is not installed`
  return status === 0 ? undefined : `${command} ${args.join(" ")}: ${stderr.trim().split("\n").at(-1)}`
}

/** why pods can not be run here; undefined when they can */
export const isolationProblem = (): string | undefined =>
  process.platform !== "linux" || process.getuid?.() !== 0
    ? "pods of a test need Linux and root (own mount, process and network namespaces)"
    : (problemOf("unshare", [
        "--mount",
        "--pid",
        "--net",
        "--fork",
        "sh",
        "-c",
        "mount -t tmpfs none /mnt && mount -t proc proc /proc"
      ]) ??
      problemOf("ip", ["-V"]) ??
      problemOf("setpriv", [
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
        "--no-new-privs",
        "--bounding-set=-all",
        "true"
      ]))
