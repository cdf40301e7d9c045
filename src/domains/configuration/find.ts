import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { pageOf, pinOf } from '../../kernel/page.ts'
import { type Pattern, patternOf } from '../../kernel/patterns.ts'
import { giveWay } from '../../kernel/turns.ts'
import { excerptOf } from './excerpts.ts'
import { type Rank, RANKS, type Wanted, wantedPattern, wantedWords } from './find-ranks.ts'
import { cutTo, labelOf, summaryOf } from './labels.ts'
import { follow, isRecord, isUnder, lookingInto, noSuch, parsePointer } from './pointers.ts'
import { type Configuration, readConfig } from './read.ts'
import { plainText } from './rich-text.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { type ConfigNode, ROOT } from './schema/nodes.ts'
import { type SearchTexts, searchTextsOf, type Spot } from './search-texts.ts'

export const SELECTORS = ['text', 'regex', 'binding', 'references', 'type'] as const

export interface FindRequest {
  text?: string | undefined
  regex?: string | undefined
  binding?: string | undefined
  references?: string | undefined
  type?: string | undefined
  /** Only at or below this pointer, translations of what is there among them. */
  in?: string | undefined
  keysOnly?: boolean | undefined
}

export interface Match {
  path: string
  title: string
  excerpt: string
  matched: 'key' | 'value' | 'reference'
  context: string
}

interface Hit {
  spot: Spot
  matched: Match['matched']
  /** Where in what was written the reason stands. */
  place: (written: string) => [number, number]
}

interface Searched {
  hits: readonly Hit[]
  /** Places that were not looked at, because the pattern had read enough. */
  unread: { places: number; after: number } | null
}

export interface Found extends Searched {
  /** Made for the ones that are shown only: there may be thousands. */
  toMatch: (hit: Hit) => Match
}

/** All places of a document that fit, each once, the best first and otherwise in the order of the document. */
export function findInDocument({ document, facts }: Pick<Configuration, 'document' | 'facts'>, request: FindRequest): Found {
  const selector = selectorOf(request)
  const all = searchTextsOf(document)
  const within = request.in === undefined ? '' : existing(document, request.in, 'in')
  const texts = within === '' ? all : { ...all, spots: all.spots.filter((spot) => isWithin(spot, within)) }
  const { hits, unread } = HITS[selector](texts, document, request[selector]!, request.keysOnly ?? false)
  return {
    hits: within === '' ? hits : hits.filter(({ spot }) => isWithin(spot, within)),
    unread,
    toMatch: (hit) => matchOf(hit, facts.currency),
  }
}

const isWithin = ({ path, original }: Spot, prefix: string) =>
  isUnder(path, prefix) || (original !== null && isUnder(original.path, prefix))

function selectorOf(request: FindRequest): (typeof SELECTORS)[number] {
  const given = SELECTORS.filter((name) => request[name] !== undefined)
  const [selector] = given
  if (selector === undefined || given.length > 1) {
    const message = selector === undefined ? 'say what to find' : `${given.join(' and ')} cannot be combined`
    throw invalidArguments(
      (selector === undefined ? ['text'] : given).map((path) => ({
        path,
        message: `${message}: give exactly one of ${SELECTORS.join(', ')}`,
      })),
    )
  }
  if (request.keysOnly && selector !== 'text' && selector !== 'regex') {
    throw invalidArguments([{ path: 'keysOnly', message: `goes with text or regex, not with ${selector}` }])
  }
  return selector
}

type Search = (texts: SearchTexts, document: ConfigDocument, wanted: string, keysOnly: boolean) => Searched

