// Given to node with --import: the service-account mount of a pod lies in the folder EVALD_TEST_MOUNT, and the address of every module
// that is loaded is noted in the file EVALD_TEST_MODULES.
import fs from "node:fs"
import { register, syncBuiltinESMExports } from "node:module"

const mount = "/var/run/secrets/kubernetes.io/serviceaccount"
const { EVALD_TEST_MOUNT: instead = mount, EVALD_TEST_MODULES: list = "" } = process.env
const moved = (path) => (typeof path === "string" && path.startsWith(mount) ? instead + path.slice(mount.length) : path)
for (const name of ["existsSync", "readFileSync", "statSync"]) {
  const original = fs[name]
  fs[name] = (path, ...rest) => original(moved(path), ...rest)
}
syncBuiltinESMExports()

const hook = `
  import { appendFileSync } from "node:fs"
  export const load = (url, context, next) => {
    appendFileSync(${JSON.stringify(list)}, url + "\\n")
    return next(url, context)
  }`
register(`data:text/javascript,${encodeURIComponent(hook)}`)
