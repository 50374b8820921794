/** `evald open`: the page of a job, in a browser where there is one. */
import { launch, launchOf } from "../browser.ts"
import { exits, recordOf, Stop } from "../exit.ts"
import { type Handler, jobArgument } from "../session.ts"

export const open: Handler = async (session) => {
  const { screen, platform, environment } = session
  const { client, target, headers, fetch: send } = await session.connect()
  // a page says only after it is open that there is no such job
  const { resource } = recordOf(await client.getJob({ path: { id: jobArgument(session) } }))
  const url = `${target.server}/jobs/${encodeURIComponent(resource.id)}`
  // a proxy before the server may send browsers to a sign-in of its own, which is theirs to follow
  const page = await send(url, { method: "HEAD", redirect: "manual", headers })
  if (page.status === 404)
    throw new Stop(
      exits.other,
      `${target.server} serves no pages; its operator turns them on with ui.enabled`,
      `evald describe job ${resource.id}`
    )
  // a pipe wants the address
  const found = screen.width === undefined ? undefined : launchOf(url, platform, environment)
  if (found !== undefined && (await launch(found))) screen.note(`opened ${url}`)
  else screen.out(`${url}\n`)
  return exits.done
}
