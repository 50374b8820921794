/** Fifteen everyday tools. Every argument is required, so that there is one right call for a request. */
import type { ToolDefinition } from "../../sdk/model/model-exchange.ts"

const text = (description: string) => ({ type: "string", description })
const choice = (description: string, values: ReadonlyArray<string>) => ({ type: "string", enum: values, description })
const integer = (description: string) => ({ type: "integer", description })
const number = (description: string) => ({ type: "number", description })

const tool = (
  name: string,
  description: string,
  properties: { readonly [argument: string]: object }
): ToolDefinition => ({
  name,
  description,
  parameters: { type: "object", properties, required: Object.keys(properties), additionalProperties: false }
})

const ROOMS = ["kitchen", "bedroom", "bathroom", "office"]
const CURRENCIES = ["EUR", "USD", "GBP", "CHF", "JPY"]

export const tools: ReadonlyArray<ToolDefinition> = [
  tool("get_weather", "Weather forecast of a town", {
    town: text("name of the town"),
    day: choice("day of the forecast", ["today", "tomorrow"])
  }),
  tool("set_timer", "Starts a kitchen timer", {
    minutes: integer("length in minutes"),
    label: text("name of the timer, as the user says it")
  }),
  tool("convert_currency", "Converts an amount of money", {
    amount: number("amount of money"),
    from: choice("currency of the amount", CURRENCIES),
    to: choice("wanted currency", CURRENCIES)
  }),
  tool("translate_text", "Translates a text", {
    text: text("text to translate, exactly as given"),
    language: choice("target language", ["French", "Spanish", "Italian", "Polish"])
  }),
  tool("send_message", "Sends a text message", {
    recipient: text("first name of the recipient"),
    text: text("message, exactly as given")
  }),
  tool("book_table", "Reserves a table in the house restaurant", {
    guests: integer("number of guests"),
    time: text("time of day as HH:MM")
  }),
  tool("find_route", "Finds the way between two towns", {
    from: text("town of departure"),
    to: text("town of arrival"),
    mode: choice("how to travel", ["walk", "bicycle", "car", "train"])
  }),
  tool("play_music", "Plays a song", {
    title: text("title of the song, exactly as given"),
    volume: integer("volume, 0 to 100")
  }),
  tool("add_to_list", "Adds an entry to a list", {
    list: choice("which list", ["shopping", "packing", "reading"]),
    entry: text("entry, exactly as given")
  }),
  tool("loan_rate", "Monthly payment of a loan", {
    amount: number("amount of the loan"),
    percent: number("interest in percent a year"),
    years: integer("years to pay back")
  }),
  tool("track_parcel", "Says where a parcel is", { code: text("code of the parcel") }),
  tool("create_event", "Enters an event into the calendar", {
    title: text("title, exactly as given"),
    date: text("day as YYYY-MM-DD"),
    time: text("time of day as HH:MM")
  }),
  tool("set_temperature", "Sets the heating of a room", {
    room: choice("room", ROOMS),
    degrees: number("degrees Celsius")
  }),
  tool("switch_lights", "Switches the lights of a room", {
    room: choice("room", ROOMS),
    state: choice("wanted state", ["on", "off"])
  }),
  tool("search_books", "Searches the library", {
    author: text("full name of the author"),
    limit: integer("greatest number of results")
  })
]
