/** Whether a sidecar is the first of its pod: what an earlier one counted, and which answers it gave, went with it. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** `spool`: a folder that lives as long as the pod. Says so once; a disk that fails is no first start */
export const isFirstStart = (spool: string): boolean => {
  const mark = join(dirname(spool), "sidecar-begun")
  try {
    mkdirSync(dirname(mark), { recursive: true })
    writeFileSync(mark, "", { flag: "wx", mode: 0o600 })
    return true
  } catch {
    return false
  }
}
