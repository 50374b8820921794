/** Forty small authored programming tasks (CC0). The first case is shown in the prompt, the others are hidden. */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

export interface CodeTask {
  readonly name: string
  readonly parameters: string
  readonly text: string
  readonly cases: ReadonlyArray<readonly [args: ReadonlyArray<Json>, expected: Json]>
}

const task = (name: string, parameters: string, text: string, ...cases: CodeTask["cases"]): CodeTask => ({
  name,
  parameters,
  text,
  cases
})

export const codeTasks: ReadonlyArray<CodeTask> = [
  task(
    "sumOfEven",
    "numbers",
    "returns the sum of the even numbers in a list of integers",
    [[[1, 2, 3, 4]], 6],
    [[[]], 0],
    [[[-2, 7]], -2],
    [[[1, 3]], 0]
  ),
  task(
    "countVowels",
    "text",
    "counts the letters a, e, i, o and u in a text, upper or lower case",
    [["Garden"], 2],
    [[""], 0],
    [["AEIOU"], 5],
    [["rhythm"], 0]
  ),
  task(
    "reverseWords",
    "text",
    "reverses the order of the words of a text; words are separated by single spaces",
    [["one two three"], "three two one"],
    [["one"], "one"],
    [[""], ""]
  ),
  task(
    "isPalindrome",
    "text",
    "tells whether a text reads the same backwards when case and everything but letters and digits are ignored",
    [["Never odd or even"], true],
    [["garden"], false],
    [[""], true],
    [["No 'x' in Nixon"], true],
    [["1231"], false]
  ),
  task(
    "largestGap",
    "numbers",
    "returns the largest difference between two neighbours of the sorted list of numbers; 0 for fewer than two",
    [[[1, 9, 4]], 5],
    [[[7]], 0],
    [[[]], 0],
    [[[5, 5, 5]], 0],
    [[[-10, 10]], 20]
  ),
  task(
    "romanToInteger",
    "roman",
    "converts a Roman numeral in capital letters to an integer",
    [["XIV"], 14],
    [["MCMXCIV"], 1994],
    [["III"], 3],
    [["CDXLIV"], 444]
  ),
  task(
    "integerToRoman",
    "number",
    "converts an integer from 1 to 3999 to a Roman numeral in capital letters",
    [[14], "XIV"],
    [[1994], "MCMXCIV"],
    [[3999], "MMMCMXCIX"],
    [[40], "XL"]
  ),
  task(
    "uniqueInOrder",
    "values",
    "removes repeated values from a list and keeps the first of each, in order",
    [[[3, 1, 3, 2, 1]], [3, 1, 2]],
    [[[]], []],
    [[["a", "b", "a"]], ["a", "b"]]
  ),
  task(
    "chunk",
    "values, size",
    "splits a list into lists of the given size; the last one may be shorter",
    [
      [[1, 2, 3, 4, 5], 2],
      [[1, 2], [3, 4], [5]]
    ],
    [[[], 3], []],
    [[[1], 5], [[1]]]
  ),
  task(
    "flatten",
    "values",
    "flattens a list that may hold lists at any depth",
    [[[1, [2, [3, [4]]]]], [1, 2, 3, 4]],
    [[[]], []],
    [[[[[]], 1]], [1]]
  ),
  task(
    "gcd",
    "a, b",
    "returns the greatest common divisor of two positive integers",
    [[12, 18], 6],
    [[7, 13], 1],
    [[100, 10], 10],
    [[1071, 462], 21]
  ),
  task(
    "isPrime",
    "number",
    "tells whether an integer is a prime number",
    [[7], true],
    [[1], false],
    [[2], true],
    [[91], false],
    [[7919], true],
    [[0], false]
  ),
  task(
    "primeFactors",
    "number",
    "returns the prime factors of an integer greater than 1 in ascending order, repeated ones included",
    [[60], [2, 2, 3, 5]],
    [[13], [13]],
    [[1024], [2, 2, 2, 2, 2, 2, 2, 2, 2, 2]],
    [[9409], [97, 97]]
  ),
  task(
    "fibonacci",
    "n",
    "returns the n-th Fibonacci number, where the 0th is 0 and the 1st is 1",
    [[10], 55],
    [[0], 0],
    [[1], 1],
    [[50], 12586269025]
  ),
  task(
    "digitSum",
    "number",
    "returns the sum of the decimal digits of an integer; the sign is ignored",
    [[1234], 10],
    [[0], 0],
    [[-907], 16]
  ),
  task(
    "runLength",
    "text",
    "replaces each run of equal characters by the character and the length of the run",
    [["aaabcc"], "a3b1c2"],
    [[""], ""],
    [["zzzzzzzzzzzz"], "z12"]
  ),
  task(
    "expandRuns",
    "text",
    "turns pairs of a letter and a decimal number into that many letters",
    [["a3b1c2"], "aaabcc"],
    [[""], ""],
    [["z12"], "zzzzzzzzzzzz"]
  ),
  task(
    "caesar",
    "text, shift",
    "moves each letter of the English alphabet forward by the shift (negative: back), wraps around, and keeps case and other characters",
    [["Hello, World!", 3], "Khoor, Zruog!"],
    [["xyz", 5], "cde"],
    [["abc", -1], "zab"],
    [["Abc", 26], "Abc"]
  ),
  task(
    "isAnagram",
    "one, other",
    "tells whether two texts use the same letters equally often; case and spaces do not matter",
    [["Listen", "Silent"], true],
    [["abc", "abd"], false],
    [["a gentleman", "elegant man"], true],
    [["aab", "abb"], false]
  ),
  task(
    "balanced",
    "text",
    "tells whether the brackets (), [] and {} in a text are closed in the right order; other characters are ignored",
    [["a(b[c]{d})"], true],
    [["([)]"], false],
    [[""], true],
    [["(("], false],
    [["}"], false]
  ),
  task(
    "wordCount",
    "text",
    "returns an object with how often each word occurs; words are separated by white space and are put into lower case",
    [["the cat and The dog"], { the: 2, cat: 1, and: 1, dog: 1 }],
    [[""], {}],
    [["  a   b  a "], { a: 2, b: 1 }]
  ),
  task(
    "longestWord",
    "text",
    "returns the longest word of a text whose words are separated by single spaces; the first one when several are equally long",
    [["one three five seven"], "three"],
    [["a"], "a"],
    [["bb aa"], "bb"]
  ),
  task(
    "camelToSnake",
    "text",
    "turns camelCase into snake_case",
    [["someLongName"], "some_long_name"],
    [["name"], "name"],
    [["aB"], "a_b"]
  ),
  task(
    "snakeToCamel",
    "text",
    "turns snake_case into camelCase",
    [["some_long_name"], "someLongName"],
    [["name"], "name"],
    [["a_b_c"], "aBC"]
  ),
  task(
    "transpose",
    "rows",
    "swaps rows and columns of a table",
    [
      [
        [
          [1, 2, 3],
          [4, 5, 6]
        ]
      ],
      [
        [1, 4],
        [2, 5],
        [3, 6]
      ]
    ],
    [[[[1]]], [[1]]],
    [[[]], []]
  ),
  task(
    "rotateLeft",
    "values, steps",
    "rotates a list to the left by a number of steps that may be greater than its length",
    [
      [[1, 2, 3, 4], 1],
      [2, 3, 4, 1]
    ],
    [
      [[1, 2, 3], 4],
      [2, 3, 1]
    ],
    [[[], 3], []],
    [
      [[1, 2], 0],
      [1, 2]
    ]
  ),
  task(
    "mergeSorted",
    "one, other",
    "merges two ascending lists of numbers into one ascending list",
    [
      [
        [1, 4, 6],
        [2, 3, 7]
      ],
      [1, 2, 3, 4, 6, 7]
    ],
    [[[], [1]], [1]],
    [[[], []], []],
    [
      [[10], [9, 11]],
      [9, 10, 11]
    ]
  ),
  task(
    "binarySearch",
    "sorted, wanted",
    "returns the index of a number in an ascending list without repeated values, or -1",
    [[[1, 3, 5, 7], 5], 2],
    [[[], 1], -1],
    [[[2], 2], 0],
    [[[1, 3, 5], 4], -1]
  ),
  task(
    "secondLargest",
    "numbers",
    "returns the second largest different number of a list, or null when there is none",
    [[[4, 9, 9, 7]], 7],
    [[[5, 5]], null],
    [[[]], null],
    [[[-1, -3]], -3]
  ),
  task(
    "median",
    "numbers",
    "returns the median of a non-empty list of numbers; the mean of the two middle ones when their count is even",
    [[[5, 1, 3]], 3],
    [[[4, 1, 3, 2]], 2.5],
    [[[10]], 10],
    [[[100, 20, 3]], 20]
  ),
  task(
    "groupByLength",
    "words",
    "groups words by their length: an object from length to the list of words in order",
    [[["to", "tea", "at"]], { "2": ["to", "at"], "3": ["tea"] }],
    [[[]], {}]
  ),
  task(
    "secondsToClock",
    "seconds",
    "formats a number of seconds as H:MM:SS, hours without leading zero",
    [[3661], "1:01:01"],
    [[0], "0:00:00"],
    [[59], "0:00:59"],
    [[360000], "100:00:00"]
  ),
  task(
    "daysInMonth",
    "year, month",
    "returns the number of days of a month (1 to 12) in a year of the Gregorian calendar",
    [[2024, 2], 29],
    [[1900, 2], 28],
    [[2000, 2], 29],
    [[2031, 4], 30],
    [[2031, 12], 31]
  ),
  task(
    "toBinary",
    "number",
    "returns a non-negative integer in binary digits, without calling toString with a base",
    [[10], "1010"],
    [[0], "0"],
    [[1], "1"],
    [[255], "11111111"]
  ),
  task(
    "diamond",
    "size",
    "returns the lines of a diamond of asterisks with an odd width: spaces in front, none behind",
    [[3], [" *", "***", " *"]],
    [[1], ["*"]],
    [[5], ["  *", " ***", "*****", " ***", "  *"]]
  ),
  task(
    "pascalRow",
    "n",
    "returns the n-th row of Pascal's triangle, where the 0th is [1]",
    [[4], [1, 4, 6, 4, 1]],
    [[0], [1]],
    [[1], [1, 1]],
    [[6], [1, 6, 15, 20, 15, 6, 1]]
  ),
  task(
    "commonPrefix",
    "words",
    "returns the longest text with which all words of a list begin",
    [[["garden", "garage", "gar"]], "gar"],
    [[[]], ""],
    [[["a", "b"]], ""],
    [[["same", "same"]], "same"]
  ),
  task(
    "evaluatePostfix",
    "tokens",
    "evaluates a list of tokens in postfix notation with whole numbers and the operators + - *",
    [[["3", "4", "+", "2", "*"]], 14],
    [[["5"]], 5],
    [[["2", "7", "-"]], -5],
    [[["1", "2", "3", "*", "+"]], 7]
  ),
  task(
    "editDistance",
    "one, other",
    "returns the least number of inserted, removed or replaced characters that turn one text into the other",
    [["kitten", "sitting"], 3],
    [["", "abc"], 3],
    [["same", "same"], 0],
    [["flaw", "lawn"], 2]
  ),
  task(
    "countPaths",
    "rows, columns",
    "counts the ways from the upper left to the lower right cell of a grid when every step goes right or down",
    [[2, 3], 3],
    [[1, 1], 1],
    [[3, 3], 6],
    [[8, 8], 3432]
  )
]
