import type { InParts } from '../../../kernel/turns.ts'
import type { Operation } from '../operations.ts'
import { TERMINAL_TYPES } from '../schema/widgets.ts'
import { conditionedIn } from './order.ts'
import { hasRoom, insertWidget, isContent, remove } from './repairs.ts'
import {
  asksSomethingRequired,
  capital,
  error,
  type Finding,
  filledIn,
  hasRule,
  info,
  type Look,
  pageName,
  type PagePlace,
  type Place,
  placeName,
  someOf,
  warning,
} from './scene.ts'
import { type Someone, unforeseen, type Wanted } from './someone.ts'
import { inputsOf } from './stats.ts'

/** F02 to F06, F13 and F16: who sees what. */
export function* reviewReachability(look: Look, someone: Someone, broken: ReadonlySet<string>): InParts<Finding[]> {
  const unknown = unforeseen(look, filledIn(look.scene, look.flow))
  const open = ({ page }: PagePlace) => !hasRule(page) || mentions(page.showWhen, unknown)
  const seen = new Map(look.pages.map((page) => [page.index, open(page) || someone.sees([page, 'shown'])]))
  const shown = ({ index }: PagePlace) => seen.get(index) ?? null
  const reached = look.pages.filter((page) => shown(page) !== false)
  const told = (path: string) => broken.has(`${path}/showWhen`)
  const undecided = { F02: [] as string[], F03: [] as string[], F04: [] as string[] }

  const findings: Finding[] = []
  for (const page of look.pages) {
    const verdict = shown(page)
    if (verdict === null) undecided.F04.push(pageName(page.page))
    if (verdict === false && !told(page.path))
      findings.push(error('F04', page.path, `Nobody can ever get to ${pageName(page.page)}: its rules exclude each other.`))
  }
  for (const place of look.places) {
    yield
    const page = look.pages[place.pageIndex]!
    if (!hasRule(place.widget) || !asksSomethingRequired(place) || told(place.path) || shown(page) === false) continue
    if (mentions(place.widget.showWhen, unknown) || mentions(page.page.showWhen, unknown)) continue
    const verdict = someone.sees([place, 'shown'])
    if (verdict === null) undecided.F02.push(placeName(look, place))
    if (verdict === false)
      findings.push(error('F02', place.path, `${capital(placeName(look, place))} must be answered, but nobody can ever see it.`))
  }
  findings.push(...(yield* alwaysTrue(look, someone, { told, reached, unknown, undecided: undecided.F03 })))
  for (const [code, names] of Object.entries(undecided)) findings.push(...notDecided(look, code, names))
  return [
    ...findings,
    ...withoutEnd(look, someone, reached),
    ...notAtTheEnd(look),
    ...(yield* tooMuch(look, someone, reached)),
    ...(yield* emptyPages(look, someone, reached)),
  ]
}

/** One line for all that was given up. */
export const notDecided = ({ path }: Look, code: string, names: readonly string[]): Finding[] =>
  names.length === 0
    ? []
    : [info(code, `${path}/pages`, `undecided: there are too many combinations of answers and tags to work this out for ${someOf(names)}.`)]

interface Known {
  told: (path: string) => boolean
  reached: readonly PagePlace[]
  unknown: ReadonlySet<string>
  undecided: string[]
}

function* alwaysTrue(look: Look, someone: Someone, { told, reached, unknown, undecided }: Known): InParts<Finding[]> {
  const open = new Set(reached.map(({ page }) => page))
  const findings: Finding[] = []
  for (const { at, condition } of conditionedIn(look)) {
    yield
    const path = `${at.path}/showWhen`
    if (told(at.path) || !open.has(at.page) || mentions(condition, unknown)) continue
    const around: Wanted[] = 'widget' in at ? [[look.pages[at.pageIndex]!, 'shown']] : []
    const spared = someone.seesByCondition([at, 'hidden'], ...around)
    const owner = 'widget' in at ? placeName(look, at) : pageName(at.page)
    if (spared === null) undecided.push(owner)
    if (spared === false)
      findings.push(warning('F03', path, `The condition of ${owner} is always true and decides nothing.`, [remove(path)]))
  }
  return findings
}

const mentions = (condition: unknown, bindings: ReadonlySet<string>) =>
  bindings.size > 0 && [...bindings].some((binding) => JSON.stringify(condition).includes(`"${binding}"`))

const isTerminal = ({ widget }: Place) => TERMINAL_TYPES.includes(widget.type)

function withoutEnd(look: Look, someone: Someone, reached: readonly PagePlace[]): Finding[] {
  const last = reached.at(-1)
  if (!last) return []
  const ends = look.places.filter((place) => place.pageIndex === last.index && isTerminal(place))
  if (ends.length === 0) {
    const message = `The flow "${look.flow.name}" ends on ${pageName(last.page)} without a confirmation or redirect.`
    return [error('F05', `${look.path}/pages`, message, addedEnd(look, last))]
  }
  const always = !hasRule(last.page) && ends.some(({ widget }) => !hasRule(widget))
  if (always || someone.meets(...ends.map((place): Wanted => [place, 'hidden'])) !== true) return []
  return [
    error(
      'F05',
      `${look.path}/pages`,
      `Some people finish the flow "${look.flow.name}" without seeing a confirmation or redirect: those on ${pageName(last.page)} are hidden from them.`,
    ),
  ]
}

