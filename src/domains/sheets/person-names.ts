export interface PersonName {
  prefix: string
  firstName: string
  lastName: string
  suffix: string
}

const words = (text: string) => new Set(text.split(' '))

/** Name particles, such as "van" and "de", that belong to the following last name. */
const PARTICLES = words(
  'van von vom zu zum zur der den dem de da das do dos del della delle di du des d la las le les los lo ter ten te tot bin ibn ben bint al el abu af av y e san santa st saint mac mc',
)
const TITLES = words(
  'mr mrs ms miss mx sir dame lady lord dr prof professor doctor herr frau hr fr dipl ing mag m mme mlle madame monsieur mademoiselle sr sra srta don dona sig sra dott dottssa avv dhr mevr mw ir drs eng rev hon',
)
const SUFFIXES = words('jr sr ii iii iv phd md esq mba msc bsc ma ba dds cpa pe mdphd dphil llm frcs obe cbe')

const bare = (word: string) =>
  word
    .normalize('NFKD')
    .replace(/[\p{M}.'’]/gu, '')
    .toLowerCase()
const isSuffix = (part: string) =>
  part.trim() !== '' &&
  part
    .trim()
    .split(/\s+/)
    .every((word) => SUFFIXES.has(bare(word)))

/**
 * Splits a full name into first and last name. "Last, First" is split at the comma; otherwise the last word with its preceding particles is
 * the last name. Titles and suffixes are removed first.
 */
export function splitName(text: string): PersonName {
  const parts = text
    .replace(/\s+/g, ' ')
    .trim()
    .split(/\s*,\s*/)
    .filter(Boolean)
  const suffixes = parts.slice(1).filter(isSuffix)
  const [one = '', two, ...more] = parts.filter((part, index) => index === 0 || !isSuffix(part))
  const prefixes: string[] = []
  const own = (part: string): string[] => {
    const left = part.split(' ')
    while (left.length > 1 && isTitle(left[0]!)) prefixes.push(left.shift()!)
    while (left.length > 1 && SUFFIXES.has(bare(left.at(-1)!)) && !isInitial(left.at(-1)!)) suffixes.unshift(left.pop()!)
    return left.filter(Boolean)
  }
  const [first, last] = two === undefined ? splitWords(own(one)) : [[...own([two, ...more].join(' '))], own(one)]
  return { prefix: prefixes.join(' '), firstName: first.join(' '), lastName: last.join(' '), suffix: suffixes.join(' ') }
}

/** Whether the word is an initial (a letter with a dot), not a title. */
const isInitial = (word: string) => /^\p{L}\.$/u.test(word)
const isTitle = (word: string) => TITLES.has(bare(word)) && !isInitial(word)

function splitWords(parts: readonly string[]): [first: string[], last: string[]] {
  let at = parts.length - 1
  while (at > 0 && PARTICLES.has(bare(parts[at - 1]!))) at--
  // "Al Gore" and "La Toya Jackson" start with a given name that looks like a particle; particles are written in lower case.
  if (at === 0 && parts.length > 1 && /^\p{Lu}/u.test(parts[0]!)) at = 1
  return [parts.slice(0, at), parts.slice(Math.max(at, 0))]
}
