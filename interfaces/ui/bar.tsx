/** The bar at the top: where one can go, and as whom one looks. */
import { useLocation } from "preact-iso/router"
import { useAnswer } from "./data/answer.ts"
import { screens } from "./screens.ts"
import { hasToken, missing, signOut, tenant } from "./session/session.ts"
import { theme, themes } from "./session/theme.ts"

const Navigation = () => {
  const { path } = useLocation()
  return (
    <nav aria-label="Screens">
      {screens.flatMap(({ path: to, name }) =>
        name === undefined
          ? []
          : [
              <a
                key={to}
                href={to}
                {...(path === to || path.startsWith(`${to}/`) ? { "aria-current": "page" as const } : {})}
              >
                {name}
              </a>
            ]
      )}
      <a href="/docs" target="_blank" rel="noreferrer">
        API
      </a>
    </nav>
  )
}

/** the next one in turn */
const nextTheme = () => {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "auto"
}

export const Bar = () => {
  const { value: info } = useAnswer("getInfo", {})
  const shownTenant = tenant.value ?? info?.caller.tenant
  return (
    <header class="bar">
      <a class="brand" href="/" aria-label="evald, all jobs">
        evald
      </a>
      <Navigation />
      <span class="whoami">
        <button
          type="button"
          class="plain"
          aria-label={`Tenant ${shownTenant ?? "not chosen"}, change`}
          title={info === undefined ? "" : `${info.caller.user} on evald ${info.version} (${info.mode})`}
          onClick={() => {
            missing.value = "tenant"
          }}
        >
          {shownTenant ?? "tenant"}
        </button>
        <button type="button" class="plain" aria-label={`Theme: ${theme.value}, change`} onClick={nextTheme}>
          {theme.value === "auto" ? "◐ auto" : theme.value === "light" ? "☀ light" : "☾ dark"}
        </button>
        {hasToken.value && (
          <button type="button" class="plain" onClick={signOut}>
            Sign out
          </button>
        )}
      </span>
    </header>
  )
}
