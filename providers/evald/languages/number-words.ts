/**
 * Whole numbers from 0 to 999,999 in words, in ten languages. Each writer follows the standard spelling of its language; where several are in
 * use (hyphens, "ett tusen"), one is chosen and used everywhere.
 */

export interface NumberLanguage {
  readonly code: string
  readonly name: string
  readonly words: (value: number) => string
}

const at = (words: ReadonlyArray<string>, index: number): string => words[index] as string
const split = (words: string): ReadonlyArray<string> => words.split(" ")
const rest = (value: number, unit: number, write: (value: number) => string, glue: string) =>
  value % unit === 0 ? "" : `${glue}${write(value % unit)}`

const DE_SMALL = split(
  "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
)
const DE_TENS = split("- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
/** "eins" only at the very end of a number, "ein" before another part */
const germanPart = (value: number): string => (value === 1 ? "ein" : german(value))
const german = (value: number): string => {
  if (value < 20) return at(DE_SMALL, value)
  if (value < 100)
    return `${value % 10 === 0 ? "" : `${germanPart(value % 10)}und`}${at(DE_TENS, Math.floor(value / 10))}`
  if (value < 1000) return `${germanPart(Math.floor(value / 100))}hundert${rest(value, 100, german, "")}`
  return `${germanThousands(Math.floor(value / 1000))}tausend${rest(value, 1000, german, "")}`
}
/** 101 thousand is "hunderteintausend": a final "eins" loses its s */
const germanThousands = (value: number): string => german(value).replace(/eins$/, "ein")

const FR_SMALL = split(
  "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf"
)
const FR_TENS = split("- - vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt")
const french = (value: number, last = true): string => {
  if (value < 20) return at(FR_SMALL, value)
  if (value < 100) {
    const ten = Math.floor(value / 10)
    const unit = ten === 7 || ten === 9 ? (value % 10) + 10 : value % 10
    if (value === 80) return last ? "quatre-vingts" : "quatre-vingt"
    if (unit === 0) return at(FR_TENS, ten)
    return `${at(FR_TENS, ten)}${(unit === 1 || unit === 11) && ten < 8 ? " et " : "-"}${at(FR_SMALL, unit)}`
  }
  if (value < 1000) {
    const hundreds = Math.floor(value / 100)
    const cent = `${hundreds === 1 ? "" : `${at(FR_SMALL, hundreds)} `}cent${hundreds > 1 && value % 100 === 0 && last ? "s" : ""}`
    return `${cent}${rest(value, 100, (part) => french(part, last), " ")}`
  }
  const thousands = Math.floor(value / 1000)
  return `${thousands === 1 ? "" : `${french(thousands, false)} `}mille${rest(value, 1000, french, " ")}`
}

const ES_SMALL = split(
  "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
)
const ES_TENS = split("- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa")
const ES_HUNDREDS = split(
  "- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)
const spanish = (value: number): string => {
  if (value < 30) return at(ES_SMALL, value)
  if (value < 100) return `${at(ES_TENS, Math.floor(value / 10))}${rest(value, 10, spanish, " y ")}`
  if (value === 100) return "cien"
  if (value < 1000) return `${at(ES_HUNDREDS, Math.floor(value / 100))}${rest(value, 100, spanish, " ")}`
  const thousands = Math.floor(value / 1000)
  const many = spanish(thousands)
    .replace(/veintiuno$/, "veintiún")
    .replace(/uno$/, "un")
  return `${thousands === 1 ? "" : `${many} `}mil${rest(value, 1000, spanish, " ")}`
}

const IT_SMALL = split(
  "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove"
)
const IT_TENS = split("- - venti trenta quaranta cinquanta sessanta settanta ottanta novanta")
const italianPart = (value: number): string => {
  if (value < 20) return at(IT_SMALL, value)
  if (value < 100) {
    const ten = at(IT_TENS, Math.floor(value / 10))
    const unit = value % 10
    return unit === 0 ? ten : `${unit === 1 || unit === 8 ? ten.slice(0, -1) : ten}${at(IT_SMALL, unit)}`
  }
  if (value < 1000) {
    const hundreds = Math.floor(value / 100)
    return `${hundreds === 1 ? "" : at(IT_SMALL, hundreds)}cento${rest(value, 100, italianPart, "")}`
  }
  const thousands = Math.floor(value / 1000)
  return `${thousands === 1 ? "mille" : `${italianPart(thousands)}mila`}${rest(value, 1000, italianPart, "")}`
}
/** "cento" loses its o before "otto" and "ottanta"; a final "tre" takes an accent when something stands before it */
const italian = (value: number): string =>
  italianPart(value)
    .replaceAll("centoott", "centott")
    .replace(/(?<=.)tre$/, "tré")

const PT_SMALL = split(
  "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove"
)
const PT_TENS = split("- - vinte trinta quarenta cinquenta sessenta setenta oitenta noventa")
const PT_HUNDREDS = split(
  "- cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos"
)
const portuguese = (value: number): string => {
  if (value < 20) return at(PT_SMALL, value)
  if (value < 100) return `${at(PT_TENS, Math.floor(value / 10))}${rest(value, 10, portuguese, " e ")}`
  if (value === 100) return "cem"
  if (value < 1000) return `${at(PT_HUNDREDS, Math.floor(value / 100))}${rest(value, 100, portuguese, " e ")}`
  const thousands = Math.floor(value / 1000)
  const left = value % 1000
  // "e" joins a remainder below one hundred and full hundreds
  const glue = left < 100 || left % 100 === 0 ? " e " : " "
  return `${thousands === 1 ? "" : `${portuguese(thousands)} `}mil${rest(value, 1000, portuguese, glue)}`
}

const NL_SMALL = split(
  "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien"
)
const NL_TENS = split("- - twintig dertig veertig vijftig zestig zeventig tachtig negentig")
const dutch = (value: number): string => {
  if (value < 20) return at(NL_SMALL, value)
  if (value < 100) {
    const unit = value % 10
    const ten = at(NL_TENS, Math.floor(value / 10))
    return unit === 0 ? ten : `${at(NL_SMALL, unit)}${unit === 2 || unit === 3 ? "ën" : "en"}${ten}`
  }
  if (value < 1000) {
    const hundreds = Math.floor(value / 100)
    return `${hundreds === 1 ? "" : at(NL_SMALL, hundreds)}honderd${rest(value, 100, dutch, "")}`
  }
  const thousands = Math.floor(value / 1000)
  return `${thousands === 1 ? "" : dutch(thousands)}duizend${rest(value, 1000, dutch, " ")}`
}

const SV_SMALL = split(
  "noll ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton nitton"
)
const SV_TENS = split("- - tjugo trettio fyrtio femtio sextio sjuttio åttio nittio")
const swedish = (value: number): string => {
  if (value < 20) return at(SV_SMALL, value)
  if (value < 100) return `${at(SV_TENS, Math.floor(value / 10))}${rest(value, 10, swedish, "")}`
  if (value < 1000) return `${at(SV_SMALL, Math.floor(value / 100))}hundra${rest(value, 100, swedish, "")}`
  return `${swedish(Math.floor(value / 1000))} tusen${rest(value, 1000, swedish, " ")}`
}

const TR_UNITS = split("sıfır bir iki üç dört beş altı yedi sekiz dokuz")
const TR_TENS = split("- on yirmi otuz kırk elli altmış yetmiş seksen doksan")
const turkish = (value: number): string => {
  if (value < 10) return at(TR_UNITS, value)
  if (value < 100) return `${at(TR_TENS, Math.floor(value / 10))}${rest(value, 10, turkish, " ")}`
  const [unit, word] = value < 1000 ? [100, "yüz"] : [1000, "bin"]
  const many = Math.floor(value / unit)
  return `${many === 1 ? "" : `${turkish(many)} `}${word}${rest(value, unit, turkish, " ")}`
}

const ID_UNITS = split("nol satu dua tiga empat lima enam tujuh delapan sembilan")
const indonesian = (value: number): string => {
  if (value < 10) return at(ID_UNITS, value)
  if (value === 10) return "sepuluh"
  if (value === 11) return "sebelas"
  if (value < 20) return `${at(ID_UNITS, value - 10)} belas`
  if (value < 100) return `${at(ID_UNITS, Math.floor(value / 10))} puluh${rest(value, 10, indonesian, " ")}`
  const [unit, word] = value < 1000 ? [100, "ratus"] : [1000, "ribu"]
  const many = Math.floor(value / unit)
  return `${many === 1 ? `se${word}` : `${indonesian(many)} ${word}`}${rest(value, unit, indonesian, " ")}`
}

const ZH_DIGITS = [..."零一二三四五六七八九"]
const ZH_UNITS = ["", "十", "百", "千"]
/** up to 9,999; a gap inside is one 零 */
const chineseGroup = (value: number): string => {
  let text = ""
  for (let place = String(value).length - 1; place >= 0; place--) {
    const digit = Math.floor(value / 10 ** place) % 10
    if (digit !== 0) text += `${at(ZH_DIGITS, digit)}${at(ZH_UNITS, place)}`
    else if (value % 10 ** place !== 0 && !text.endsWith("零")) text += "零"
  }
  return text
}
const chinese = (value: number): string => {
  if (value === 0) return "零"
  // 10 to 19 drop the leading one, only at the very beginning
  if (value < 20 && value >= 10) return chineseGroup(value).slice(1)
  if (value < 10_000) return chineseGroup(value)
  const low = value % 10_000
  const high = Math.floor(value / 10_000)
  return `${high < 20 && high >= 10 ? chineseGroup(high).slice(1) : chineseGroup(high)}万${low === 0 ? "" : `${low < 1000 ? "零" : ""}${chineseGroup(low)}`}`
}

export const NUMBER_LANGUAGES: ReadonlyArray<NumberLanguage> = [
  { code: "de", name: "German", words: german },
  { code: "fr", name: "French", words: (value) => french(value) },
  { code: "es", name: "Spanish", words: spanish },
  { code: "it", name: "Italian", words: italian },
  { code: "pt", name: "Portuguese", words: portuguese },
  { code: "nl", name: "Dutch", words: dutch },
  { code: "sv", name: "Swedish", words: swedish },
  { code: "tr", name: "Turkish", words: turkish },
  { code: "id", name: "Indonesian", words: indonesian },
  { code: "zh", name: "Chinese", words: chinese }
]
