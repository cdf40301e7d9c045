/** Verifies the check digits of a tax number, which is given without spaces and country letters. */
type Check = (number: string) => boolean

const digitsOf = (text: string) => Array.from(text, Number)
const weighted = (digits: readonly number[], weights: readonly number[]) => weights.reduce((sum, weight, i) => sum + weight * digits[i]!, 0)
const crossSum = (n: number) => Math.trunc(n / 10) + (n % 10)

function luhn(text: string): boolean {
  const sum = digitsOf(text)
    .toReversed()
    .reduce((total, digit, i) => total + (i % 2 === 0 ? digit : crossSum(2 * digit)), 0)
  return sum % 10 === 0
}

/** Verifies a check digit by ISO 7064 MOD 11,10. */
function mod11and10(text: string): boolean {
  const digits = digitsOf(text)
  const last = digits.pop()
  const product = digits.reduce((p, digit) => (2 * ((digit + p) % 10 || 10)) % 11, 10)
  return (11 - product) % 10 === last
}

/**
 * Builds a check that the last digit complements the weighted sum of the other digits to a multiple of eleven. `ten` replaces a check digit
 * of 10; null if such numbers are not issued.
 */
const toEleven =
  (weights: readonly number[], { ten = null, eleven = 0 }: { ten?: number | null; eleven?: number | null } = {}): Check =>
  (text) => {
    const digits = digitsOf(text)
    const rest = 11 - (weighted(digits, weights) % 11)
    return digits[weights.length] === (rest === 11 ? eleven : rest === 10 ? ten : rest)
  }

/** Builds a check that the last digit is the weighted sum modulo eleven; if that is 10, the sum with other weights modulo eleven. */
const byEleven =
  (weights: readonly number[], others?: readonly number[]): Check =>
  (text) => {
    const digits = digitsOf(text)
    const first = weighted(digits, weights) % 11
    const rest = first === 10 && others ? (weighted(digits, others) % 11) % 10 : first
    return digits[weights.length] === rest
  }

const toTen =
  (weights: readonly number[]): Check =>
  (text) => {
    const digits = digitsOf(text)
    return digits[weights.length] === (10 - (weighted(digits, weights) % 10)) % 10
  }

const EIGHT_TO_TWO = [8, 7, 6, 5, 4, 3, 2]
const NINE_TO_TWO = [9, ...EIGHT_TO_TWO]
const SPANISH = 'TRWAGMYFPDXBNJZSQVHLCKE'
const IRISH = 'WABCDEFGHIJKLMNOPQRSTUV'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

function spanish(text: string): boolean {
  const [head, middle, last] = [text[0]!, text.slice(1, 8), text[8]!]
  const asNumber = 'XYZ'.includes(head) ? String('XYZ'.indexOf(head)) + middle : head + middle
  if (/^\d{8}$/.test(asNumber)) return SPANISH[Number(asNumber) % 23] === last
  if ('KLM'.includes(head)) return SPANISH[Number(middle) % 23] === last
  const digits = digitsOf(middle)
  const sum = digits.reduce((total, digit, i) => total + (i % 2 === 0 ? crossSum(2 * digit) : digit), 0)
  const control = (10 - (sum % 10)) % 10
  return last === String(control) || last === 'JABCDEFGHI'[control]
}

function irish(text: string): boolean {
  // The older Irish format is converted: its first digit is the last digit of the newer format.
  const newer = text.replace(/^(\d)[A-Z+*](\d{5})([A-Z])$/, '0$2$1$3')
  const [, digits = '', check, more = ''] = /^(\d{7})([A-Z])([A-Z]?)$/.exec(newer) ?? []
  const sum = weighted(digitsOf(digits), EIGHT_TO_TWO) + 9 * Math.max(0, IRISH.indexOf(more || 'W'))
  return IRISH[sum % 23] === check
}

function british(text: string): boolean {
  const state = /^(GD|HA)(\d{3})$/.exec(text)
  if (state) return state[1] === 'GD' ? Number(state[2]) < 500 : Number(state[2]) >= 500
  const sum = weighted(digitsOf(text), EIGHT_TO_TWO) + Number(text.slice(7, 9))
  return sum % 97 === 0 || (sum + 55) % 97 === 0
}

function dutch(text: string): boolean {
  if (byEleven(NINE_TO_TWO)(text)) return true
  const asNumber = Array.from(`NL${text}`, (sign) => ALPHABET.indexOf(sign)).join('')
  return BigInt(asNumber) % 97n === 1n
}

function cypriot(text: string): boolean {
  const odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21]
  const sum = digitsOf(text.slice(0, 8)).reduce((total, digit, i) => total + (i % 2 === 0 ? odd[digit]! : digit), 0)
  return text[8] === ALPHABET[10 + (sum % 26)]
}