const HITS: Record<(typeof SELECTORS)[number], Search> = {
  text: (texts, _document, wanted, keysOnly) => ranked(texts, wantedWords(wanted), keysOnly),
  regex(texts, _document, wanted, keysOnly) {
    const pattern = patternOf(wanted)
    if (!pattern)
      throw invalidArguments([
        {
          path: 'regex',
          message: `RE2 cannot compile ${JSON.stringify(wanted.slice(0, 80))}: it has neither look-ahead nor back references, and repeats a few hundred signs at most`,
        },
      ])
    return ranked(texts, wantedPattern(pattern), keysOnly, readBy(pattern))
  },
  binding(texts, _document, wanted) {
    if (!/^@?[A-Za-z]+(\.[\w-]+)+$/.test(wanted)) {
      throw invalidArguments([
        { path: 'binding', message: `${JSON.stringify(wanted.slice(0, 80))} is no data field: write it like @custom.diet` },
      ])
    }
    const name = wanted.replace(/^@/, '')
    return referring(texts, ({ target, written }) => {
      const own = written.replace(/^@/, '')
      return (target === 'binding' || target === 'token') && (own === name || own.startsWith(`${name}.`))
    })
  },
  references(texts, document, wanted) {
    const segments = parsePointer(wanted, 'references')
    const named = follow(document, segments)
    const referringTo = (target: string) => referring(texts, ({ to }) => to !== null && isUnder(to, target))
    const found = referringTo(named.left.length === 0 ? named.place.path : wanted)
    // What is gone may still be referred to, and that is worth finding.
    if (named.left.length === 0 || found.hits.length > 0) return found
    const { place, left } = follow(document, segments, { byIndex: true })
    if (left.length > 0) throw renamed(noSuch(place, left[0]!), 'references')
    return referringTo(place.path)
  },
  type(texts, _document, wanted) {
    const known = itemTypes()
    const type = known.find((one) => one.toLowerCase() === wanted.toLowerCase())
    if (type === undefined) {
      const near = nearest(wanted, known)
      const message = `${JSON.stringify(wanted.slice(0, 60))} is no widget, block or response type${near ? ` — did you mean ${near}?` : ''}`
      throw invalidArguments([{ path: 'type', message, allowed: near ? [near] : known }])
    }
    const spots = texts.spots.filter((spot) => typeOf(spot) === type)
    return { hits: spots.map((spot) => ({ spot, matched: 'value', place: () => [0, 0] })), unread: null }
  },
}

/** In characters, and in characters times instructions: a pattern takes its time over each of them, and meanwhile nobody else is served. */
const MAX_READ = 250_000
const MAX_STEPS = 40_000_000

const readBy = ({ size }: Pattern) => Math.min(MAX_READ, Math.floor(MAX_STEPS / (size + 20)))

const lengthOf = ({ key, segment, text }: Spot, keysOnly: boolean) =>
  (key === null ? 0 : segment.length) + (keysOnly ? 0 : (text?.length ?? 0))

function ranked({ spots }: SearchTexts, wanted: Wanted, keysOnly: boolean, most = Infinity): Searched {
  const found: [Hit[], Hit[], Hit[], Hit[]] = [[], [], [], []]
  let left = most
  for (const [index, spot] of spots.entries()) {
    left -= lengthOf(spot, keysOnly)
    if (left < 0) return { hits: found.flat(), unread: { places: spots.length - index, after: most } }
    const key: Rank | null = spot.key === null ? null : wanted.inKey(spot)
    const text = keysOnly || key === RANKS.key ? null : wanted.inText(spot)
    if (key !== null && (text === null || key <= text)) found[key].push({ spot, matched: 'key', place: () => [0, 0] })
    else if (text !== null)
      found[text].push({ spot, matched: refers(spot) ? 'reference' : 'value', place: (text) => wanted.place(text, spot) })
  }
  return { hits: found.flat(), unread: null }
}

const refers = ({ node: { word } }: Spot) => Boolean(word.ref ?? word.binding ?? word.condition ?? word.leadField)

/** A place that refers twice is one place to change. */
function referring(texts: SearchTexts, fits: (reference: ReturnType<SearchTexts['references']>[number]) => boolean): Searched {
  const first = new Map<Spot, string>()
  for (const reference of texts.references()) {
    if (!fits(reference)) continue
    const spot = texts.at(reference.kind === 'translation' ? `${reference.from}/text` : reference.from)
    if (spot && !first.has(spot)) first.set(spot, reference.written)
  }
  const hits = [...first]
    .sort(([a], [b]) => a.order - b.order)
    .map(([spot, written]): Hit => ({
      spot,
      matched: 'reference',
      place: (text) => [Math.max(text.indexOf(written), 0), text.indexOf(written) + written.length],
    }))
  return { hits, unread: null }
}

/** Items say what they are by their type, questions by what they take for an answer. */
function typeOf({ key, value }: Spot): unknown {
  return key === 'item' && isRecord(value) ? (value.responseType ?? value.type) : undefined
}

