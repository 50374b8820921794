/**
 * The pod network: a bridge of this process's own with one network namespace per pod. A pod reaches the other pods and the node's address
 * on the bridge, where what a test publishes listens, and what the host has on all of its addresses; there is no route to anywhere else, and
 * the host's loopback stays the host's.
 */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { createServer, connect as dial, type Server, type Socket } from "node:net"
import { promisify } from "node:util"
import { Effect, type Scope } from "effect"

const runFile = promisify(execFile)
const ip = async (...args: ReadonlyArray<string>): Promise<string> => (await runFile("ip", [...args])).stdout

export interface PodNetwork {
  readonly address: string
  /** file of the namespace, for nsenter */
  readonly path: string
  readonly remove: () => Promise<void>
}

export interface Published {
  readonly host: string
  readonly port: number
  /** addresses that connected, in order */
  readonly peers: ReadonlyArray<string>
}

export interface Network {
  /** of the node, as pods see it */
  readonly address: string
  /** of the bridge, which the pods keep in their neighbour tables */
  readonly linkAddress: () => Promise<string>
  readonly addPod: () => Promise<PodNetwork>
  /** makes a port of the host's loopback reachable for pods */
  readonly publish: (port: number) => Effect.Effect<Published, never, Scope.Scope>
}

const listenOn = (server: Server, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, host, () => {
      const bound = server.address()
      resolve(bound !== null && typeof bound === "object" ? bound.port : 0)
    })
  })

const forward = (
  host: string,
  port: number
): Promise<{ readonly published: Published; readonly close: () => void }> => {
  const peers: Array<string> = []
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (inbound) => {
    peers.push(inbound.remoteAddress ?? "")
    const outbound = dial({ host: "127.0.0.1", port, allowHalfOpen: true })
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound]
    ] as const) {
      open.add(from)
      from.pipe(to)
      from.on("error", () => to.destroy())
      from.on("close", () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  return listenOn(server, host).then((own) => ({
    published: { host, port: own, peers },
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    }
  }))
}

const makeBridge = async (): Promise<{ readonly bridge: string; readonly subnet: string }> => {
  const bridge = `evk${process.pid.toString(36)}`
  const taken = await ip("-4", "-o", "addr")
  // the block for benchmarks of network devices (RFC 2544): nobody's real network
  const free = Array.from({ length: 512 }, (_, at) => (process.pid + at) % 512)
    .map((at) => `198.${18 + (at >> 8)}.${at & 255}`)
    .find((subnet) => !taken.includes(` ${subnet}.`))
  if (free === undefined) throw new Error("no free subnet for the bridge of the pods")
  // an address of its own: else the bridge takes the lowest one of its ports, so that every pod that comes or goes may cut off the others
  // until their neighbour tables expire
  const linkAddress = `02:00:${[24, 16, 8, 0].map((shift) => ((process.pid >>> shift) & 255).toString(16).padStart(2, "0")).join(":")}`
  await ip("link", "add", bridge, "address", linkAddress, "type", "bridge")
  await ip("addr", "add", `${free}.1/24`, "dev", bridge)
  await ip("link", "set", bridge, "up")
  return { bridge, subnet: free }
}

export const makeNetwork: Effect.Effect<Network, never, Scope.Scope> = Effect.gen(function* () {
  const { bridge, subnet } = yield* Effect.acquireRelease(Effect.promise(makeBridge), (made) =>
    Effect.promise(() => ip("link", "del", made.bridge))
  )
  const address = `${subnet}.1`
  const pods = new Set<PodNetwork>()
  let last = 1
  const addPod = async (): Promise<PodNetwork> => {
    last += 1
    if (last > 254) throw new Error("the pod network is used up")
    const [number, name] = [last, `${bridge}-${last}`]
    const [outside, inside] = [`${bridge}v${number}`, `${bridge}p${number}`]
    await ip("netns", "add", name)
    const pod: PodNetwork = {
      address: `${subnet}.${number}`,
      path: `/run/netns/${name}`,
      remove: async () => {
        // its end of the cable goes with the namespace
        if (pods.delete(pod)) await ip("netns", "del", name)
      }
    }
    pods.add(pod)
    await ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", name)
    await ip("link", "set", outside, "master", bridge, "up")
    await ip("-n", name, "addr", "add", `${pod.address}/24`, "dev", inside)
    await ip("-n", name, "link", "set", inside, "up")
    await ip("-n", name, "link", "set", "lo", "up")
    return pod
  }
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...pods].map(({ remove }) => remove()))))
  return {
    address,
    linkAddress: async () => (await readFile(`/sys/class/net/${bridge}/address`, "utf8")).trim(),
    addPod,
    publish: (port) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.promise(() => forward(address, port)),
          ({ close }) => Effect.sync(close)
        ),
        ({ published }) => published
      )
  }
})
