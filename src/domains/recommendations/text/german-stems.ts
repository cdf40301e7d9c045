import { endingOf, longestFirst, regionsOf } from './regions.ts'

/** The German stemmer of Snowball, step by step as its authors describe it. */

const isVowel = (letter: string) => 'aeiouyäöü'.includes(letter)

interface Regions {
  r1: number
  r2: number
}

export function stemGerman(word: string): string {
  // An u or y between vowels is spoken as a consonant, and written as a capital until the end.
  const marked = word.replaceAll('ß', 'ss').replaceAll(/(?<=[aeiouyäöü])[uy](?=[aeiouyäöü])/g, (letter) => letter.toUpperCase())
  const regions = germanRegions(marked)
  const steps = [withoutCase, withoutComparison, withoutDerivation]
  return steps
    .reduce((stem, step) => step(stem, regions), marked)
    .toLowerCase()
    .replaceAll(/[äöü]/g, (letter) => ({ ä: 'a', ö: 'o', ü: 'u' })[letter]!)
}

function germanRegions(word: string): Regions {
  const r1 = regionsOf(word, isVowel)
  return { r1: Math.max(3, r1), r2: regionsOf(word, isVowel, r1) }
}

const cut = (word: string, ending: string) => word.slice(0, word.length - ending.length)

const CASES = longestFirst(['em', 'ern', 'er', 'e', 'en', 'es', 's'])

function withoutCase(word: string, { r1 }: Regions): string {
  const ending = endingOf(word, CASES)
  if (ending === null) return word
  const stem = cut(word, ending)
  if (stem.length < r1) return word
  if (ending === 's') return /[bdfghklmnrt]$/.test(stem) ? stem : word
  return ['e', 'en', 'es'].includes(ending) && stem.endsWith('niss') ? stem.slice(0, -1) : stem
}

const COMPARISONS = longestFirst(['en', 'er', 'est', 'st'])

function withoutComparison(word: string, { r1 }: Regions): string {
  const ending = endingOf(word, COMPARISONS)
  if (ending === null) return word
  const stem = cut(word, ending)
  if (stem.length < r1) return word
  return ending === 'st' && !/...[bdfghklmnt]$/.test(stem) ? word : stem
}

const DERIVATIONS = longestFirst(['end', 'ung', 'ig', 'ik', 'isch', 'lich', 'heit', 'keit'])

function withoutDerivation(word: string, { r1, r2 }: Regions): string {
  const ending = endingOf(word, DERIVATIONS)
  if (ending === null) return word
  const stem = cut(word, ending)
  if (stem.length < r2) return word
  const without = (inner: readonly string[], from: number) => {
    const before = endingOf(stem, inner)
    return before !== null && stem.length - before.length >= from ? cut(stem, before) : stem
  }
  switch (ending) {
    case 'ig':
    case 'ik':
    case 'isch':
      return stem.endsWith('e') ? word : stem
    case 'lich':
    case 'heit':
      return without(['er', 'en'], r1)
    case 'keit':
      return without(['lich', 'ig'], r2)
    default:
      return stem.endsWith('eig') ? stem : without(['ig'], r2)
  }
}
