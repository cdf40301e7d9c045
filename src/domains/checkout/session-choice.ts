import type { FieldError } from '../../kernel/errors.ts'
import { productsIn, refusedSessions } from '../registration/sessions.ts'
import type { AtEvent } from '../registration/scene.ts'
import { sessionBinding, sessionKey, sessionsIn } from '../sessions/at-event.ts'
import { fullNow, refusedOf } from '../sessions/choice.ts'
import { offeredBy, programOf } from '../sessions/program.ts'
import { type Progress, walked } from './progress.ts'
import { FIELDS, type Sent, widgetsOn } from './sent-page.ts'

/** Codes of products that they chose and do not only wait for, with those that they can still choose from here on. */
export function productsInReach({ walk, answers, kept }: Progress, page: string, from: 'here' | 'after'): Set<string> {
  const at = walk.pages.findIndex(({ code }) => code === page) + (from === 'here' ? 0 : 1)
  const toCome = walk.pages.slice(at).flatMap(({ visible, widgets }) => (visible ? widgets.flatMap(({ products }) => products) : []))
  return new Set([...chosenFor({ answers, kept }), ...toCome.map(({ code }) => code)])
}

const chosenFor = ({ answers, kept }: Pick<Progress, 'answers' | 'kept'>): Set<string> =>
  new Set([...productsIn(answers)].filter((code) => !kept.waits.includes(`product:${code}`)))

/** What cannot be had of the sessions that a page chose. What they have already may stay. */
export async function sessionFaults(
  ctx: AtEvent,
  after: Progress,
  { page, sent, before = new Set() }: { page: string; sent: Sent; before?: ReadonlySet<string> },
): Promise<FieldError[]> {
  const shown = new Set(sent(FIELDS.shown))
  const lists = widgetsOn(after, page).flatMap((widget) => (widget.type === 'sessions' && shown.has(widget.id) ? [widget] : []))
  if (lists.length === 0) return []
  const { scene, answers } = after
  const program = await programOf(ctx)
  const here = new Set(sent(FIELDS.session))
  const chosen = sessionsIn(answers).filter((id) => here.has(id) || program.some((session) => session.id === id))
  const full = new Set(sent(FIELDS.full))
  const faults = lists.flatMap((list): FieldError[] => {
    const mine = offeredBy(list, program, scene.timezone).filter(({ id }) => chosen.includes(id))
    const own = new Set(mine.map(({ id }) => id))
    const refused = refusedOf({
      program,
      chosen,
      // What other lists chose stands already, and is theirs to be wrong.
      before: new Set([...before, ...chosen.filter((id) => !own.has(id) && !here.has(id))]),
      products: productsInReach(after, page, 'after'),
      nameOfProduct: (code) => scene.config.products.find((product) => product.code === code)?.name ?? code,
      preventOverlap: list.preventOverlap,
      now: scene.at,
    })
    const taken = mine.filter(({ id, left }) => left === 0 && !scene.isTest && !before.has(id) && !full.has(sessionKey(id)))
    const tooMany = list.maxSelected !== null && mine.length > list.maxSelected
    return [
      ...refused.filter(({ path }) => here.has(path.slice(sessionBinding('').length))),
      ...taken.map(fullNow),
      ...(tooMany ? [{ path: sessionBinding(''), message: `Choose at most ${list.maxSelected}` }] : []),
    ]
  })
  return [...new Map(faults.toReversed().map((fault) => [fault.path, fault])).values()].toReversed()
}

/** The same person with the sessions that they had chosen before: of a choice that cannot be had nothing is kept. */
export const withSessionsOf = (before: Progress, after: Progress): Progress =>
  walked(after, {
    ...Object.fromEntries(Object.entries(after.answers).filter(([binding]) => !binding.startsWith(sessionBinding('')))),
    ...Object.fromEntries(Object.entries(before.answers).filter(([binding]) => binding.startsWith(sessionBinding('')))),
  })

/** What keeps somebody from finishing: the program may have changed since, or what they buy. What is not on any more is left out. */
export async function sessionsInTheWay(ctx: AtEvent, progress: Progress): Promise<FieldError[]> {
  const { scene, flow, walk } = progress
  const answers = Object.fromEntries(Object.entries(progress.answers).filter(([binding]) => walk.answer(binding) !== undefined))
  const refused = await refusedSessions(ctx, { scene, flow, answers, products: chosenFor(progress) })
  return refused.filter(({ message }) => message !== 'sessionGone')
}
