/** The words of whole numbers, by language. */

/** value → spellings, with | between them; multipliers are marked with × */
export type NumberWords = { readonly [value: string]: string }

export const numberLexicon: { readonly [language: string]: NumberWords } = {
  German: {
    ...{
      1: "ein|eins",
      2: "zwei",
      3: "drei",
      4: "vier",
      5: "fünf",
      6: "sechs",
      7: "sieben",
      8: "acht",
      9: "neun",
      10: "zehn",
      11: "elf",
      12: "zwölf"
    },
    ...{
      13: "dreizehn",
      14: "vierzehn",
      15: "fünfzehn",
      16: "sechzehn",
      17: "siebzehn",
      18: "achtzehn",
      19: "neunzehn",
      20: "zwanzig",
      30: "dreißig"
    },
    ...{
      40: "vierzig",
      50: "fünfzig",
      60: "sechzig",
      70: "siebzig",
      80: "achtzig",
      90: "neunzig",
      "×100": "hundert",
      "×1000": "tausend",
      skip: "und"
    }
  },
  French: {
    ...{
      1: "un",
      2: "deux",
      3: "trois",
      4: "quatre",
      5: "cinq",
      6: "six",
      7: "sept",
      8: "huit",
      9: "neuf",
      10: "dix",
      11: "onze",
      12: "douze",
      13: "treize"
    },
    ...{
      14: "quatorze",
      15: "quinze",
      16: "seize",
      20: "vingt",
      30: "trente",
      40: "quarante",
      50: "cinquante",
      60: "soixante"
    },
    ...{ 80: "quatre-vingt|quatre-vingts", "×100": "cent|cents", "×1000": "mille", skip: "et" }
  },
  Spanish: {
    ...{
      1: "uno|un",
      2: "dos",
      3: "tres",
      4: "cuatro",
      5: "cinco",
      6: "seis",
      7: "siete",
      8: "ocho",
      9: "nueve",
      10: "diez",
      11: "once",
      12: "doce"
    },
    ...{
      13: "trece",
      14: "catorce",
      15: "quince",
      16: "dieciséis",
      17: "diecisiete",
      18: "dieciocho",
      19: "diecinueve",
      20: "veinte",
      21: "veintiuno|veintiún"
    },
    ...{
      22: "veintidós",
      23: "veintitrés",
      24: "veinticuatro",
      25: "veinticinco",
      26: "veintiséis",
      27: "veintisiete",
      28: "veintiocho",
      29: "veintinueve"
    },
    ...{
      30: "treinta",
      40: "cuarenta",
      50: "cincuenta",
      60: "sesenta",
      70: "setenta",
      80: "ochenta",
      90: "noventa",
      100: "cien|ciento",
      200: "doscientos"
    },
    ...{
      300: "trescientos",
      400: "cuatrocientos",
      500: "quinientos",
      600: "seiscientos",
      700: "setecientos",
      800: "ochocientos",
      900: "novecientos"
    },
    ...{ "×1000": "mil", skip: "y" }
  },
  Italian: {
    ...{
      1: "uno|un",
      2: "due",
      3: "tre|tré",
      4: "quattro",
      5: "cinque",
      6: "sei",
      7: "sette",
      8: "otto",
      9: "nove",
      10: "dieci",
      11: "undici",
      12: "dodici"
    },
    ...{
      13: "tredici",
      14: "quattordici",
      15: "quindici",
      16: "sedici",
      17: "diciassette",
      18: "diciotto",
      19: "diciannove",
      20: "venti|vent"
    },
    ...{
      30: "trenta|trent",
      40: "quaranta|quarant",
      50: "cinquanta|cinquant",
      60: "sessanta|sessant",
      70: "settanta|settant",
      80: "ottanta|ottant"
    },
    ...{ 90: "novanta|novant", "×100": "cento", "×1000": "mila|mille" }
  },
  Portuguese: {
    ...{
      1: "um",
      2: "dois",
      3: "três",
      4: "quatro",
      5: "cinco",
      6: "seis",
      7: "sete",
      8: "oito",
      9: "nove",
      10: "dez",
      11: "onze",
      12: "doze",
      13: "treze"
    },
    ...{
      14: "catorze",
      15: "quinze",
      16: "dezesseis",
      17: "dezessete",
      18: "dezoito",
      19: "dezenove",
      20: "vinte",
      30: "trinta",
      40: "quarenta"
    },
    ...{
      50: "cinquenta",
      60: "sessenta",
      70: "setenta",
      80: "oitenta",
      90: "noventa",
      100: "cem|cento",
      200: "duzentos",
      300: "trezentos"
    },
    ...{
      400: "quatrocentos",
      500: "quinhentos",
      600: "seiscentos",
      700: "setecentos",
      800: "oitocentos",
      900: "novecentos",
      "×1000": "mil",
      skip: "e"
    }
  },
  Dutch: {
    ...{
      1: "een",
      2: "twee",
      3: "drie",
      4: "vier",
      5: "vijf",
      6: "zes",
      7: "zeven",
      8: "acht",
      9: "negen",
      10: "tien",
      11: "elf",
      12: "twaalf"
    },
    ...{
      13: "dertien",
      14: "veertien",
      15: "vijftien",
      16: "zestien",
      17: "zeventien",
      18: "achttien",
      19: "negentien",
      20: "twintig",
      30: "dertig"
    },
    ...{
      40: "veertig",
      50: "vijftig",
      60: "zestig",
      70: "zeventig",
      80: "tachtig",
      90: "negentig",
      "×100": "honderd",
      "×1000": "duizend",
      skip: "en|ën"
    }
  },
  Swedish: {
    ...{
      1: "ett",
      2: "två",
      3: "tre",
      4: "fyra",
      5: "fem",
      6: "sex",
      7: "sju",
      8: "åtta",
      9: "nio",
      10: "tio",
      11: "elva",
      12: "tolv",
      13: "tretton"
    },
    ...{
      14: "fjorton",
      15: "femton",
      16: "sexton",
      17: "sjutton",
      18: "arton",
      19: "nitton",
      20: "tjugo",
      30: "trettio",
      40: "fyrtio",
      50: "femtio"
    },
    ...{ 60: "sextio", 70: "sjuttio", 80: "åttio", 90: "nittio", "×100": "hundra", "×1000": "tusen" }
  },
  Turkish: {
    ...{
      1: "bir",
      2: "iki",
      3: "üç",
      4: "dört",
      5: "beş",
      6: "altı",
      7: "yedi",
      8: "sekiz",
      9: "dokuz",
      10: "on",
      20: "yirmi",
      30: "otuz",
      40: "kırk"
    },
    ...{ 50: "elli", 60: "altmış", 70: "yetmiş", 80: "seksen", 90: "doksan", "×100": "yüz", "×1000": "bin" }
  },
  Indonesian: {
    ...{
      1: "satu",
      2: "dua",
      3: "tiga",
      4: "empat",
      5: "lima",
      6: "enam",
      7: "tujuh",
      8: "delapan",
      9: "sembilan",
      10: "sepuluh",
      11: "sebelas"
    },
    ...{ 100: "seratus", "+10": "belas", "×10": "puluh", "×100": "ratus", "×1000": "ribu|seribu" }
  },
  Chinese: {
    ...{
      1: "一",
      2: "二",
      3: "三",
      4: "四",
      5: "五",
      6: "六",
      7: "七",
      8: "八",
      9: "九",
      "×10": "十",
      "×100": "百",
      "×1": "千",
      "×10000": "万",
      skip: "零"
    }
  }
}
