import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { releaseStays } from '../housing/release.ts'
import { cancelAppointmentsOf } from '../exhibitors/cancel-appointment.ts'
import { freePlaces, releaseHolds } from '../inventory/places.ts'
import { creditableOf, type CreditRule, creditsOf, type Removal } from '../orders/credits.ts'
import { credit } from '../orders/invoices.ts'
import type { LineState } from '../orders/lines.ts'
import { findOrderOf, lockOrders, type OrderRow } from '../orders/orders.ts'
import { asAnswers } from '../sessions/at-event.ts'
import { leaveAll } from '../sessions/enrol.ts'
import { endCheckoutsOf } from '../payments/checkout.ts'
import { holdingsOf, placesOf, quantitiesOf } from './holdings.ts'
import { lockOwnGroup } from './own-group.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { guestsOf, updateParticipant } from './people.ts'
import type { AtEvent, Scene } from './scene.ts'
import { refreshTags } from './tags.ts'
import { leaveWaitlists } from './waitlist.ts'

export interface Cancellation {
  rule: CreditRule
  reason?: string | null
  keepGuests?: boolean
}

export interface Cancelled {
  /** The person and the guests who went with them. */
  participants: ParticipantRow[]
  creditNotes: { orderId: string; id: string; number: string; total: number }[]
}

/**
 * Ends a registration: places go back, what was bought is taken off the order, what comes back is credit there. Nothing is paid out.
 * Guests go with their host unless they are to stay.
 */
export async function cancelRegistration(
  ctx: AtEvent,
  scene: Scene,
  row: ParticipantRow,
  { rule, reason = null, keepGuests = false }: Cancellation,
): Promise<Cancelled> {
  // Nobody is to pay for what they give up. Before any place is locked: whoever settles a payment locks in this order.
  await endCheckoutsOf(ctx, row.id)
  await lockOwnGroup(ctx, row)
  const leaving = [row, ...(keepGuests ? [] : await guestsOf(ctx, row.id))]
  const ids = leaving.map(({ id }) => id)
  const lines = await holdingsOf(ctx, ids)
  const own = await findOrderOf(ctx, { participantId: row.id })
  await freeAll(ctx, scene, leaving, lines)
  const sessions = await leaveAll(ctx, leaving)
  const deposits = await releaseStays(ctx, scene, ids, reason ?? 'registration cancelled')
  const removals = [...lines.filter(({ remaining }) => remaining > 0).map((line) => ({ line, units: line.remaining })), ...deposits]
  const orderIds = [...lines.map(({ order_id }) => order_id), ...deposits.map(({ line }) => line.order_id), ...(own ? [own.id] : [])]
  const orders = await lockOrders(ctx, [...new Set(orderIds)])
  const creditNotes = await creditAll(ctx, scene, orders, removals, rule)
  if (own?.discount_code) {
    // What is bought later is not bought with it.
    await ctx.db
      .updateTable('orders')
      .set({ discount_code: null })
      .where('tenant_id', '=', ctx.tenantId)
      .where('event_id', '=', ctx.event.id)
      .where('id', '=', own.id)
      .execute()
  }
  const participants: ParticipantRow[] = []
  for (const one of leaving) {
    const held = { ...productsHeld(one, lines), ...asAnswers(sessions.get(one.id)!) }
    participants.push(await end(ctx, scene, one, held, one.id === row.id ? reason : (reason ?? 'host cancelled')))
  }
  await refreshTags(ctx, scene.config, ids)
  return { participants, creditNotes }
}

async function freeAll(ctx: AtEvent, { config }: Scene, leaving: readonly ParticipantRow[], lines: readonly LineState[]) {
  const flows = new Map(config.flows.map((flow) => [flow.slug, flow]))
  for (const { id } of leaving) {
    await leaveWaitlists(ctx, id)
    await releaseHolds(ctx, { participantId: id })
  }
  const places = leaving.flatMap((one) => {
    if (one.status !== 'complete') return []
    const theirs = lines.filter(({ participant_id }) => participant_id === one.id)
    return placesOf(one, flows.get(one.flow_slug ?? ''), theirs)
  })
  await freePlaces(ctx, places)
}

/** Each order is credited by itself: a member's places may be on the group's. An amount is what comes back in all. */
async function creditAll(ctx: AtEvent, scene: Scene, orders: readonly OrderRow[], removals: readonly Removal[], rule: CreditRule) {
  if (rule.by === 'amount' && rule.amount > creditableOf(removals)) throw tooMuch(ctx, creditableOf(removals))
  const credits = creditsOf(removals, rule, scene.config, scene.at)
  const notes: Cancelled['creditNotes'] = []
  for (const order of orders) {
    const note = await credit(
      ctx,
      order,
      credits.filter(({ line }) => line.order_id === order.id),
      scene,
    )
    if (note) notes.push({ orderId: order.id, ...note })
  }
  return notes
}

const tooMuch = ({ event }: AtEvent, most: number) =>
  invalidArguments([{ path: 'creditAmount', message: `at most ${toMoney(most, event.currency).amount} ${event.currency} can be credited` }])

const productsHeld = ({ id }: ParticipantRow, lines: readonly LineState[]) =>
  Object.fromEntries(
    [...quantitiesOf(lines.filter(({ participant_id }) => participant_id === id))].map(([code, quantity]) => [
      `@product.${code}`,
      quantity,
    ]),
  )

/** What they held is kept with their answers: whoever comes back gets it again, as far as there is any. */
async function end(
  ctx: AtEvent,
  { at }: Scene,
  row: ParticipantRow,
  held: Record<string, unknown>,
  reason: string | null,
): Promise<ParticipantRow> {
  const updated = await updateParticipant(ctx, row, {
    status: 'cancelled',
    cancelled_at: at,
    cancel_reason: reason,
    group_id: null,
    group_leader: false,
    discount_code: null,
    answers: JSON.stringify({ ...row.answers, ...held }),
  })
  await cancelAppointmentsOf(ctx, row.id, reason)
  recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    before: { status: row.status },
    after: { status: updated.status, ...(reason === null ? {} : { reason }) },
  })
  return updated
}