function latvian(text: string): boolean {
  // Latvian tax numbers of natural persons begin with 0 to 3 and contain a birth date. Their check digit is not verified.
  if (Number(text[0]) < 4) return true
  const digits = digitsOf(text)
  const rest = 3 - (weighted(digits, [9, 1, 4, 8, 3, 10, 2, 5, 7, 6]) % 11)
  return rest !== -1 && digits[10] === (rest < -1 ? rest + 11 : rest)
}

function lithuanian(text: string): boolean {
  const places = Array.from({ length: text.length - 1 }, (_, i) => i)
  return byEleven(
    places.map((i) => (i % 9) + 1),
    places.map((i) => ((i + 2) % 9) + 1),
  )(text)
}

function indian(text: string): boolean {
  const sum = Array.from(text.slice(0, 14), (sign) => ALPHABET.indexOf(sign)).reduce((total, value, i) => {
    const product = value * (i % 2 === 0 ? 1 : 2)
    return total + Math.trunc(product / 36) + (product % 36)
  }, 0)
  return text[14] === ALPHABET[(36 - (sum % 36)) % 36]
}

function japanese(text: string): boolean {
  const sum = digitsOf(text.slice(1))
    .toReversed()
    .reduce((total, digit, i) => total + digit * (i % 2 === 0 ? 1 : 2), 0)
  return Number(text[0]) === 9 - (sum % 9)
}

function australian(text: string): boolean {
  const [first, ...rest] = digitsOf(text)
  return weighted([first! - 1, ...rest], [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89 === 0
}

function romanian(text: string): boolean {
  const digits = digitsOf(text.padStart(10, '0'))
  return digits[9] === ((10 * weighted(digits, [7, 5, 3, 2, 1, 7, 5, 3, 2])) % 11) % 10
}

/** Verifies French tax numbers, which begin with two check characters. Letters among these follow no published rule and are accepted. */
const french: Check = (text) =>
  !/^\d/.test(text) || !/^\d{2}/.test(text) || Number(text.slice(0, 2)) === (12 + 3 * (Number(text.slice(2)) % 97)) % 97

/** The check digit rules of company tax numbers by country. Without a rule, only length and characters are checked. */
export const CHECK_DIGIT_RULES: Record<string, Check> = {
  AT: (text) => {
    const digits = digitsOf(text.slice(1))
    const sum = digits.slice(0, 7).reduce((total, digit, i) => total + (i % 2 === 0 ? digit : crossSum(2 * digit)), 4)
    return digits[7] === (10 - (sum % 10)) % 10
  },
  AU: australian,
  BE: (text) => Number(text.slice(8)) === 97 - (Number(text.slice(0, 8)) % 97),
  BG: (text) => text.length !== 9 || byEleven([1, 2, 3, 4, 5, 6, 7, 8], [3, 4, 5, 6, 7, 8, 9, 10])(text),
  CA: (text) => luhn(text.slice(0, 9)),
  CH: toEleven([5, 4, 3, 2, 7, 6, 5, 4]),
  CY: cypriot,
  CZ: (text) => text.length !== 8 || toEleven(EIGHT_TO_TWO, { ten: 0, eleven: 1 })(text),
  DE: mod11and10,
  DK: (text) => weighted(digitsOf(text), [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  EE: toTen([3, 7, 1, 3, 7, 1, 3, 7]),
  ES: spanish,
  FI: toEleven([7, 9, 10, 5, 8, 4, 2]),
  FR: french,
  GB: british,
  GR: (text) => digitsOf(text)[8] === (weighted(digitsOf(text), [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10,
  HR: mod11and10,
  HU: toTen([9, 7, 3, 1, 9, 7, 3]),
  IE: irish,
  IN: indian,
  IT: luhn,
  JP: japanese,
  LT: lithuanian,
  LU: (text) => Number(text.slice(0, 6)) % 89 === Number(text.slice(6)),
  LV: latvian,
  MT: (text) => 37 - (weighted(digitsOf(text), [3, 4, 6, 7, 8, 9]) % 37) === Number(text.slice(6)),
  NL: dutch,
  NO: toEleven([3, 2, 7, 6, 5, 4, 3, 2]),
  PL: byEleven([6, 5, 7, 2, 3, 4, 5, 6, 7]),
  PT: toEleven(NINE_TO_TWO, { ten: 0, eleven: 0 }),
  RO: romanian,
  SE: (text) => luhn(text.slice(0, 10)),
  SI: toEleven(EIGHT_TO_TWO, { ten: 0, eleven: null }),
  SK: (text) => Number(text) % 11 === 0,
  ZA: luhn,
}
