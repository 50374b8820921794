/**
 * The program of the sandbox process, given to node with `-e`, so that it needs no file. It closes every way to a network that node's
 * modules offer, then evaluates the candidate in a realm of its own into which no object of ours is passed: arguments and results cross as
 * JSON text only. Expected values never enter the process, so a candidate cannot read them.
 */
export const SANDBOX_PROGRAM = `"use strict"
const vm = require("node:vm")
const noNetwork = () => { throw new Error("there is no network here") }
const close = (target, names) => {
  for (const name of names) if (typeof target[name] === "function") Object.defineProperty(target, name, { value: noNetwork, writable: false, configurable: false })
}
const net = require("node:net")
const dgram = require("node:dgram")
const dns = require("node:dns")
close(net.Socket.prototype, ["connect"])
close(net.Server.prototype, ["listen"])
close(dgram.Socket.prototype, ["bind", "connect", "send"])
close(dns, Object.keys(dns))
close(dns.promises, Object.keys(dns.promises))
close(globalThis, ["fetch", "WebSocket", "EventSource"])

const prelude = \`(() => {
  const { parse, stringify } = JSON
  const { apply } = Reflect
  const text = String
  return (target, args) => {
    try {
      const value = stringify(apply(target, undefined, parse(args)))
      return value === undefined ? "eno JSON value" : "v" + value
    } catch (error) {
      return "e" + text(error)
    }
  }
})()\`

const run = ({ code, name, calls }) => {
  const context = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } })
  const call = vm.runInContext(prelude, context)
  try {
    vm.runInContext("var module = { exports: {} }, exports = module.exports", context)
    vm.runInContext(code, context)
  } catch (error) {
    return { compiled: false, error: String(error), outputs: [] }
  }
  let target
  try {
    target = vm.runInContext(name, context)
  } catch (error) {
    return { compiled: false, error: String(error), outputs: [] }
  }
  if (typeof target !== "function") return { compiled: false, error: name + " is no function", outputs: [] }
  return { compiled: true, outputs: calls.map((args) => String(call(target, args))) }
}

let input = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (chunk) => { input += chunk })
process.stdin.on("end", () => {
  process.stdout.write(JSON.stringify(run(JSON.parse(input))), () => process.exit(0))
})
`
