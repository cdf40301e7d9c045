import { nearest, nearestFew } from '../../../kernel/nearest.ts'
import type { InParts } from '../../../kernel/turns.ts'
import { type Part, excerptOf } from './excerpt.ts'
import type { DocPage } from './library.ts'
import { askedIn, termsOf } from './terms.ts'

export interface Hit {
  href: string
  name: string
  /** Where that is, unless it is a page of its own. */
  where: string | null
  excerpt: readonly Part[]
}

export interface Found {
  hits: readonly Hit[]
  /** What a word that is nowhere was taken for. */
  taken: readonly { typed: string; meant: string }[]
  /** Words of the documentation to try instead, where nothing was found. */
  instead: readonly string[]
}

export type SearchDocs = (query: string) => Found

const MAX_HITS = 30
const MAX_WORDS = 8
/** A page that says much of something is one answer, not thirty. */
const HITS_PER_PAGE = 3

/** How much a word counts by where it stands, and by how it was found. */
const PLACE = { name: 12, title: 4, text: 1, code: 0.3 }
const HOW = { exact: 1, beginning: 0.6, slip: 0.4 }

interface Place {
  page: DocPage
  section: DocPage['sections'][number]
  /** Words of a page itself count more than those of a part of it. */
  level: number
}

/** Everything that can be found, by word: made once, when the pages are. */
export function* docsSearch(pages: readonly DocPage[]): InParts<SearchDocs> {
  const places = pages.flatMap(placesOf)
  const postings = yield* postingsOf(places)
  const known = [...postings.keys()].toSorted()
  const near = yield* neighbourIn(known)

  /** The words meant by one that was typed, each with how sure that is. */
  function meant(typed: string): Map<string, number> {
    const found = new Map<string, number>()
    if (postings.has(typed)) found.set(typed, HOW.exact)
    if (typed.length >= 2) for (const word of beginningWith(known, typed)) if (word !== typed) found.set(word, HOW.beginning)
    const slip = found.size === 0 ? near(typed) : null
    if (slip !== null) for (const word of [slip, ...beginningWith(known, slip)]) found.set(word, HOW.slip)
    return found
  }

  return (query) => {
    const asked = askedIn(query).slice(0, MAX_WORDS)
    const words = asked.map((typed) => ({ typed, meant: meant(typed) }))
    const rarity = words.map((word) => rarityOf(word.meant, postings, places.length))
    const all = rarity.reduce((sum, one) => sum + one, 0)
    const scores = new Map<number, { score: number; covered: number }>()
    for (const [i, word] of words.entries()) {
      for (const [place, points] of bestPoints(word.meant, postings)) {
        const so = scores.get(place) ?? { score: 0, covered: 0 }
        scores.set(place, { score: so.score + points * rarity[i]!, covered: so.covered + rarity[i]! })
      }
    }
    // A place that has every word comes before one that has some of them often.
    const ranked = [...scores]
      .map(([place, { score, covered }]) => ({ place: places[place]!, score: score * places[place]!.level * (covered / all) ** 3 }))
      .toSorted((a, b) => b.score - a.score)
    const marked = new Set(words.flatMap((word) => [...word.meant.keys()]))
    const hits = fewOfEach(ranked.map(({ place }) => place)).map((place) => hitOf(place, marked))
    return {
      hits,
      taken: words.flatMap((word) => {
        const [best] = word.meant
        return best && best[1] === HOW.slip ? [{ typed: word.typed, meant: best[0] }] : []
      }),
      instead: hits.length > 0 ? [] : [...new Set(asked.flatMap((typed) => nearestFew(typed, known, 3)))].slice(0, 6),
    }
  }
}

/** Of a page that only lists others, its own name; those it lists speak for themselves. */
const placesOf = (page: DocPage): Place[] =>
  page.sections
    .filter(({ heading }) => !page.lists || heading.level === 1)
    .map((section) => ({ page, section, level: section.heading.level === 1 ? 1.3 : page.under ? 0.5 : 1 }))

