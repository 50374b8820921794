/** Sixty authored requests, four for each tool, with the one call that serves them (CC0). */

export interface ToolRequest {
  readonly tool: string
  readonly text: string
  readonly arguments: { readonly [name: string]: string | number }
}

type Row = readonly [text: string, call: { readonly [name: string]: string | number }]

const requestsOf = (tool: string, rows: readonly [Row, Row, Row, Row]): ReadonlyArray<ToolRequest> =>
  rows.map(([text, call]) => ({ tool, text, arguments: call }))

export const toolRequests: ReadonlyArray<ToolRequest> = [
  ...requestsOf("get_weather", [
    ["What will the weather be like in Harwick tomorrow?", { town: "Harwick", day: "tomorrow" }],
    ["Do I need an umbrella in Ostfeld today?", { town: "Ostfeld", day: "today" }],
    ["Please look up the forecast for Belmar. It is for tomorrow.", { town: "Belmar", day: "tomorrow" }],
    ["Is it going to be warm today in Norrvik?", { town: "Norrvik", day: "today" }]
  ]),
  ...requestsOf("set_timer", [
    ["Set a timer of 12 minutes called pasta.", { minutes: 12, label: "pasta" }],
    ["Please start a 45-minute timer with the label laundry.", { minutes: 45, label: "laundry" }],
    ["I need a timer named tea, 4 minutes long.", { minutes: 4, label: "tea" }],
    ["My dough has to rest for 90 minutes. Start a timer called dough.", { minutes: 90, label: "dough" }]
  ]),
  ...requestsOf("convert_currency", [
    ["How many EUR do I get for 250 USD?", { amount: 250, from: "USD", to: "EUR" }],
    ["Convert 99.5 GBP to JPY.", { amount: 99.5, from: "GBP", to: "JPY" }],
    ["What are 1200 CHF worth in EUR?", { amount: 1200, from: "CHF", to: "EUR" }],
    ["My hotel costs 75 USD. How much is that in GBP?", { amount: 75, from: "USD", to: "GBP" }]
  ]),
  ...requestsOf("translate_text", [
    ['Translate "good morning" into French.', { text: "good morning", language: "French" }],
    ['How do you say "where is the station" in Polish?', { text: "where is the station", language: "Polish" }],
    ['I need "two coffees please" in Italian.', { text: "two coffees please", language: "Italian" }],
    ['Give me the Spanish version of "see you tomorrow".', { text: "see you tomorrow", language: "Spanish" }]
  ]),
  ...requestsOf("send_message", [
    ['Send Mara the message "I am on my way".', { recipient: "Mara", text: "I am on my way" }],
    ['Tell Nils by text message: "The key is under the mat".', { recipient: "Nils", text: "The key is under the mat" }],
    ['Write to Aiko: "Happy birthday".', { recipient: "Aiko", text: "Happy birthday" }],
    ['Please let Omar know with a message that says "See you at six".', { recipient: "Omar", text: "See you at six" }]
  ]),
  ...requestsOf("book_table", [
    ["Book a table for 4 guests at 19:30.", { guests: 4, time: "19:30" }],
    ["We are 6 people and would like to eat at 18:00. Reserve a table for us.", { guests: 6, time: "18:00" }],
    ["Is there a table at 20:15 for 2 people? Then take it.", { guests: 2, time: "20:15" }],
    ["Please reserve lunch at 12:45; there will be 8 guests.", { guests: 8, time: "12:45" }]
  ]),
  ...requestsOf("find_route", [
    ["How do I get from Harwick to Belmar by train?", { from: "Harwick", to: "Belmar", mode: "train" }],
    ["Show me the way from Quillan to Ostfeld by bicycle.", { from: "Quillan", to: "Ostfeld", mode: "bicycle" }],
    [
      "I want to walk from Norrvik to Santelle. Which way do I take?",
      { from: "Norrvik", to: "Santelle", mode: "walk" }
    ],
    ["We go by car. What is the best route from Belmar to Harwick?", { from: "Belmar", to: "Harwick", mode: "car" }]
  ]),
  ...requestsOf("play_music", [
    ['Play "Winter Song" at volume 30.', { title: "Winter Song", volume: 30 }],
    ['I would like to hear "Blue Harbour", volume 65.', { title: "Blue Harbour", volume: 65 }],
    ['Put on the song "Slow Rain" at a volume of 10.', { title: "Slow Rain", volume: 10 }],
    ['Turn the volume to 80 and play "Market Day".', { title: "Market Day", volume: 80 }]
  ]),
  ...requestsOf("add_to_list", [
    ['Put "olive oil" on my shopping list.', { list: "shopping", entry: "olive oil" }],
    ['My packing list needs "rain jacket".', { list: "packing", entry: "rain jacket" }],
    ['Add "The Quiet Harbour" to the reading list.', { list: "reading", entry: "The Quiet Harbour" }],
    ['Do not let me forget "brown bread": write it on the shopping list.', { list: "shopping", entry: "brown bread" }]
  ]),
  ...requestsOf("loan_rate", [
    [
      "What would I pay a month for a loan of 12000 at 3.5 percent over 6 years?",
      { amount: 12000, percent: 3.5, years: 6 }
    ],
    ["Work out the monthly payment: loan of 80000, 4 percent, 20 years.", { amount: 80000, percent: 4, years: 20 }],
    [
      "I borrow 5000 for 2 years at 6.9 percent. What is the monthly payment of this loan?",
      { amount: 5000, percent: 6.9, years: 2 }
    ],
    [
      "A loan of 150000 at 2.1 percent for 30 years: what does it cost each month?",
      { amount: 150000, percent: 2.1, years: 30 }
    ]
  ]),
  ...requestsOf("track_parcel", [
    ["Where is my parcel KX-4821?", { code: "KX-4821" }],
    ["Has the package with the code BD-1077 left the depot?", { code: "BD-1077" }],
    ["My order should be on its way. The parcel code is TR-9350.", { code: "TR-9350" }],
    ["Please track MV-6604 for me; it is a parcel from my aunt.", { code: "MV-6604" }]
  ]),
  ...requestsOf("create_event", [
    [
      'Enter "Dentist" into my calendar for 2031-05-12 at 09:30.',
      { title: "Dentist", date: "2031-05-12", time: "09:30" }
    ],
    [
      'On 2032-01-08 at 18:00 there is "Choir". Please note it in the calendar.',
      { title: "Choir", date: "2032-01-08", time: "18:00" }
    ],
    [
      'My calendar misses "Parents evening": 2031-11-20, 19:15.',
      { title: "Parents evening", date: "2031-11-20", time: "19:15" }
    ],
    [
      'Create the calendar event "Boat trip" at 07:45 on 2033-07-02.',
      { title: "Boat trip", date: "2033-07-02", time: "07:45" }
    ]
  ]),
  ...requestsOf("set_temperature", [
    ["Set the kitchen to 21.5 degrees.", { room: "kitchen", degrees: 21.5 }],
    ["It should be 18 degrees in the bedroom.", { room: "bedroom", degrees: 18 }],
    ["The bathroom is too cold. Heat it to 24 degrees, please.", { room: "bathroom", degrees: 24 }],
    ["I work from home: make the office 20.5 degrees warm.", { room: "office", degrees: 20.5 }]
  ]),
  ...requestsOf("switch_lights", [
    ["Switch the lights in the bedroom off.", { room: "bedroom", state: "off" }],
    ["Turn on the lights in the kitchen.", { room: "kitchen", state: "on" }],
    ["I have left the office. Lights off there, please.", { room: "office", state: "off" }],
    ["It is dark in the bathroom: lights on.", { room: "bathroom", state: "on" }]
  ]),
  ...requestsOf("search_books", [
    ["Find up to 5 books by Rosa Keller.", { author: "Rosa Keller", limit: 5 }],
    ["Which books did Tomas Ferro write? Show 3 at most.", { author: "Tomas Ferro", limit: 3 }],
    ["Search the library for the author Lena Novak, no more than 10 results.", { author: "Lena Novak", limit: 10 }],
    ["I am looking for books by Pia Moreau; 2 results are enough.", { author: "Pia Moreau", limit: 2 }]
  ])
]
