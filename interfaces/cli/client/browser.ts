/** The browser of whoever types: how one is opened here, if there is one. */
import type { Environment } from "./environment.ts"

export interface Launch {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** undefined: a machine without a screen of its own, such as one that somebody is logged in to from elsewhere */
export const launchOf = (url: string, platform: NodeJS.Platform, environment: Environment): Launch | undefined => {
  const has = (name: string) => (environment[name] ?? "") !== ""
  // not through a shell, for which an address has signs of its own
  if (platform === "win32") return { program: "rundll32", args: ["url.dll,FileProtocolHandler", url] }
  if (platform === "darwin") return has("SSH_CONNECTION") ? undefined : { program: "open", args: [url] }
  return has("DISPLAY") || has("WAYLAND_DISPLAY") ? { program: "xdg-open", args: [url] } : undefined
}

/** whether it was started; it goes on when this program has ended */
export const launch = async ({ program, args }: Launch): Promise<boolean> => {
  // every other command does without it
  const { spawn } = await import("node:child_process")
  return new Promise((resolve) => {
    const child = spawn(program, [...args], { detached: true, stdio: "ignore" })
    child.once("error", () => resolve(false))
    child.once("spawn", () => {
      child.unref()
      resolve(true)
    })
  })
}
