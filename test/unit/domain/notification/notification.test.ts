import { assert, describe, it } from "vitest"
import { wireSentence } from "../../../../config/wire-names.ts"
import {
  checkDeliverable,
  checkNotifications,
  type NotificationRules
} from "../../../../domain/notification/check-notifications.ts"
import {
  afterAttempt,
  type Delivery,
  isReceipt,
  type Notification,
  retryDelay
} from "../../../../domain/notification/notification.ts"

const good: Notification = { url: "https://hooks.example.com/evald?x=1", events: ["completed"], secretRef: "hook-key" }
const strict: NotificationRules = { allowHttp: false, egress: { denied: [], allowed: [], hosts: [] } }
const told = (one: Partial<Notification>, rules: NotificationRules | undefined = strict) =>
  [...checkNotifications([{ ...good, ...one }]), ...checkDeliverable([{ ...good, ...one }], rules)].map(
    ({ path, message }) => [path.at(-1), wireSentence(message)]
  )

describe("addresses of notifications", () => {
  it("are taken when they are https and can be signed for", () => {
    assert.deepStrictEqual(told({}), [])
    assert.deepStrictEqual(told({ url: "http://127.0.0.1:8080/x" }, { allowHttp: true }), [])
    assert.deepStrictEqual([...checkNotifications([]), ...checkDeliverable([], undefined)], [])
  })
  it("are refused with the member, the reason and the way out", () => {
    const cases: ReadonlyArray<readonly [Partial<Notification>, string, RegExp]> = [
      [
        { url: "hooks.example.com" },
        "url",
        /'notifications\.0\.url' 'hooks.example.com' must be an absolute https URL/
      ],
      [{ url: "http://hooks.example.com" }, "url", /must be an https URL.*notifications\.allow_http/],
      [
        { url: "https://me:secret@hooks.example.com" },
        "url",
        /\*\*\*@.*must not contain credentials; messages are signed/
      ],
      [{ url: "https://hooks.example.com/#x" }, "url", /must not have a fragment/],
      [{ url: "https://hooks.example.com/a b" }, "url", /blanks/],
      [{ url: `https://${"x".repeat(2050)}` }, "url", /at most 2048/],
      [{ url: "https://169.254.169.254/latest" }, "url", /may not be reached from here/],
      [{ events: [] }, "events", /'notifications\.0\.events' is empty/],
      [{ secretRef: "Hook_Key" }, "secretRef", /'notifications\.0\.secret_ref' 'Hook_Key'/]
    ]
    for (const [given, member, message] of cases) {
      const [[found, text] = [], ...others] = told(given)
      assert.strictEqual(found, member)
      assert.match(String(text), message)
      assert.notMatch(String(text), /secret@/)
      assert.isEmpty(others)
    }
    const elsewhere = { ...strict, egress: { denied: [], allowed: [], hosts: ["only.example.com"] } }
    assert.match(String(told({}, elsewhere)[0]?.[1]), /egress\.allow_hosts/)
  })
  it("are refused altogether where nothing can be signed, and when they are too many", () => {
    assert.match(wireSentence(checkDeliverable([good], undefined)[0]?.message ?? ""), /notifications\.secrets_dir/)
    const many = checkNotifications(Array.from({ length: 11 }, () => good))
    assert.match(wireSentence(many[0]?.message ?? ""), /has 11 addresses; at most 10/)
  })
})

const subject = { tenant: "a", jobId: "j", source: "job", target: 0, event: "failed" } as const

/** refused again and again, each time as soon as it may be tried */
const refusedFrom = (start: number): ReadonlyArray<Delivery> => {
  const all: Array<Delivery> = []
  let now = start
  for (;;) {
    const next = afterAttempt(subject, all.at(-1), { status: 503 }, now, 0.5)
    all.push(next)
    if (next.nextAt === undefined) return all
    now = Date.parse(next.nextAt)
  }
}

describe("attempts", () => {
  it("only a status of 200 to 299 is a receipt", () => {
    assert.deepStrictEqual(
      [199, 200, 204, 299, 301, 307, 404, 410, 500].map((status) => isReceipt({ status })),
      [false, true, true, true, false, false, false, false, false]
    )
    assert.isFalse(isReceipt({ reason: "no answer" }))
  })
  it("wait twice as long each time, from five seconds to an hour, with up to a quarter taken off", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 10, 11, 40].map((attempts) => retryDelay(attempts, 1) / 1000),
      [5, 10, 20, 2560, 3600, 3600]
    )
    assert.strictEqual(retryDelay(1, 0), 3750)
  })
  it("go on for 24 hours and no longer; then the delivery is kept as failed with its last answer", () => {
    const all = refusedFrom(0)
    const last = all.at(-1)
    const { state, status, attempts, firstAt, lastAt } = last ?? assert.fail("nothing was tried")
    assert.deepStrictEqual([state, status, attempts, firstAt], ["failed", 503, all.length, "1970-01-01T00:00:00.000Z"])
    assert.isAbove(Date.parse(lastAt), 22 * 3_600_000)
    assert.isAtMost(Date.parse(lastAt), 24 * 3_600_000)
    assert.isTrue(all.slice(0, -1).every((one) => one.state === "waiting"))
  })
  it("a receipt ends them, and what was wrong before is not shown any more", () => {
    const before = afterAttempt(subject, undefined, { reason: "no answer" }, 0, 0)
    const after = afterAttempt(subject, before, { status: 202 }, 5000, 0)
    assert.deepStrictEqual(after, {
      ...subject,
      ...{ attempts: 2, firstAt: before.firstAt, lastAt: "1970-01-01T00:00:05.000Z", status: 202, state: "delivered" }
    })
  })
})
