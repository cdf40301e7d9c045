import type { Operation } from '../operations.ts'
import { leavesOf } from '../flow/classes.ts'
import { TERMINAL_TYPES, type Widget } from '../schema/widgets.ts'
import { hasRule, isCollected, type Look, type PagePlace, type Place } from './scene.ts'

/** Edits that mend findings, as config_set takes them. */

export const set = (path: string, value: unknown): Operation => ({ op: 'set', path, valueJson: JSON.stringify(value) })
export const remove = (path: string): Operation => ({ op: 'remove', path })

// Well below what a page and a document may hold, as several suggestions may be followed at once.
const MAX_ON_PAGE = 90
const MAX_IN_DOCUMENT = 1950

export function hasRoom({ config }: Look, { page }: PagePlace): boolean {
  const widgets = config.flows.reduce((sum, flow) => sum + flow.pages.reduce((n, { widgets: own }) => n + own.length, 0), 0)
  return page.widgets.length < MAX_ON_PAGE && widgets < MAX_IN_DOCUMENT
}

/** An id that no widget of the flow has, nor any other suggestion of this review. */
export function freeId({ ids }: Look, wanted: string): string {
  const stem = wanted.slice(0, 28).replace(/-+$/, '')
  let id = stem
  for (let n = 2; ids.has(id); n++) id = `${stem}-${n}`
  ids.add(id)
  return id
}

type Position = { before: string } | { after: string } | { at: number } | Record<string, never>

/** A new widget on a page; null where the page has no room left. */
export function insertWidget(
  look: Look,
  page: PagePlace,
  widget: { type: Widget['type']; [key: string]: unknown },
  id: string,
  position: Position,
): Operation | null {
  if (!hasRoom(look, page)) return null
  return { op: 'insert', path: `${page.path}/widgets/${freeId(look, id)}`, valueJson: JSON.stringify(widget), ...position }
}

const CONTENT: ReadonlySet<Widget['type']> = new Set([
  'heading',
  'text',
  'notice',
  'image',
  'video',
  'divider',
  'spacer',
  'accordion',
  'map',
  'countdown',
])

export const isContent = ({ type }: Widget) => CONTENT.has(type)

/** Before the first question of the page, after what introduces it. */
export function beforeQuestions({ page }: PagePlace): Position {
  const first = page.widgets.find((widget) => !isContent(widget))
  return first ? { before: first.id } : {}
}

/** The first page that everybody sees and that is not there to end the flow. */
export const firstOpenPage = ({ pages }: Look): PagePlace | null =>
  pages.find(({ page }) => !hasRule(page) && !page.widgets.some(({ type }) => TERMINAL_TYPES.includes(type))) ?? null

/** The last page that everybody sees before the one that ends the flow, or is left to end it. */
export const lastOpenPage = ({ pages }: Look, fits: (page: PagePlace) => boolean): PagePlace | null =>
  pages.findLast((one) => {
    const { widgets } = one.page
    const ends = widgets.some(({ type }) => TERMINAL_TYPES.includes(type)) || (one.index === pages.length - 1 && widgets.every(isContent))
    return !ends && !hasRule(one.page) && widgets.length > 0 && fits(one)
  }) ?? null

/** Takes a widget out, with its page when nothing else is on it; null when a condition lives on what it asks. */
export function removal(look: Look, place: Place): Operation[] | null {
  const { places, pages, flow } = look
  const own = new Set(place.collected.map(({ binding }) => binding))
  const elsewhere = new Set(places.filter((other) => other !== place).flatMap(({ collected }) => collected.map(({ binding }) => binding)))
  const leaves = flow.pages.flatMap((page) => [page, ...page.widgets]).flatMap(({ showWhen }) => leavesOf(showWhen))
  if (leaves.some(({ binding }) => isCollected(binding, own) && !isCollected(binding, elsewhere))) return null
  const alone = place.page.widgets.length === 1 && place.pageIndex < pages.length - 1 && !isListed(look, place.page.code)
  return [remove(alone ? place.pagePath : place.path)]
}

const isListed = ({ places }: Look, page: string) =>
  places.some(({ widget }) => widget.type === 'answersReview' && (widget.pages?.includes(page) ?? false))
