/** Four everyday kinds of records, each with flat fields, a nested group, a table and the stricter extras of the hard level. */
import {
  amount,
  choice,
  code,
  day,
  fixed,
  flag,
  group,
  integer,
  list,
  type MakeField,
  optional,
  rows,
  text
} from "./notes.ts"

export interface RecordKind {
  readonly name: string
  readonly flat: ReadonlyArray<MakeField>
  readonly nested: ReadonlyArray<MakeField>
  readonly strict: ReadonlyArray<MakeField>
}

const people = [
  "Mara Lind",
  "Tomas Ferro",
  "Aiko Tan",
  "Nils Berg",
  "Rosa Keller",
  "Omar Haddad",
  "Lena Novak",
  "Pia Moreau"
]
const towns = ["Harwick", "Ostfeld", "Belmar", "Santelle", "Norrvik", "Quillan"]
const streets = ["Mill Lane", "Harbour Street", "Oak Road", "Station Square", "Long Hill"]

export const recordKinds: ReadonlyArray<RecordKind> = [
  {
    name: "order",
    flat: [
      text("customer", "customer", people),
      integer("boxes", "number of boxes", 1, 40),
      amount("total", "amount due", 900),
      flag("paid", "already paid")
    ],
    nested: [
      choice("shipping", "way of shipping", ["by_courier", "by_mail", "pick_up"]),
      day("shipOn", "shipping day"),
      group("address", [
        text("street", "street", streets),
        integer("houseNumber", "house number", 1, 199),
        text("town", "town", towns)
      ])
    ],
    strict: [
      fixed("schemaVersion", 2),
      code("orderCode", "order code"),
      optional("coupon", "coupon", ["SPRING", "WELCOME", "HARBOUR"]),
      rows("lines", "line", [
        text("article", "article", ["lamp", "chair", "rug", "clock", "kettle"]),
        integer("pieces", "pieces", 1, 9),
        amount("price", "price", 80)
      ])
    ]
  },
  {
    name: "booking",
    flat: [
      text("guest", "guest", people),
      integer("nights", "number of nights", 1, 21),
      integer("guests", "number of guests", 1, 6),
      flag("breakfast", "breakfast wanted")
    ],
    nested: [
      choice("room", "kind of room", ["single_room", "double_room", "family_room"]),
      day("arrival", "day of arrival"),
      group("contact", [
        text("town", "home town", towns),
        choice("channel", "best reached by", ["e_mail", "phone_call", "text_message"])
      ])
    ],
    strict: [
      code("bookingCode", "booking code"),
      list("wishes", "special wishes", ["quiet side", "baby bed", "late arrival", "sea view", "ground floor"]),
      optional("voucher", "voucher", ["GIFT", "FRIEND", "STAFF"]),
      rows("extras", "extra", [
        text("name", "name", ["parking", "bicycle", "sauna", "picnic"]),
        amount("price", "price", 60),
        flag("perDay", "charged daily")
      ])
    ]
  },
  {
    name: "measurement",
    flat: [
      text("place", "place", towns),
      amount("temperature", "temperature", 40),
      integer("humidity", "humidity in percent", 0, 100),
      flag("verified", "checked by a person")
    ],
    nested: [
      choice("sky", "sky", ["clear_sky", "partly_cloudy", "heavy_rain", "light_snow"]),
      day("measuredOn", "day of measurement"),
      group("device", [
        integer("number", "device number", 1, 500),
        choice("power", "power supply", ["mains_power", "battery_power"])
      ])
    ],
    strict: [
      fixed("unit", "celsius"),
      code("stationCode", "station code"),
      list("observers", "observers", people),
      rows("readings", "reading", [integer("hour", "hour", 0, 23), amount("value", "value", 40)])
    ]
  },
  {
    name: "loan",
    flat: [
      text("reader", "reader", people),
      integer("books", "number of books", 1, 12),
      flag("reminderSent", "reminder sent"),
      amount("fee", "fee", 30)
    ],
    nested: [
      choice("status", "status of the loan", ["on_loan", "given_back", "over_due"]),
      day("dueOn", "due day"),
      group("branch", [text("town", "branch town", towns), integer("shelf", "shelf number", 1, 90)])
    ],
    strict: [
      code("loanCode", "loan code"),
      optional("note", "remark", ["cover torn", "page missing", "second copy"]),
      list("subjects", "subjects", ["history", "cooking", "travel", "poetry", "gardening"]),
      rows("copies", "copy", [
        text("title", "title", ["The Quiet Harbour", "Bread at Home", "Northern Birds", "A Short Winter"]),
        integer("pages", "pages", 40, 900)
      ])
    ]
  }
]
