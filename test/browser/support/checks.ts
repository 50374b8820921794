/** What is checked of every screen. */
import axe from "axe-core"
import type { Page } from "playwright-core"
import { assert } from "vitest"

interface Axe {
  readonly run: (options: object) => Promise<{
    readonly violations: ReadonlyArray<{
      readonly id: string
      readonly nodes: ReadonlyArray<{ readonly target: ReadonlyArray<unknown>; readonly failureSummary?: string }>
    }>
  }>
}

/** no violation of accessibility in either theme */
export const isAccessible = async (page: Page): Promise<void> => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    // as text it is run by the driver, whom the policy of the page does not concern
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(`${axe.source};0`)
    const violations = await page.evaluate(async () => {
      const { axe: loaded } = window as unknown as { readonly axe: Axe }
      const found = await loaded.run({ resultTypes: ["violations"] })
      return found.violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary}`)
      }))
    })
    assert.deepStrictEqual(violations, [], colorScheme)
  }
}

/** nothing sticks out of a small screen */
export const fitsInto = async (page: Page, width: number): Promise<void> => {
  await page.setViewportSize({ width, height: 740 })
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  assert.isAtMost(beyond, 0, `${width} px wide`)
}

/** whether hostile text did anything */
export const wasHit = (page: Page): Promise<boolean> => page.evaluate(() => "hit" in window)

/** presses Tab until the element has the focus; fails when it cannot be reached */
export const tabTo = async (page: Page, selector: string): Promise<void> => {
  for (let presses = 0; presses < 80; presses++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)) return
    await page.keyboard.press("Tab")
  }
  assert.fail(`${selector} is not reached by the Tab key`)
}
