/** Programs of the system that units are started with. */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** full path of the program: in the folders of `path`, else where systems keep it */
export const findTool = (path: string, name: string): string | undefined =>
  [...path.split(delimiter), "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
