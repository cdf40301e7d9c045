import { endingOf, longestFirst, regionsOf } from './regions.ts'

/** The English stemmer of Snowball (Porter2), step by step as its authors describe it. Apostrophes never reach it. */

const isVowel = (letter: string) => 'aeiouy'.includes(letter)
const VOWEL = /[aeiouy]/

const KEPT = new Set(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'])
const KEPT_AFTER_PLURAL = new Set(['inning', 'outing', 'canning', 'herring', 'earring', 'proceed', 'exceed', 'succeed'])
const IRREGULAR = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
  }),
)

interface Regions {
  r1: number
  r2: number
}

export function stemEnglish(word: string): string {
  if (word.length <= 2 || KEPT.has(word)) return word
  const irregular = IRREGULAR.get(word)
  if (irregular !== undefined) return irregular
  // A y that is spoken as a consonant is written as a capital until the end.
  const marked = word.replace(/^y/, 'Y').replaceAll(/([aeiouy])y/g, '$1Y')
  const regions = englishRegions(marked)
  const singular = withoutPlural(marked)
  if (KEPT_AFTER_PLURAL.has(singular)) return singular
  const steps = [withoutPast, withFinalI, shortenedSuffix, shorterSuffix, withoutSuffix, withoutFinalE]
  return steps.reduce((stem, step) => step(stem, regions), singular).replaceAll('Y', 'y')
}

function englishRegions(word: string): Regions {
  const prefix = /^(?:gener|commun|arsen)/.exec(word)?.[0]
  const r1 = prefix?.length ?? regionsOf(word, isVowel)
  return { r1, r2: regionsOf(word, isVowel, r1) }
}

const cut = (word: string, ending: string, put = '') => word.slice(0, word.length - ending.length) + put

const endsShort = (word: string) => /(?:^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY])$/.test(word)

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return cut(word, 'es')
  if (/ie[ds]$/.test(word)) return cut(word, 'ies', word.length > 4 ? 'i' : 'ie')
  if (/(?:us|ss)$/.test(word) || !word.endsWith('s')) return word
  return VOWEL.test(word.slice(0, -2)) ? cut(word, 's') : word
}

const PAST = longestFirst(['eed', 'eedly', 'ed', 'edly', 'ing', 'ingly'])

function withoutPast(word: string, { r1 }: Regions): string {
  const ending = endingOf(word, PAST)
  if (ending === null) return word
  const stem = cut(word, ending)
  if (ending.startsWith('eed')) return stem.length >= r1 ? `${stem}ee` : word
  if (!VOWEL.test(stem)) return word
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  // Not of add, egg and the like.
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(stem) && !/^[aeo].{2}$/.test(stem)) return stem.slice(0, -1)
  return r1 >= stem.length && endsShort(stem) ? `${stem}e` : stem
}

const withFinalI = (word: string) => word.replace(/(?<=.[^aeiouy])[yY]$/, 'i')

const SHORTENED: Readonly<Record<string, string>> = {
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  abli: 'able',
  entli: 'ent',
  izer: 'ize',
  ization: 'ize',
  ational: 'ate',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  aliti: 'al',
  alli: 'al',
  fulness: 'ful',
  ousli: 'ous',
  ousness: 'ous',
  iveness: 'ive',
  iviti: 'ive',
  biliti: 'ble',
  bli: 'ble',
  ogi: 'og',
  fulli: 'ful',
  lessli: 'less',
  li: '',
}
const SHORTENED_ENDINGS = longestFirst(Object.keys(SHORTENED))

function shortenedSuffix(word: string, { r1 }: Regions): string {
  const ending = endingOf(word, SHORTENED_ENDINGS)
  if (ending === null) return word
  const stem = cut(word, ending)
  if (stem.length < r1) return word
  if (ending === 'ogi' && !stem.endsWith('l')) return word
  if (ending === 'li' && !/[cdeghkmnrt]$/.test(stem)) return word
  return stem + SHORTENED[ending]!
}

const SHORTER: Readonly<Record<string, string>> = {
  tional: 'tion',
  ational: 'ate',
  alize: 'al',
  icate: 'ic',
  iciti: 'ic',
  ical: 'ic',
  ful: '',
  ness: '',
  ative: '',
}
const SHORTER_ENDINGS = longestFirst(Object.keys(SHORTER))

function shorterSuffix(word: string, { r1, r2 }: Regions): string {
  const ending = endingOf(word, SHORTER_ENDINGS)
  if (ending === null) return word
  const stem = cut(word, ending)
  return stem.length < (ending === 'ative' ? r2 : r1) ? word : stem + SHORTER[ending]!
}

const DROPPED = longestFirst([
  'al',
  'ance',
  'ence',
  'er',
  'ic',
  'able',
  'ible',
  'ant',
  'ement',
  'ment',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'ion',
])

function withoutSuffix(word: string, { r2 }: Regions): string {
  const ending = endingOf(word, DROPPED)
  if (ending === null) return word
  const stem = cut(word, ending)
  if (stem.length < r2 || (ending === 'ion' && !/[st]$/.test(stem))) return word
  return stem
}

function withoutFinalE(word: string, { r1, r2 }: Regions): string {
  const stem = word.slice(0, -1)
  if (word.endsWith('e')) return stem.length >= r2 || (stem.length >= r1 && !endsShort(stem)) ? stem : word
  return word.endsWith('ll') && stem.length >= r2 ? stem : word
}