/** On the last page if it only informs and everybody sees it, else on a page of its own behind it. */
function addedEnd(look: Look, last: PagePlace): Operation[] | null {
  const { pages, places, flow } = look
  if (last.index < pages.length - 1 || places.some(isTerminal)) return null
  const widget = { type: 'confirmation' as const, body: '<p>Thank you. Your registration is complete.</p>' }
  if (!hasRule(last.page) && last.page.widgets.every(isContent)) {
    const operation = insertWidget(look, last, widget, 'confirmation', {})
    return operation && [operation]
  }
  if (pages.length >= 40 || !hasRoom(look, last)) return null
  const codes = new Set(flow.pages.map(({ code }) => code))
  const titles = new Set(flow.pages.map(({ title }) => title?.toLowerCase()))
  const code = ['confirmation', 'complete', 'thank-you', 'end'].find((one) => !codes.has(one))
  const title = ['Confirmation', 'Registration complete', 'Thank you', 'Done'].find((one) => !titles.has(one.toLowerCase()))
  if (code === undefined || title === undefined) return null
  return [
    {
      op: 'insert',
      path: `${look.path}/pages/${code}`,
      valueJson: JSON.stringify({ title, widgets: [{ id: 'confirmation', ...widget }] }),
    },
  ]
}

function notAtTheEnd(look: Look): Finding[] {
  return look.places.filter(isTerminal).flatMap((place) => {
    const after = place.page.widgets.slice(place.page.widgets.indexOf(place.widget) + 1)
    if (after.every(({ type }) => TERMINAL_TYPES.includes(type))) return []
    return [
      warning('F06', place.path, `${capital(placeName(look, place))} ends the flow, but other widgets stand below it.`, [
        { op: 'move', path: place.path },
      ]),
    ]
  })
}

const MAX_INPUTS = 15
const MAX_PAGES = 8

function* tooMuch(look: Look, someone: Someone, reached: readonly PagePlace[]): InParts<Finding[]> {
  const long: Finding[] = []
  for (const page of reached) {
    const places = look.places
      .filter((place) => place.pageIndex === page.index)
      .map((place) => ({ at: place, ruled: hasRule(place.widget), weight: inputsOf(place.widget) }))
    const most = yield* mostSeen(
      someone,
      [{ at: page, ruled: hasRule(page.page), weight: 0 }, ...places.filter(({ weight }) => weight > 0)],
      MAX_INPUTS,
    )
    if (most > MAX_INPUTS)
      long.push(
        warning(
          'F13',
          page.path,
          `${capital(pageName(page.page))} asks up to ${most} things at once; more than ${MAX_INPUTS} tire people — spread them over two pages.`,
        ),
      )
  }
  const pages = yield* mostSeen(
    someone,
    reached.map((page) => ({ at: page, ruled: hasRule(page.page), weight: 1 })),
    MAX_PAGES,
  )
  const many =
    pages > MAX_PAGES
      ? [
          warning(
            'F13',
            `${look.path}/pages`,
            `The flow "${look.flow.name}" leads through up to ${pages} pages; more than ${MAX_PAGES} lose people.`,
          ),
        ]
      : []
  return [...long, ...many]
}

interface Weighed {
  at: PagePlace | Place
  ruled: boolean
  weight: number
}

/** How much one person can see together: what everybody sees, and of the rest one after the other what fits. Enough to know that it is too much. */
function* mostSeen(someone: Someone, all: readonly Weighed[], enough: number): InParts<number> {
  const sum = (some: readonly Weighed[]) => some.reduce((total, { weight }) => total + weight, 0)
  if (sum(all) <= enough) return sum(all)
  const always = all.filter(({ ruled }) => !ruled)
  const together: Weighed[] = []
  for (const one of all.filter(({ ruled }) => ruled)) {
    yield
    const wanted = [...together, one].map(({ at }): Wanted => [at, 'shown'])
    if (someone.sees(...wanted) === true) together.push(one)
  }
  return sum(always) + sum(together)
}

function* emptyPages(look: Look, someone: Someone, reached: readonly PagePlace[]): InParts<Finding[]> {
  const findings: Finding[] = []
  for (const page of reached) {
    yield
    const { widgets } = page.page
    if (widgets.length === 0) findings.push(info('F16', page.path, `There is nothing on ${pageName(page.page)}.`, withoutPage(look, page)))
    if (!widgets.every(hasRule) || widgets.length === 0) continue
    const places = look.places.filter((place) => place.pageIndex === page.index)
    const empty = someone.sees([page, 'shown'], ...places.map((place): Wanted => [place, 'hidden']))
    if (empty === true) findings.push(info('F16', page.path, `Some people see ${pageName(page.page)} with nothing on it.`))
  }
  return findings
}

function withoutPage({ pages, places }: Look, { page, index, path }: PagePlace): Operation[] | null {
  const listed = places.some(({ widget }) => widget.type === 'answersReview' && (widget.pages?.includes(page.code) ?? false))
  const plain = page.description === null && !hasRule(page)
  return plain && !listed && index < pages.length - 1 ? [remove(path)] : null
}
