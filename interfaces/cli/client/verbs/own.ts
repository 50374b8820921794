/** `evald context`, `whoami`, `api`, `version`: the way to a server, and what it says about itself. */
import { resolve } from "node:path"
import { type Context, loadContexts, saveContexts } from "../contexts.ts"
import { textOf } from "../documents.ts"
import { exits, isUnreachable, refusalOf, Stop } from "../exit.ts"
import { show } from "../output.ts"
import { plainLines } from "../screen.ts"
import { argument, askedOf, flagOf, type Handler, type Session } from "../session.ts"

const contextOf = (session: Session, before: Context | undefined): Context => {
  const [server, tenant, file, variable, program] = ["server", "tenant", "token-file", "token-env", "token-exec"].map(
    (name) => flagOf(session, name)
  )
  const address = server ?? before?.server
  if (address === undefined || !URL.canParse(address) || !/^https?:/.test(address))
    throw new Stop(exits.usage, "a context needs --server URL", "evald context --help")
  const given = [file, variable, program].filter((one) => one !== undefined)
  if (given.length > 1) throw new Stop(exits.usage, "--token-file, --token-env and --token-exec exclude each other")
  const credential: Omit<Context, "server"> =
    file !== undefined
      ? { token_file: resolve(file) }
      : variable !== undefined
        ? { token_env: variable }
        : program !== undefined
          ? { token_exec: program.split(/\s+/).filter((word) => word !== "") }
          : before !== undefined && before.server === address
            ? // of another server it would be somebody else's
              Object.fromEntries(Object.entries(before).filter(([name]) => name.startsWith("token_")))
            : {}
  const chosen = tenant ?? before?.tenant
  return { server: address, ...(chosen === undefined ? {} : { tenant: chosen }), ...credential }
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
          cell: ({ token_file, token_env, token_exec }) => token_file ?? token_env ?? token_exec?.join(" ")
        }
      ]
    })
    return exits.done
  }
  if (name === "") throw new Stop(exits.usage, `evald context ${verb} needs a name`, "evald context list")
  if (verb === "set") {
    const contexts = { ...known.contexts, [name]: contextOf(session, known.contexts[name]) }
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

export const whoami: Handler = async (session) => {
  const asked = askedOf(session)
  const { client, target } = await session.connect()
  const health = await client.health()
  // what only somebody who is let in may ask
  const tried = await client.listJobs({ urlParams: { limit: 1 } })
  const row = {
    server: target.server,
    server_from: target.from.server,
    version: health.ok ? health.value.build : undefined,
    tenant: target.tenant,
    token_from: target.from.token,
    access: tried.ok ? "yes" : (tried.error?.message_code ?? `status ${tried.status}`)
  }
  await show(session.screen, asked, {
    rows: [row],
    single: true,
    name: ({ server }) => server,
    columns: [
      { name: "server", cell: ({ server }) => server },
      { name: "from", cell: ({ server_from }) => server_from },
      { name: "version", cell: ({ version }) => version },
      { name: "tenant", cell: ({ tenant }) => tenant },
      { name: "token", cell: ({ token_from }) => token_from },
      { name: "access", cell: ({ access }) => access }
    ]
  })
  if (!tried.ok) throw refusalOf(tried.status, tried.error)
  return exits.done
}

export const api: Handler = async (session) => {
  const [method, path] = [argument(session, 0).toUpperCase(), argument(session, 1)]
  if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(method)) throw new Stop(exits.usage, `'${method}' is no method`)
  // not `//host`, to which the token would go
  if (!/^\/(?!\/)/.test(path))
    throw new Stop(exits.usage, "the path must begin with one '/', such as /api/v1/evaluations/jobs")
  const file = flagOf(session, "file")
  const body = file === undefined ? undefined : await textOf(file)
  const { target, headers } = await session.connect()
  const response = await fetch(target.server + path, {
    method,
    redirect: "manual",
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body })
  })
  const decoder = new TextDecoder()
  let last = ""
  if (response.body !== null)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const text = decoder.decode(chunk, { stream: true })
      last = text.at(-1) ?? last
      session.screen.out(session.screen.width === undefined ? text : plainLines(text))
    }
  if (session.screen.width !== undefined && last !== "\n" && last !== "") session.screen.out("\n")
  if (response.ok || response.status === 304) return exits.done
  session.screen.fail(`evald api: the server answered ${response.status}`)
  return response.status === 401 || response.status === 403 ? exits.notAllowed : exits.other
}

export const version: Handler = async (session) => {
  const { build, line, screen } = session
  screen.out(`evald ${build.version} (${build.gitHash})\n`)
  if (line.switches.has("client")) return exits.done
  try {
    const { client, target } = await session.connect()
    const health = await client.health({ signal: AbortSignal.timeout(2000) })
    if (health.ok) screen.out(`server ${health.value.build} (${health.value.git_hash}) at ${target.server}\n`)
  } catch (error) {
    // the versions of a program are asked for where no server is as well
    if (!isUnreachable(error) && !(error instanceof DOMException)) throw error
    screen.note("no server answers; evald version --client does not ask")
  }
  return exits.done
}
