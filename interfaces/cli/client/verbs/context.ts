/** `evald context`, `login`: servers that this account knows, and how it proves who it is to them. */
import { chmod, mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { type Context, loadContexts, saveContexts } from "../contexts.ts"
import { textOf } from "../documents.ts"
import { exits, recordOf, Stop } from "../exit.ts"
import { show } from "../output.ts"
import { argument, askedOf, type Candidate, flagOf, type Handler, type Session } from "../session.ts"

/** a token that was read is kept in a file of its owner only, beside the contexts */
const keepToken = async (session: Session, name: string): Promise<string> => {
  const folder = join(dirname(session.configFile), "tokens")
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, encodeURIComponent(name))
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
  if (address === undefined || !URL.canParse(address) || !/^https?:/.test(address))
    throw new Stop(exits.usage, "a context needs --server URL", "evald context --help")
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
    ...(chosen === undefined ? {} : { tenant: chosen }),
    ...(certificates === undefined ? {} : { ca: certificates }),
    ...credential
  }
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
    const contexts = { ...known.contexts, [name]: await contextOf(session, name, known.contexts[name]) }
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
    const { [name]: _, ...contexts } = known.contexts
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
  if (server === undefined || !URL.canParse(server))
    throw new Stop(exits.usage, "where to: --server URL", "evald login --help")
  const name = argument(session, 0) || new URL(server).hostname
  const known = await loadContexts(session.configFile)
  const made = await contextOf(session, name, known.contexts[name])
  const { caller, version } = await asked(session, { name, context: made }).catch(async (error: unknown) => {
    if (session.line.switches.has("token-stdin")) await rm(made.token_file ?? "", { force: true })
    throw error
  })
  await saveContexts(session.configFile, { ...known, current: name, contexts: { ...known.contexts, [name]: made } })
  session.screen.out(`${caller.user} in tenant ${caller.tenant} on ${made.server} (${version})\n`)
  session.screen.note(`context ${name} is set and used; next: evald whoami`)
  return exits.done
}
