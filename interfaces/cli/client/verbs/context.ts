/** `evald context`, `login`: servers that this account knows, and how it proves who it is to them. */
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { defined } from "../../../../values/defined.ts"
import { type Context, loadContexts, saveContexts, wrongAddress } from "../contexts.ts"
import { textOf } from "../documents.ts"
import { exits, recordOf, Stop } from "../exit.ts"
import { show } from "../output.ts"
import { argument, askedOf, type Candidate, flagOf, type Handler, type Session } from "../session.ts"

/** where the token of a context is kept that was read from standard input: a file of its owner only, beside the contexts */
const keptToken = (session: Session, name: string): string =>
  join(dirname(session.configFile), "tokens", encodeURIComponent(name))

/** not yet in its place, where the one of before may be */
const keepToken = async (session: Session, name: string): Promise<string> => {
  const file = `${keptToken(session, name)}.${process.pid}`
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, `${(await textOf("-")).trim()}\n`, { mode: 0o600 })
  await chmod(file, 0o600)
  return file
}

const contextOf = async (session: Session, name: string, before: Context | undefined): Promise<Context> => {
  const [server, tenant, ca, given, variable, program, kubeconfig] = [
    ...["server", "tenant", "ca", "token-file", "token-env", "token-exec", "kubeconfig-context"]
  ].map((flag) => flagOf(session, flag))
  const typed = session.line.switches.has("token-stdin")
  const address = server ?? before?.server
  const wrong = address === undefined ? "a context needs --server URL" : wrongAddress(address)
  if (address === undefined || wrong !== undefined) throw new Stop(exits.usage, wrong ?? "", "evald context --help")
  if ([given, variable, program, kubeconfig, typed || undefined].filter((one) => one !== undefined).length > 1)
    throw new Stop(
      exits.usage,
      "--token-file, --token-stdin, --token-env, --token-exec and --kubeconfig-context exclude each other"
    )
  const file = typed ? await keepToken(session, name) : given
  const credential: Omit<Context, "server"> =
    file !== undefined
      ? { token_file: resolve(file) }
      : variable !== undefined
        ? { token_env: variable }
        : program !== undefined
          ? { token_exec: program.split(/\s+/).filter((word) => word !== "") }
          : kubeconfig !== undefined
            ? { token_kubeconfig: kubeconfig }
            : before !== undefined && before.server === address
              ? // of another server it would be somebody else's
                Object.fromEntries(Object.entries(before).filter(([name]) => name.startsWith("token_")))
              : {}
  const chosen = tenant ?? before?.tenant
  const certificates = ca === undefined ? (before?.server === address ? before.ca : undefined) : resolve(ca)
  return {
    server: address,
    ...defined({ tenant: chosen, ca: certificates }),
    ...credential
  }
}

/** the context with its token in its place, to be stored */
const settled = async (session: Session, name: string, made: Context): Promise<Context> => {
  if (!session.line.switches.has("token-stdin") || made.token_file === undefined) return made
  const place = resolve(keptToken(session, name))
  await rename(made.token_file, place)
  return { ...made, token_file: place }
}

export const context: Handler = async (session) => {
  const [verb, name] = [argument(session, 0), argument(session, 1)]
  const file = session.configFile
  const known = await loadContexts(file)
  if (verb === "list") {
    await show(session.screen, askedOf(session), {
      rows: Object.entries(known.contexts).map(([name, one]) => ({ name, current: name === known.current, ...one })),
      name: (one) => `context/${one.name}`,
      columns: [
        { name: "name", cell: (one) => one.name },
        { name: "current", cell: ({ current }) => (current ? "*" : undefined) },
        { name: "server", cell: ({ server }) => server },
        { name: "tenant", cell: ({ tenant }) => tenant },
        {
          name: "token",
          cell: (one) => one.token_file ?? one.token_env ?? one.token_exec?.join(" ") ?? one.token_kubeconfig
        }
      ]
    })
    return exits.done
  }
  if (name === "") throw new Stop(exits.usage, `evald context ${verb} needs a name`, "evald context list")
  if (verb === "set") {
    const made = await settled(session, name, await contextOf(session, name, known.contexts[name]))
    const contexts = { ...known.contexts, [name]: made }
    await saveContexts(file, { current: known.current ?? name, contexts })
    session.screen.note(
      `context ${name} is set${known.current === undefined || known.current === name ? "" : `; to use it: evald context use ${name}`}`
    )
    return exits.done
  }
  if (known.contexts[name] === undefined)
    throw new Stop(exits.configuration, `there is no context '${name}' in ${file}`, "evald context list")
  if (verb === "use") await saveContexts(file, { ...known, current: name })
  else {
    const { [name]: removed, ...contexts } = known.contexts
    const kept = resolve(keptToken(session, name))
    if (removed?.token_file === kept) await rm(kept, { force: true })
    const { current } = known
    await saveContexts(file, { ...(current === undefined || current === name ? {} : { current }), contexts })
  }
  session.screen.note(verb === "use" ? `context ${name} is used` : `context ${name} is removed`)
  return exits.done
}

/** what a server says of who asks it by a context that is not stored yet */
const asked = async (session: Session, candidate: Candidate) =>
  recordOf(await (await session.connect(candidate)).client.getInfo())

/** nothing is stored unless the server lets the caller in */
export const login: Handler = async (session) => {
  const server = flagOf(session, "server")
  const wrong = server === undefined ? "where to: --server URL" : wrongAddress(server)
  if (server === undefined || wrong !== undefined) throw new Stop(exits.usage, wrong ?? "", "evald login --help")
  const name = argument(session, 0) || new URL(server).hostname
  const known = await loadContexts(session.configFile)
  const made = await contextOf(session, name, known.contexts[name])
  const { caller, version } = await asked(session, { name, context: made }).catch(async (error: unknown) => {
    if (session.line.switches.has("token-stdin")) await rm(made.token_file ?? "", { force: true })
    throw error
  })
  const contexts = { ...known.contexts, [name]: await settled(session, name, made) }
  await saveContexts(session.configFile, { ...known, current: name, contexts })
  session.screen.out(`${caller.user} in tenant ${caller.tenant} on ${made.server} (${version})\n`)
  session.screen.note(`context ${name} is set and used; next: evald whoami`)
  return exits.done
}