let types: string[] | null = null

/** Every type that an item of the document can have, read off the schema. */
function itemTypes(): string[] {
  const seen = new Set<ConfigNode>()
  const found = new Set<string>()
  const visit = (node: ConfigNode, item: boolean): void => {
    if (seen.has(node)) return
    seen.add(node)
    if (node.kind === 'list') visit(node.item, node.key !== null)
    if (node.kind === 'union')
      for (const [type, option] of node.options) {
        found.add(type)
        visit(option, false)
      }
    if (node.kind !== 'object') return
    const own = node.fields.get('responseType') ?? node.fields.get('type')
    if (item && own?.kind === 'value') own.allowed?.forEach((type) => found.add(type))
    for (const field of node.fields.values()) visit(field, false)
  }
  if (types === null) visit(ROOT, false)
  return (types ??= [...found].sort())
}

/** The pointer as it should be written; refused with what it could have meant. */
function existing(document: ConfigDocument, pointer: string, argument: string): string {
  const { place, left } = follow(document, parsePointer(pointer, argument), { byIndex: true })
  if (left.length > 0) throw renamed(noSuch(place, left[0]!), argument)
  return place.path
}

/** The refusal with the name that the argument has here. */
function renamed({ code, message, details }: AppError, argument: string) {
  return new AppError(code, message, { ...details, fields: (details.fields ?? []).map((field) => ({ ...field, path: argument })) })
}

function matchOf({ spot, matched, place }: Hit, currency: string): Match {
  const html = spot.node.word.html ?? spot.original?.node.word.html
  const text = spot.text !== null && html ? plainText(spot.text) : spot.text
  const shown = matched === 'key' || text === null ? summaryOf(spot.node, spot.value, { currency }) : excerptOf(text, place)
  return { path: spot.path, title: titleOf(spot), excerpt: shown, matched, context: contextOf(spot) }
}

const titleOf = (spot: Spot): string => {
  if (spot.original) return titleOf(spot.original)
  return (spot.key === 'item' ? labelOf(spot.value) : null) ?? spot.node.title
}

const MAX_CONTEXT = 160

/** The items it stands in, from the outside: flow › page › widget. What stands in none is told by its section. */
function contextOf(spot: Spot): string {
  if (spot.original) return cutTo([contextOf(spot.original), localeOf(spot)].filter(Boolean).join(' › '), MAX_CONTEXT)
  const names: string[] = []
  let section = ''
  for (let outer = spot.parent; outer?.parent; outer = outer.parent) {
    if (outer.key === 'item') names.unshift(labelOf(outer.value) ?? outer.segment)
    section = outer.node.title
  }
  return cutTo(names.length > 0 ? names.join(' › ') : section, MAX_CONTEXT)
}

const localeOf = ({ path }: Spot) => parsePointer(path)[1] ?? ''

/** One page of the matches. Positions mean something only in the document they were counted in, so a cursor goes with its revision. */
export async function findConfig(
  ctx: EventContext,
  { source, limit, cursor, ...request }: FindRequest & { source: string; limit: number; cursor?: string | undefined },
) {
  // A cursor of something else is told as such, whatever else is wrong.
  pinOf(ctx, { limit, cursor })
  const configuration = await readConfig(ctx, source)
  await giveWay()
  searchTextsOf(configuration.document)
  await giveWay()
  const { hits, unread, toMatch } = lookingInto(source, () => findInDocument(configuration, request))
  const { version, facts } = configuration
  const { items, ...page } = pageOf(
    ctx,
    { limit, cursor },
    {
      rows: hits,
      shape: toMatch,
      pin: version === null ? `draft ${facts.draftRevision}` : `version ${version}`,
      moved: `belongs to an earlier state of ${source === 'draft' ? `the draft, which is now at revision ${facts.draftRevision}` : source}; leave it out to start from page one`,
    },
  )
  return { matches: items, total: hits.length, ...page, ...unreadNote(unread, page.note) }
}

function unreadNote(unread: Found['unread'], note: string | undefined): { truncated?: true; note?: string } {
  if (unread === null) return {}
  const own = `The pattern was tried on the first ${unread.after} characters; ${unread.places} places after them were not read, nor counted: pass in, such as /products, to search a part.`
  return { truncated: true, note: note === undefined ? own : `${note} ${own}` }
}
