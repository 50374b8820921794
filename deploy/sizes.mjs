// What a reader can look through: files of a folder, lines of a function. What is larger stands here with its number, which may only fall.
import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import ts from "typescript"

const mostFiles = 20
/** folders of sources with more files; none at present */
const largeFolders = {}

const mostLines = 80
/** functions with more lines, each by its file and the name that it is given */
const longFunctions = {
  "infrastructure/catalog/read-definitions.ts readDefinitions": 98,
  "infrastructure/kubernetes/client/client.ts build": 105,
  "infrastructure/kubernetes/client/http-channel.ts makeHttpChannel": 144,
  "infrastructure/kubernetes/observe/log-capture.ts makeLogCapture": 93,
  "infrastructure/kubernetes/unit/volumes.ts place": 101,
  "infrastructure/local/local-runtime.ts make": 93,
  "infrastructure/local/unit/unit-launch.ts prepare": 82,
  "infrastructure/objectstore/storage-client.ts makeStorageClient": 103,
  "infrastructure/outbound/connections.ts makeConnections": 98,
  "infrastructure/sql/records/tenant-records.ts make": 85,
  "infrastructure/tracker/mlflow-tracker.ts make": 111,
  "interfaces/gateway/proxy.ts forward": 141,
  "interfaces/gateway/registry-auth.ts makeRegistryAuth": 92,
  "interfaces/http/gateway/result-traffic.ts layer": 119,
  "interfaces/http/listener/listener.ts attach": 81,
  "interfaces/http/metrics/metrics.ts setters": 84,
  "interfaces/sidecar/outbound.ts makeOutbound": 91,
  "interfaces/sidecar/sidecar.ts startSidecar": 147,
  "providers/contract/status-event.ts decodeStatusEvent": 118,
  "providers/sdk/events/callbacks.ts makeCallbacks": 85,
  "providers/sdk/http/http-exchange.ts request": 97,
  "providers/sdk/model/model-client.ts makeModelClient": 83,
  "providers/sdk/model/model-endpoint.ts makeEndpoint": 84,
  "providers/sdk/sample-upload.ts makeSampleUpload": 118,
  "providers/sdk/samples.ts openFiles": 89
}

const named = (node) =>
  ts.isVariableDeclaration(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node)

/** the longest function of each name, in lines */
const functionsOf = (path) => {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line
  const longest = new Map()
  const visit = (node, name) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const lines = lineOf(node.getEnd()) - lineOf(node.getStart()) + 1
      longest.set(name, Math.max(lines, longest.get(name) ?? 0))
    }
    const own = named(node) && node.name !== undefined ? node.name.getText(source) : name
    ts.forEachChild(node, (child) => visit(child, own))
  }
  visit(source, "")
  return longest
}

/** one line for each folder and function that is larger than it may be; `sources`: paths of modules, tests left out */
export const sizeProblems = (sources) => {
  const files = new Map()
  for (const path of sources) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1)
  const folders = [...files].flatMap(([folder, count]) => {
    const most = largeFolders[folder] ?? mostFiles
    return count > most
      ? [`${folder} holds ${count} files, ${most} are the most: divide it by what a reader looks for`]
      : []
  })
  const functions = sources.flatMap((path) =>
    [...functionsOf(path)].flatMap(([name, lines]) => {
      const most = longFunctions[`${path} ${name}`] ?? mostLines
      return lines > most ? [`${path}: ${name} has ${lines} lines, ${most} are the most: make it of parts`] : []
    })
  )
  return [...folders, ...functions]
}
