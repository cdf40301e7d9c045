import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, conflict, type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { type Money, toMoney } from '../../kernel/money.ts'
import { walkFlow } from '../configuration/flow/walk.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { cancelRooms, keepOnlyRooms, moveStays } from '../housing/release.ts'
import { cancelAppointmentsOf } from '../exhibitors/cancel-appointment.ts'
import { sell } from '../orders/invoices.ts'
import { findOrderOf, lockOrder, type OrderRow } from '../orders/orders.ts'
import { leaveAll, passOn } from '../sessions/enrol.ts'
import { identityOf } from './add.ts'
import { type Answers, answersOf, columnsOf, readAnswers } from './answers.ts'
import { cancelRegistration } from './cancel.ts'
import { feeLine } from './fees.ts'
import { holdingsOf, quantitiesOf } from './holdings.ts'
import { labelOf, missingFields } from './missing.ts'
import { lockOwnGroup } from './own-group.ts'
import { nameOf, type ParticipantRow, toParticipant } from './participant-shape.ts'
import { openOrderOf } from './payer.ts'
import { findTwin, getParticipant, guestsOf, insertParticipant, newNumbers, updateParticipant } from './people.ts'
import { reprice } from './reprice.ts'
import { getFlow, openScene, type Scene } from './scene.ts'
import { refreshTags } from './tags.ts'
import { leaveWaitlists } from './waitlist.ts'

export interface Substitution {
  replacement?: Answers | undefined
  replacementParticipant?: ParticipantRow | undefined
  transferGuests: boolean
  transferHousing: boolean
  transferSessions: boolean
  fee?: Money | undefined
  feeTaxCode?: string | undefined
  reprice: boolean
  reason?: string | undefined
}

/**
 * Somebody comes instead of another: the same place, order, invoices and payments, another person. What is scarce does not change hands
 * through being free in between, so nobody else can take it.
 */
export async function substituteParticipant(ctx: EventContext, leaving: ParticipantRow, asked: Substitution) {
  if ((asked.fee || asked.reprice) && !ctx.permissions.has('money.write')) {
    throw new AppError('forbidden', `${asked.fee ? 'fee' : 'reprice'} needs the permission money.write`)
  }
  if (leaving.status !== 'complete')
    throw preconditionFailed(`Only a complete registration can be passed on; this one is ${leaving.status}`)
  const scene = { ...(await openScene(ctx)), isTest: leaving.is_test_data }
  const flow = getFlow(scene, leaving.flow_slug ?? '')
  const answers = await newAnswers(ctx, scene, flow, leaving, asked)
  // Its members are counted when one of them changes: the lock of a group comes before those of orders.
  await lockOwnGroup(ctx, leaving)
  const guests = await guestsOf(ctx, leaving.id)
  // Guests who do not come along are cancelled like those of anybody who goes; their places are given back before any order is locked.
  if (!asked.transferGuests)
    for (const guest of guests) await cancelRegistration(ctx, scene, guest, { rule: { by: 'policy' }, reason: 'host substituted' })
  await leaveWaitlists(ctx, leaving.id)
  if (!asked.transferSessions) await leaveAll(ctx, [leaving])
  if (asked.transferHousing) await keepOnlyRooms(ctx, scene, leaving.id)
  else await cancelRooms(ctx, scene, leaving.id, 'substituted')
  const order = await findOrderOf(ctx, { participantId: leaving.id })
  if (order) await lockOrder(ctx, order.id)

  const old = await endOld(ctx, scene, leaving, asked.reason ?? null)
  const appointments = await cancelAppointmentsOf(ctx, leaving.id, asked.reason ?? null)
  const coming = await takeOver(ctx, scene, flow, leaving, asked.replacementParticipant ?? null, answers)
  await updateParticipant(ctx, old, { substituted_by_id: coming.id })
  const rooms = asked.transferHousing ? await moveStays(ctx, leaving.id, { id: coming.id, name: nameOf(coming) }) : 0
  const sessions = asked.transferSessions ? await passOn(ctx, leaving.id, coming.id) : 0
  const lines = await moveMoney(ctx, leaving, coming)
  if (asked.transferGuests) for (const guest of guests) await updateParticipant(ctx, guest, { host_id: coming.id })
  await refreshTags(ctx, scene.config, [leaving.id, coming.id, ...guests.map(({ id }) => id)])
  const money = await settle(ctx, scene, coming, asked)
  return {
    from: { id: leaving.id, status: 'cancelled' as const },
    to: toParticipant(await getParticipant(ctx, coming.id), ctx.permissions),
    ...orderOf(ctx, await findOrderOf(ctx, { participantId: coming.id })),
    moved: { lines, housing: rooms, sessions, guests: asked.transferGuests ? guests.length : 0 },
    dropped: { appointments },
    missing: await missingOf(ctx, scene, flow, coming),
    ...(money ? { money } : {}),
  }
}

