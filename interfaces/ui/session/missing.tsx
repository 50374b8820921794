/** Asks for what the server misses: a token, or the name of a tenant. What is shown behind it stays. */
import { useEffect, useRef } from "preact/hooks"
import { chooseTenant, missing, signIn, tenants } from "./session.ts"

const given = (form: HTMLFormElement, name: string): string => String(new FormData(form).get(name) ?? "").trim()

const TokenForm = () => (
  <form
    method="dialog"
    onSubmit={({ currentTarget }) => {
      signIn(given(currentTarget, "token"), given(currentTarget, "remember") !== "")
    }}
  >
    <h2>Sign in</h2>
    <p>This server wants a token. It is kept in this page alone and is gone when you close or reload it.</p>
    <label>
      Token
      <input name="token" type="password" autocomplete="off" required={true} pattern="[!-~]+" />
    </label>
    <label class="check">
      <input name="remember" type="checkbox" /> Keep it until this tab is closed
    </label>
    <button type="submit" class="primary">
      Sign in
    </button>
  </form>
)

const TenantForm = () => (
  <form
    method="dialog"
    onSubmit={({ currentTarget }) => {
      chooseTenant(given(currentTarget, "tenant"))
    }}
  >
    <h2>Tenant</h2>
    <p>Jobs belong to a tenant. In a cluster that is the name of its namespace.</p>
    <label>
      Tenant
      <input
        name="tenant"
        list="tenants"
        autocomplete="off"
        required={true}
        maxLength={63}
        pattern="[a-z0-9]([\-a-z0-9]{0,61}[a-z0-9])?"
        title="small letters, digits and hyphens"
        defaultValue={tenants.value[0] ?? ""}
      />
    </label>
    <datalist id="tenants">
      {tenants.value.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
    <button type="submit" class="primary">
      Show this tenant
    </button>
  </form>
)

export const MissingDialog = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  const wanted = missing.value
  useEffect(() => {
    if (wanted === undefined) dialog.current?.close()
    else if (dialog.current?.open === false) dialog.current.showModal()
  }, [wanted])
  return (
    <dialog
      ref={dialog}
      aria-label={wanted === "token" ? "Sign in" : "Choose a tenant"}
      // not when it has closed: that is told late, when a refused token may have been asked for again
      onCancel={() => {
        missing.value = undefined
      }}
    >
      {wanted === "token" && <TokenForm />}
      {wanted === "tenant" && <TenantForm />}
    </dialog>
  )
}
