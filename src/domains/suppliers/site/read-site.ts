import { AppError, notFound } from '../../../kernel/errors.ts'
import type { Fetcher, FetchResponse } from '../../../kernel/fetcher.ts'
import { readContactsFromLinks } from './contacts.ts'
import { chooseMostReliableFacts, type SupplierFact, toSupplierFacts } from './facts.ts'
import { type HtmlPage, parseHtmlPage } from './html.ts'
import { readJsonLd } from './json-ld.ts'
import { readOpenGraph } from './open-graph.ts'
import { mergeMeetingRooms, readMeetingRoomTables } from './tables.ts'

const MAX_LINKED_PAGES = 5
const MAX_PAGE_BYTES = 2 * 1024 * 1024

/** Words in the paths of pages that probably describe rooms or contacts; such pages are read first. */
const LIKELY = [
  /meeting|conference|event|venue|capacit|function|banquet|tagung|veranstaltung|konferenz|reunion|congres/i,
  /room|space|saal|salle|sala|factsheet|technical/i,
  /contact|kontakt|about|impressum|location/i,
]

/** Reads facts about a supplier from its page and up to five other pages of the same site. */
export async function readSupplierWebsite(fetcher: Fetcher, url: string): Promise<{ url: string; facts: SupplierFact[] }> {
  const first = await fetchPage(fetcher, url)
  const pages = [parseHtmlPage(toText(first))]
  for (const linked of listLinkedPages(pages[0]!, first.url)) {
    const page = await fetchPage(fetcher, linked).catch(ignoreFailure)
    if (page && hostOf(page.url) === hostOf(first.url)) pages.push(parseHtmlPage(toText(page)))
  }
  const address = new URL(first.url)
  const website = `${address.origin}${address.pathname === '/' ? '' : address.pathname}`
  const facts = chooseMostReliableFacts([...mergePages(pages), ...toSupplierFacts({ website }, { source: 'page', confidence: 'high' })])
  // A page describes a supplier only if it has facts besides a name, because every web page has a name.
  if (!facts.some(({ name }) => name === 'name') || facts.every(({ name }) => name === 'name' || name === 'website' || name === 'kind'))
    throw notFound('No facts about a supplier were found on this page. Give the page of the hotel or venue itself, or its name and city')
  return { url: website, facts }
}

function mergePages(pages: readonly HtmlPage[]): SupplierFact[] {
  const described = pages.flatMap(({ jsonLd }) => readJsonLd(jsonLd))
  const stated = described.flatMap((fact) => (fact.name === 'meetingRooms' ? fact.value : []))
  const listed = readMeetingRoomTables(pages.flatMap(({ tables }) => tables))
  const rooms = mergeMeetingRooms([...listed, ...stated])
  return [
    ...described.filter(({ name }) => name !== 'meetingRooms'),
    ...toSupplierFacts(
      { meetingRooms: rooms },
      listed.length > 0 ? { source: 'table', confidence: 'medium' } : { source: 'json-ld', confidence: 'high' },
    ),
    ...toSupplierFacts({ contacts: readContactsFromLinks(pages.flatMap(({ links }) => links)) }, { source: 'link', confidence: 'medium' }),
    ...pages.flatMap(({ meta }) => readOpenGraph(meta)),
  ]
}

async function fetchPage(fetcher: Fetcher, url: string): Promise<FetchResponse> {
  const page = await fetcher.fetch(url, { accept: ['text/html', 'application/xhtml+xml'], maxBytes: MAX_PAGE_BYTES })
  if (page.status !== 200) throw new AppError('unavailable', `The address responded with the status ${page.status}`)
  return page
}

const ignoreFailure = (error: unknown): null => {
  if (error instanceof AppError) return null
  throw error
}

function toText({ body, headers }: FetchResponse): string {
  const [, charset] = /charset=["']?([\w-]+)/i.exec(headers['content-type'] ?? '') ?? []
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(body)
  } catch {
    return body.toString('utf8')
  }
}

const hostOf = (url: string) => new URL(url).host.replace(/^www\./, '')

/** Lists URLs of other pages of the same site, the most promising first. */
function listLinkedPages({ links }: HtmlPage, from: string): string[] {
  const seen = new Map<string, number>()
  for (const { href, text } of links) {
    if (!URL.canParse(href, from)) continue
    const url = new URL(href, from)
    url.hash = ''
    const isPage = /^https?:$/.test(url.protocol) && !/\.(?:pdf|jpe?g|png|gif|webp|svg|zip|docx?|xlsx?|mp4)$/i.test(url.pathname)
    if (!isPage || hostOf(url.href) !== hostOf(from) || url.href === new URL(from).href || seen.has(url.href)) continue
    const rank = LIKELY.findIndex((pattern) => pattern.test(`${url.pathname} ${text}`))
    seen.set(url.href, rank < 0 ? LIKELY.length : rank)
  }
  return [...seen]
    .toSorted(([, a], [, b]) => a - b)
    .slice(0, MAX_LINKED_PAGES)
    .map(([url]) => url)
}
