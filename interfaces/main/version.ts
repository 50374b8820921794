/** `evald version`: version and the commit it was built from. */
import { build } from "./build-info.ts"

export const main = (_args: ReadonlyArray<string>): void => {
  process.stdout.write(`evald ${build.version} (${build.gitHash})\n`)
}