function* postingsOf(places: readonly Place[]): InParts<Map<string, Map<number, number>>> {
  const postings = new Map<string, Map<number, number>>()
  for (const [at, { page, section }] of places.entries()) {
    yield
    const add = (text: string, weight: number) => {
      for (const term of termsOf(text)) {
        const posting = postings.get(term) ?? new Map<number, number>()
        postings.set(term, posting)
        // The second time says less than the first.
        posting.set(at, (posting.get(at) ?? 0) + weight / (1 + (posting.get(at) ?? 0) / weight))
      }
    }
    // Every tool has arguments and errors: that is no name.
    add(section.heading.text, page.under && section.heading.level > 1 ? PLACE.text : PLACE.name)
    add(page.title, PLACE.title)
    if (page.lists) continue
    add(section.text, PLACE.text)
    // What the examples of tools hold is of the demo.
    if (!page.under) add(section.code, PLACE.code)
  }
  return postings
}

const rarityOf = (meant: ReadonlyMap<string, number>, postings: ReadonlyMap<string, ReadonlyMap<number, number>>, places: number) => {
  const most = Math.max(1, ...[...meant.keys()].map((word) => postings.get(word)!.size))
  return Math.log(1 + places / most)
}

/** A place counts once for a word, however many of its meanings stand there. */
function bestPoints(meant: ReadonlyMap<string, number>, postings: ReadonlyMap<string, ReadonlyMap<number, number>>): Map<number, number> {
  const best = new Map<number, number>()
  for (const [word, sure] of meant)
    for (const [place, points] of postings.get(word)!) best.set(place, Math.max(best.get(place) ?? 0, points * sure))
  return best
}

function fewOfEach(ranked: readonly Place[]): Place[] {
  const counts = new Map<DocPage, number>()
  return ranked
    .filter(({ page }) => {
      const count = (counts.get(page) ?? 0) + 1
      counts.set(page, count)
      // A tool is one answer, whichever part of its page it is in.
      return count <= (page.under ? 1 : HITS_PER_PAGE)
    })
    .slice(0, MAX_HITS)
}

const hitOf = ({ page, section: { heading, text } }: Place, marked: ReadonlySet<string>): Hit => ({
  href: heading.level === 1 ? page.path : `${page.path}#${heading.id}`,
  ...namesOf(page, heading),
  excerpt: excerptOf(text, marked),
})

/** A tool is known by its name, whichever part of its page was found; of other pages the part is what says something. */
function namesOf(page: DocPage, heading: Place['section']['heading']): Pick<Hit, 'name' | 'where'> {
  if (heading.level === 1) return { name: page.title, where: null }
  return page.under ? { name: page.title, where: `under ${heading.text}` } : { name: heading.text, where: `in ${page.title}` }
}

/** Of a sorted list. */
function beginningWith(known: readonly string[], start: string): string[] {
  let [low, high] = [0, known.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (known[middle]! < start) low = middle + 1
    else high = middle
  }
  const found: string[] = []
  for (let at = low; at < known.length && known[at]!.startsWith(start); at++) found.push(known[at]!)
  return found
}

const MAX_COMPARED = 60

/** Of the words that share most pairs of letters with one that is nowhere, the one that is a slip or two away. */
function* neighbourIn(known: readonly string[]): InParts<(typed: string) => string | null> {
  const byPair = new Map<string, number[]>()
  for (const [at, word] of known.entries()) {
    for (const pair of pairsOf(word)) {
      const words = byPair.get(pair) ?? []
      words.push(at)
      byPair.set(pair, words)
    }
    yield
  }
  return (typed) => {
    if (typed.length < 3) return null
    const shared = new Map<number, number>()
    for (const pair of pairsOf(typed)) for (const at of byPair.get(pair) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1)
    const likely = [...shared]
      .toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, MAX_COMPARED)
      .map(([at]) => known[at]!)
    return nearest(typed, likely)
  }
}

const pairsOf = (word: string): Set<string> => {
  const framed = `^${word}$`
  return new Set(Array.from({ length: framed.length - 1 }, (_, at) => framed.slice(at, at + 2)))
}
