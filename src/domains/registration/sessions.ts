import { type AppError, type FieldError, invalidArguments } from '../../kernel/errors.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { toSessionAnswerKey, toSessionInventoryKey, listChosenSessionIds } from '../sessions/context.ts'
import { validateSessionChoice } from '../sessions/session-choice.ts'
import { replaceSessionEnrolments, enrolInSession } from '../sessions/enrol.ts'
import { listActiveEnrolments } from '../sessions/enrolments.ts'
import { listSessionsIncludedInProducts, listScheduledSessions } from '../sessions/program.ts'
import type { Answers } from './answers.ts'
import { listSoldOrderLines, sumQuantitiesByProduct } from './sale/holdings.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { RegistrationContext, EventSnapshot } from './event-snapshot.ts'
import { buildSoldOutError } from './waitlist/waitlist.ts'

interface SessionSelection {
  snapshot: Pick<EventSnapshot, 'config' | 'at'>
  flow: Flow
  answers: Answers
  /** The codes of the products that the participant has or is about to buy. */
  products: ReadonlySet<string>
  before?: ReadonlySet<string>
}

/** Whether the flow rejects conference sessions that overlap. It does unless one of its session widgets allows overlaps. */
const preventsOverlap = ({ pages }: Flow) =>
  !pages.some(({ widgets }) => widgets.some((widget) => widget.type === 'sessions' && !widget.preventOverlap))

/**
 * Lists the selected conference sessions that cannot be booked, with the reason. Sessions that come with a product can always be booked.
 */
export async function findSessionErrors(
  ctx: RegistrationContext,
  { snapshot, flow, answers, products, before = new Set() }: SessionSelection,
): Promise<FieldError[]> {
  const chosen = listChosenSessionIds(answers)
  if (chosen.length === 0) return []
  const program = await listScheduledSessions(ctx)
  const included = listSessionsIncludedInProducts(program, products)
  return validateSessionChoice({
    program,
    chosen: [...new Set([...included, ...chosen])],
    before: new Set([...before, ...included]),
    products,
    nameOfProduct: (code) => snapshot.config.products.find((product) => product.code === code)?.name ?? code,
    preventOverlap: preventsOverlap(flow),
    now: snapshot.at,
  })
}

/** Lists the conference sessions that come with these products and have not begun. */
const listUpcomingIncluded = async (
  ctx: RegistrationContext,
  { at }: Pick<EventSnapshot, 'at'>,
  products: ReadonlySet<string>,
): Promise<string[]> => {
  if (products.size === 0) return []
  const program = await listScheduledSessions(ctx)
  const upcoming = new Set(program.filter(({ startsAt }) => startsAt > at).map(({ id }) => id))
  return listSessionsIncludedInProducts(program, products).filter((id) => upcoming.has(id))
}

/**
 * Enrols the participant in the conference sessions that come with these products, in addition to their other sessions. For full sessions
 * the participant joins the waiting list.
 */
export async function enrolIncludedSessions(
  ctx: RegistrationContext,
  snapshot: Pick<EventSnapshot, 'at'>,
  row: ParticipantRow,
  products: ReadonlySet<string>,
): Promise<void> {
  for (const id of await listUpcomingIncluded(ctx, snapshot, products)) await enrolInSession(ctx, row, id)
}

export const listChosenProductCodes = (answers: Answers): Set<string> =>
  new Set(
    Object.entries(answers).flatMap(([binding, value]) =>
      binding.startsWith('@product.') && Number(value) > 0 ? [binding.slice('@product.'.length)] : [],
    ),
  )

/** What to do if a selected conference session is full: join its waiting list, reject the registration, or exceed the capacity. */
export type FullyBookedSessionPolicy = 'wait' | 'refuse' | 'exceed'

/**
 * Enrols the participant in the selected conference sessions. By default the participant joins the waiting list of a full session. A
 * session that cannot be booked is left out and returned.
 */
export async function enrolChosenSessions(
  ctx: RegistrationContext,
  row: ParticipantRow,
  { whenFull, ...choosing }: SessionSelection & { whenFull: FullyBookedSessionPolicy },
): Promise<{ dropped: string[]; waits: string[] }> {
  const refused = new Set((await findSessionErrors(ctx, choosing)).map(({ path }) => path))
  const included = await listUpcomingIncluded(ctx, choosing.snapshot, choosing.products)
  const wanted = [...new Set([...included, ...listChosenSessionIds(choosing.answers)])].filter((id) => !refused.has(toSessionAnswerKey(id)))
  if (wanted.length + refused.size === 0) return { dropped: [], waits: [] }
  const { waits } = await replaceSessionEnrolments(ctx, row, wanted, { mayWait: () => true, beyondCapacity: whenFull === 'exceed' })
  if (whenFull === 'refuse' && waits.length > 0) throw await sessionSoldOutError(ctx, choosing, waits[0]!)
  return { dropped: [...refused].map((path) => path.slice(1)), waits: waits.map((id) => toSessionAnswerKey(id).slice(1)) }
}

async function sessionSoldOutError(
  ctx: RegistrationContext,
  { snapshot }: Pick<SessionSelection, 'snapshot'>,
  sessionId: string,
  ways?: string,
): Promise<AppError> {
  const title = (await listScheduledSessions(ctx)).find(({ id }) => id === sessionId)?.title
  return buildSoldOutError(ctx, snapshot.config, toSessionInventoryKey(sessionId), title, ways)
}

/**
 * Changes the conference sessions of a complete registration to match the answers. Sessions that require a product that the participant no
 * longer has are cancelled.
 */
export async function updateSessionEnrolments(
  ctx: RegistrationContext,
  row: ParticipantRow,
  {
    mayWait,
    whenFull = 'wait',
    productsBefore,
    ...choosing
  }: Omit<SessionSelection, 'products' | 'before'> & {
    /**
     * The codes of the products that the participant had before the change. The conference sessions that come with newly added products are
     * booked too.
     */
    productsBefore: ReadonlySet<string>
    /** Whether the participant agrees to join the waiting list of this conference session. */
    mayWait: (sessionId: string) => boolean
    whenFull?: FullyBookedSessionPolicy
  },
): Promise<boolean> {
  const before = new Set((await listActiveEnrolments(ctx, row.id)).map(({ sessionId }) => sessionId))
  const products = new Set(sumQuantitiesByProduct(await listSoldOrderLines(ctx, [row.id])).keys())
  const added = await listUpcomingIncluded(ctx, choosing.snapshot, new Set([...products].filter((code) => !productsBefore.has(code))))
  const kept = before.size === 0 ? [] : (await listUpcomingIncluded(ctx, choosing.snapshot, products)).filter((id) => before.has(id))
  const chosen = [...new Set([...added, ...kept, ...listChosenSessionIds(choosing.answers)])]
  if (before.size + chosen.length === 0) return false
  const refused = await findSessionErrors(ctx, { ...choosing, products, before })
  const errors = refused.filter(({ path }) => ![...before].some((id) => path === toSessionAnswerKey(id)))
  if (errors.length > 0) throw invalidArguments(errors)
  const lostBindings = new Set(refused.map(({ path }) => path))
  const { joined, left, waits } = await replaceSessionEnrolments(
    ctx,
    row,
    chosen.filter((id) => !lostBindings.has(toSessionAnswerKey(id))),
    { mayWait, beyondCapacity: whenFull === 'exceed' },
  )
  if (whenFull === 'refuse' && waits.length > 0) throw await sessionSoldOutError(ctx, choosing, waits[0]!, 'pass overrideCapacity')
  return joined.length + left.length > 0
}