async function newAnswers(ctx: EventContext, scene: Scene, flow: Flow, leaving: ParticipantRow, asked: Substitution): Promise<Answers> {
  const { replacement, replacementParticipant: row } = asked
  if ((replacement === undefined) === (row === undefined)) {
    throw invalidArguments([{ path: 'replacement', message: 'give either replacement or replacementParticipantId' }])
  }
  if (row?.host_id) throw preconditionFailed('A guest cannot take over a registration')
  if (row?.id === leaving.id) throw invalidArguments([{ path: 'replacementParticipantId', message: 'is the person who leaves' }])
  if (row && row.status !== 'incomplete') throw conflict(`${row.id} is registered already (${row.status})`)
  const { answers, errors } = readAnswers({ config: scene.config, flow }, row ? answersOf(row) : replacement!)
  const missing: FieldError[] = ['@participant.firstName', '@participant.lastName', '@participant.email']
    .filter((binding) => answers[binding] == null)
    .map((path) => ({ path, message: `${labelOf(scene.config, path)} is required` }))
  if (errors.length + missing.length > 0) throw invalidArguments([...errors, ...missing])
  const twin = leaving.is_test_data ? null : await findTwin(ctx, identityOf(answers, null))
  if (twin?.id === leaving.id) throw invalidArguments([{ path: 'replacement', message: 'is the same person' }])
  if (twin && twin.id !== row?.id) throw conflict(`This person is registered already: ${twin.id}`)
  return answers
}

async function endOld(ctx: EventContext, { at }: Scene, leaving: ParticipantRow, reason: string | null): Promise<ParticipantRow> {
  const old = await updateParticipant(ctx, leaving, {
    status: 'cancelled',
    cancelled_at: at,
    cancel_reason: reason ?? 'substituted',
    group_id: null,
    group_leader: false,
    discount_code: null,
  })
  recordChange(ctx, {
    kind: 'participant',
    id: old.id,
    before: { status: leaving.status },
    after: { status: old.status, reason: old.cancel_reason },
  })
  return old
}

/** Seat, role and tags of the group and organizers go over; what somebody answered about themselves does not. */
async function takeOver(
  ctx: EventContext,
  scene: Scene,
  flow: Flow,
  leaving: ParticipantRow,
  row: ParticipantRow | null,
  answers: Answers,
) {
  const columns = {
    ...columnsOf(answers),
    ...newNumbers(),
    status: 'complete' as const,
    completed_at: scene.at,
    version_id: scene.versionId,
    flow_slug: flow.slug,
    manual_tags: [...new Set([...leaving.manual_tags, ...(row?.manual_tags ?? [])])].sort(),
    group_id: leaving.group_id,
    group_leader: leaving.group_leader,
    host_id: leaving.host_id,
    guest_type: leaving.guest_type,
    discount_code: leaving.discount_code,
    substitutes_id: leaving.id,
  }
  const coming = row
    ? await updateParticipant(ctx, row, columns)
    : await insertParticipant(ctx, { ...columns, source: 'organizer', is_test_data: leaving.is_test_data })
  recordChange(ctx, { kind: 'participant', id: coming.id, after: { ...answers, status: coming.status, substitutes: leaving.id } })
  return coming
}

/** Whose they are is all that changes of an order and its lines. */
async function moveMoney(ctx: EventContext, leaving: ParticipantRow, coming: ParticipantRow): Promise<number> {
  const of = { tenant: ctx.tenantId, event: ctx.event.id }
  const orders = await ctx.db
    .updateTable('orders')
    .set({ participant_id: coming.id })
    .where('tenant_id', '=', of.tenant)
    .where('event_id', '=', of.event)
    .where('participant_id', '=', leaving.id)
    .returning(['id', 'is_test_data as isTestData'])
    .execute()
  for (const order of orders) announce(ctx, { kind: 'order.updated', entity: 'order', ...order, changed: ['participantId', 'lines'] })
  const { numUpdatedRows } = await ctx.db
    .updateTable('order_lines')
    .set({ participant_id: coming.id })
    .where('tenant_id', '=', of.tenant)
    .where('event_id', '=', of.event)
    .where('participant_id', '=', leaving.id)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

async function settle(ctx: EventContext, scene: Scene, coming: ParticipantRow, { fee, feeTaxCode, reprice: again, reason }: Substitution) {
  if (!fee && !again) return null
  const order = await openOrderOf(ctx, coming)
  const changed = again
    ? await reprice(ctx, { scene, row: coming, lines: await holdingsOf(ctx, [coming.id]), order, discountCode: order.discount_code })
    : null
  const line = fee ? feeLine(ctx, scene, { fee, taxCode: feeTaxCode ?? null, description: reason ?? 'Substitution' }) : null
  const claimed = line ? await sell(ctx, order, [{ ...line, participantId: coming.id }], scene) : null
  const after = await lockOrder(ctx, order.id)
  const told = (document: { number: string; total: number } | null | undefined) =>
    document ? { number: document.number, total: toMoney(document.total, ctx.event.currency) } : undefined
  return {
    creditNote: told(changed?.creditNote),
    invoice: told(claimed ?? changed?.invoice),
    balanceAfter: toMoney(after.balance, ctx.event.currency),
  }
}

const orderOf = (ctx: EventContext, order: OrderRow | null) =>
  order
    ? {
        order: {
          number: order.number,
          total: toMoney(order.total, ctx.event.currency),
          balance: toMoney(order.balance, ctx.event.currency),
        },
      }
    : {}

/** What the new person has yet to answer; the registration is complete all the same. */
async function missingOf(ctx: EventContext, scene: Scene, flow: Flow, coming: ParticipantRow) {
  const held = Object.fromEntries(
    [...quantitiesOf(await holdingsOf(ctx, [coming.id]))].map(([code, quantity]) => [`@product.${code}`, quantity]),
  )
  const answers = { ...answersOf(coming), ...held }
  const tags = [...coming.manual_tags, ...coming.directory_tags]
  const walk = walkFlow(scene.config, flow, { answers, tags, timezone: scene.timezone, now: scene.at })
  return missingFields(scene.config, walk, { skipRequired: false }).map(({ path, message }) => ({ binding: path, message }))
}
