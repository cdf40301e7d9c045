import MiniSearch, { type SearchResult } from 'minisearch'
import { findMostSimilarName, listMostSimilarNames } from '../../../kernel/nearest.ts'
import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { type ExcerptPart, buildSearchExcerpt } from './excerpt.ts'
import type { DocPage } from './library.ts'
import { listQueryWords, listSearchTerms } from './terms.ts'

export interface SearchHit {
  href: string
  name: string
  /** The page, section or group that contains the search hit; null for a page of the guide. */
  where: string | null
  excerpt: readonly ExcerptPart[]
}

export interface SearchResults {
  /** The best hits, at most 30. */
  hits: readonly SearchHit[]
  /** The number of all hits. */
  total: number
  /** Misspelled words and the known word each was replaced by. */
  taken: readonly { typed: string; meant: string }[]
  /** Known words to try instead, if nothing was found. */
  instead: readonly string[]
}

export type SearchDocs = (query: string) => SearchResults

const MAX_HITS = 30
const MAX_WORDS = 8
/** Maximum number of hits in one page of the documentation. */
const HITS_PER_PAGE = 3

/** Ranking weight of a search match, by field. */
const BOOST = { name: 12, title: 4, text: 1, code: 0.3 }
const WEIGHTS = { prefix: 0.6, fuzzy: 0.4 }
/** Maximum edit distance of a misspelled word, in relation to its length. Two swapped letters count as two edits. */
const FUZZINESS = 0.34
const MAX_EDITS = 3

interface Place {
  page: DocPage
  section: DocPage['sections'][number]
  /** Rank of the indexed text: whole pages rank above sections, sections of guides above sections of tool pages. */
  level: number
}

/** Builds the search index over all pages, once at startup. */
export function* docsSearch(pages: readonly DocPage[]): CooperativeTask<SearchDocs> {
  const places = pages.flatMap(placesOf)
  const index = new MiniSearch({
    fields: Object.keys(BOOST),
    tokenize: listSearchTerms,
    processTerm: (term) => term,
    searchOptions: { boost: BOOST, weights: WEIGHTS, boostDocument: (id: number) => places[id]!.level },
  })
  for (const [id, place] of places.entries()) {
    index.add({ id, ...fieldsOf(place) })
    yield
  }

  const find = (words: readonly string[]) =>
    index.search(words.join(' '), { tokenize: () => [...words], prefix: (word) => word.length >= 2 })
  /** Lists known words that differ from an unknown word in a few characters, the most relevant first. */
  const similarTo = (word: string) => [
    ...new Set(index.search(word, { tokenize: () => [word], fuzzy: FUZZINESS, maxFuzzy: MAX_EDITS }).flatMap(({ terms }) => terms)),
  ]

  return (query) => {
    const asked = listQueryWords(query).slice(0, MAX_WORDS)
    const words = asked.map((typed) => {
      const meant = typed.length < 3 || find([typed]).length > 0 ? null : findMostSimilarName(typed, similarTo(typed))
      return { typed, meant }
    })
    const results = find(words.map(({ typed, meant }) => meant ?? typed))
    const found = fewOfEach(ranked(results).map(({ id }) => places[id as number]!))
    const hits = found.slice(0, MAX_HITS)
    const marked = new Set(results.flatMap(({ terms }) => terms))
    return {
      hits: hits.map((place) => hitOf(place, marked)),
      total: found.length,
      taken: words.flatMap(({ typed, meant }) => (meant === null ? [] : [{ typed, meant }])),
      instead: hits.length > 0 ? [] : [...new Set(asked.flatMap((typed) => listMostSimilarNames(typed, similarTo(typed), 3)))].slice(0, 6),
    }
  }
}

/** Ranks search results: a section that has every word comes before a section that has some of them often. */
function ranked(results: readonly SearchResult[]): SearchResult[] {
  const scoreOf = ({ score, queryTerms }: SearchResult) => score * queryTerms.length ** 4
  return results.toSorted((a, b) => scoreOf(b) - scoreOf(a))
}

/**
 * Lists the texts of a page for the search index. An index page is found by its title only, because the pages that it lists have entries of
 * their own.
 */
const placesOf = (page: DocPage): Place[] =>
  page.sections
    .filter(({ heading }) => !page.lists || heading.level === 1)
    .map((section) => ({ page, section, level: section.heading.level === 1 ? 1.3 : page.under ? 0.5 : 1 }))

function fieldsOf({ page, section: { heading, text, code } }: Place): Partial<Record<keyof typeof BOOST, string>> {
  if (page.lists) return { name: heading.text, title: page.title }
  // All tool pages have the same section headings, so these are indexed as body text and not as titles.
  // Examples on tool pages come from the demo and are not indexed.
  if (page.under && heading.level > 1) return { title: page.title, text: `${heading.text} ${text}` }
  return { name: heading.text, title: page.title, text, ...(page.under ? {} : { code }) }
}

function fewOfEach(places: readonly Place[]): Place[] {
  const counts = new Map<DocPage, number>()
  return places.filter(({ page }) => {
    const count = (counts.get(page) ?? 0) + 1
    counts.set(page, count)
    // A tool page is listed once, however many of its sections match.
    return count <= (page.under ? 1 : HITS_PER_PAGE)
  })
}

const hitOf = ({ page, section: { heading, text } }: Place, marked: ReadonlySet<string>): SearchHit => ({
  href: heading.level === 1 ? page.path : `${page.path}#${heading.id}`,
  ...namesOf(page, heading),
  excerpt: buildSearchExcerpt(text, marked),
})

/** Returns the title of a search hit (the tool on a tool page, otherwise the heading), and the page or group that contains it. */
function namesOf(page: DocPage, heading: Place['section']['heading']): Pick<SearchHit, 'name' | 'where'> {
  if (heading.level === 1) return { name: page.title, where: page.under ? `in ${page.group}` : null }
  return page.under ? { name: page.title, where: `in ${page.group}, under ${heading.text}` } : { name: heading.text, where: `in ${page.title}` }
}
