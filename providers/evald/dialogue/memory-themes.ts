/** What people ask a conversation partner to remember, how it changes, and how they ask for it later (CC0). */

export interface MemoryTheme {
  readonly statement: (value: string) => string
  readonly change: (value: string) => string
  readonly question: string
  readonly values: ReadonlyArray<string>
  /** fills "<x> is …"; absent for numbers */
  readonly wanted?: string
}

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

export const THEMES: ReadonlyArray<MemoryTheme> = [
  {
    statement: (value) => `My cat is called ${value}.`,
    change: (value) => `I have changed my mind about the name: my cat is called ${value} from now on.`,
    question: "What is my cat called?",
    values: ["Pepper", "Biscuit", "Mango", "Clover", "Pickle", "Dumpling"],
    wanted: "the name"
  },
  {
    statement: (value) => `I parked the car on level ${value}.`,
    change: (value) => `I had to move the car: it is now on level ${value}.`,
    question: "On which level is my car?",
    values: ["2", "3", "4", "5", "6", "7"]
  },
  {
    statement: (value) => `My appointment with the dentist is on ${value}.`,
    change: (value) => `The dentist called: the appointment has been moved to ${value}.`,
    question: "On which day of the week is my appointment with the dentist?",
    values: WEEKDAYS,
    wanted: "the name of the weekday"
  },
  {
    statement: (value) => `The code of my locker is ${value}.`,
    change: (value) => `I was given another locker. Its code is ${value}.`,
    question: "What is the code of my locker?",
    values: ["4821", "7350", "1964", "8207", "3519", "6048"]
  },
  {
    statement: (value) => `My sister moved to ${value}.`,
    change: (value) => `My sister has moved again, this time to ${value}.`,
    question: "In which city does my sister live now?",
    values: ["Lisbon", "Nairobi", "Osaka", "Montreal", "Krakow", "Valencia"],
    wanted: "the name of the city"
  },
  {
    statement: (value) => `My favourite colour is ${value}.`,
    change: (value) => `I have a new favourite colour: ${value}.`,
    question: "What is my favourite colour?",
    values: ["turquoise", "crimson", "violet", "orange", "silver", "green"],
    wanted: "the colour"
  },
  {
    statement: (value) => `My train leaves from platform ${value}.`,
    change: (value) => `They have just announced that my train leaves from platform ${value} instead.`,
    question: "From which platform does my train leave?",
    values: ["3", "8", "11", "14", "17", "22"]
  },
  {
    statement: (value) => `For dinner I want to cook ${value}.`,
    change: (value) => `I have other plans for dinner now: I will cook ${value}.`,
    question: "What do I want to cook for dinner?",
    values: ["lasagne", "paella", "goulash", "ramen", "moussaka", "risotto"],
    wanted: "the name of the dish"
  },
  {
    statement: (value) => `My hotel room has the number ${value}.`,
    change: (value) => `I was moved to another hotel room, number ${value}.`,
    question: "What is the number of my hotel room?",
    values: ["118", "204", "316", "427", "509", "611"]
  },
  {
    statement: (value) => `The instrument I am learning is the ${value}.`,
    change: (value) => `I have given up that instrument and am learning the ${value} now.`,
    question: "Which instrument am I learning now?",
    values: ["cello", "flute", "harp", "trumpet", "banjo", "oboe"],
    wanted: "the name of the instrument"
  }
]

/** remarks between the facts that carry nothing to remember */
export const REMARKS: ReadonlyArray<string> = [
  "The weather has been lovely all week.",
  "I had far too little coffee this morning.",
  "My neighbour is practising the same song again and again.",
  "I read an interesting article about glaciers.",
  "The lift in our building is out of order once more.",
  "I am thinking about repainting the kitchen."
]
