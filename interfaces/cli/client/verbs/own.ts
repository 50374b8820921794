/** `evald whoami`, `api`, `version`: what a server says about itself and its caller. */
import { defined } from "../../../../values/defined.ts"
import { textOf } from "../documents.ts"
import { exits, isUnreachable, recordOf, Stop } from "../exit.ts"
import { show } from "../output.ts"
import { dataTo, taken } from "../screen.ts"
import { argument, askedOf, flagOf, type Handler } from "../session.ts"
import { tooFar } from "../skew.ts"

export const whoami: Handler = async (session) => {
  const asked = askedOf(session)
  const { client, target } = await session.connect()
  const { caller, ...about } = recordOf(await client.getInfo())
  const row = { server: target.server, from: target.from, ...about, ...caller }
  await show(session.screen, asked, {
    rows: [row],
    single: true,
    name: ({ user }) => `user/${user}`,
    columns: [
      { name: "server", cell: ({ server }) => server },
      { name: "from", cell: ({ from }) => from.server },
      { name: "version", cell: (one) => one.version },
      { name: "user", cell: ({ user }) => user },
      { name: "tenant", cell: ({ tenant }) => tenant },
      { name: "token", cell: ({ from }) => from.token },
      { name: "groups", wide: true, cell: ({ groups }) => groups.join(",") },
      { name: "mode", wide: true, cell: ({ mode }) => mode }
    ]
  })
  const rights = Object.entries(caller.allowed)
  for (const [resource, verbs] of rights) session.screen.note(`${resource}: ${verbs.join(", ")}`)
  if (rights.length === 0)
    throw new Stop(
      exits.notAllowed,
      `'${caller.user}' may do nothing in tenant '${caller.tenant}': ask for a role there that lets it get evaluations`,
      "evald context list"
    )
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
  const { target, headers, fetch: send } = await session.connect()
  const response = await send(target.server + path, {
    method,
    redirect: "manual",
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...defined({ body })
  })
  const decoder = new TextDecoder()
  let last = ""
  if (response.body !== null)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const text = decoder.decode(chunk, { stream: true })
      last = text.at(-1) ?? last
      dataTo(session.screen, text)
      await taken()
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
    if (health.ok) {
      const { build: its, git_hash: hash } = health.value
      screen.out(`server ${its} (${hash}) at ${target.server}\n`)
      const far = tooFar(build.version, its)
      if (far !== undefined) screen.note(far)
    } else screen.note(`${target.server} answered ${health.status} and not as evald does; is the address right?`)
  } catch (error) {
    // the versions of a program are asked for where no server is as well
    if (!isUnreachable(error) && !(error instanceof DOMException)) throw error
    screen.note("no server answers; evald version --client does not ask")
  }
  return exits.done
}
