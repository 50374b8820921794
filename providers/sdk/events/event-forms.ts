/** The forms in which a terminal event can be sent, from whole to smallest: a receiver that takes no large body still gets the result. */

import type { JsonObject } from "../../../values/json.ts"
import { slimEvent } from "../export/result-files.ts"
import { bareEvent, renderEvent, smallestEvent } from "./event-body.ts"

export interface EventForm {
  /** what it leaves out, in words */
  readonly without: string
  readonly body: string
  /** nothing is left in it that could be the reason of a refusal */
  readonly bare: boolean
}

/** each smaller than the one before; forms that would leave nothing out are skipped */
export const eventForms = (event: JsonObject): readonly [EventForm, ...ReadonlyArray<EventForm>] => {
  const whole: EventForm = { without: "nothing", body: renderEvent(event), bare: false }
  const smaller: ReadonlyArray<EventForm> = [
    { without: "its details, which are in result.json", body: renderEvent(slimEvent(event)), bare: false },
    { without: "everything but its metrics", body: renderEvent(bareEvent(event)), bare: true },
    {
      without: "all metrics but the primary one, which are in metrics.json",
      body: renderEvent(smallestEvent(event)),
      bare: true
    }
  ]
  const forms: [EventForm, ...Array<EventForm>] = [whole]
  for (const form of smaller) if (form.body.length < (forms.at(-1)?.body.length ?? 0)) forms.push(form)
  return forms
}
