import { sql } from 'kysely'
import { z } from 'zod'
import { brief, count, flag, instant, list, object, oneOf, outsideText, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { toInstant } from '../../kernel/time.ts'
import { readDraft } from '../configuration/read.ts'
import { staysOf } from '../housing/reservations.ts'
import { OrderLine, OrderRecord, readLines, toOrderRecord } from '../orders/order-record.ts'
import { findOrderOf } from '../orders/orders.ts'
import { enrolmentsOf, roomName } from '../sessions/enrolments.ts'
import { resolveParticipant } from './named-participant.ts'
import { HistoryEntry, historyOf, mailsTo, SentMail } from './participant-past.ts'
import { nameOf, Participant, type ParticipantRow, toParticipant, withheldFrom } from './participant-shape.ts'
import { PARTICIPANT_STATUSES } from './tables.ts'
import { waitlistOf, WaitlistPlace } from './waitlist-places.ts'

export const INCLUDES = ['orders', 'history', 'housing', 'sessions', 'emails', 'leads'] as const
type Include = (typeof INCLUDES)[number]

const Person = object({ id: text(), name: outsideText(), status: oneOf(PARTICIPANT_STATUSES), guestType: text().nullable() })

const OwnSession = object({
  sessionId: text(),
  code: text(),
  title: z.string(),
  startsAt: instant(),
  endsAt: instant(),
  room: z.string().nullable(),
  status: oneOf(['enrolled', 'waitlisted', 'cancelled']),
  rank: count().nullable(),
})

/** A participant and all that hangs on them. */
export const ParticipantWhole = {
  participant: Participant,
  guests: brief(list(Person), 'id, name, status, guestType'),
  host: brief(Person, 'id, name, status').optional(),
  group: brief(
    object({ id: text(), code: text(), name: text(), payBy: oneOf(['group', 'members']), leader: flag() }),
    'id, code, name, payBy, leader',
  ).optional(),
  order: brief(OrderRecord, 'number, status, total, paid, balance, lines[], invoices[], payments[]').optional(),
  waitlist: brief(list(WaitlistPlace), 'entryId, target, status, rank, offeredUntil'),
  substitutions: brief(list(object({ kind: oneOf(['replacedBy', 'replaces']), id: text(), name: outsideText() })), 'kind, id, name'),
  withheld: list(text()),
  /** Orders of others that hold something for them: their group's, their host's. */
  orders: brief(
    list(object({ number: text(), owner: oneOf(['group', 'participant', 'company']), lines: list(OrderLine, 10_000) })),
    'orders of others that hold something for them: number, owner, lines[]',
  ).optional(),
  history: brief(list(HistoryEntry), 'newest 50: at, who, app, tool, changes[] { path, before, after }').optional(),
  emails: brief(list(SentMail), 'messageId, emailCode, subject, to, status, sentAt').optional(),
  housing: list(z.looseObject({})).optional(),
  sessions: brief(list(OwnSession), 'sessionId, code, title, startsAt, endsAt, room, status, rank').optional(),
  leads: list(z.looseObject({})).optional(),
}

interface Request {
  participantId: string
  include?: readonly Include[] | undefined
  includeTestData: boolean
}

export async function getParticipant(ctx: EventContext, { participantId, include = [], includeTestData }: Request) {
  const row = await resolveParticipant(ctx, participantId, { includeTestData })
  const personal = ctx.permissions.has('personal.read')
  const wants = new Set(include)
  const [people, group, order, waitlist] = await Promise.all([
    relatedTo(ctx, row),
    groupOf(ctx, row),
    findOrderOf(ctx, { participantId: row.id }).then((found) => (found ? toOrderRecord(ctx, found) : undefined)),
    waitlistOf(ctx, row),
  ])
  const person = (id: string | null) => people.find((one) => one.id === id)
  const host = person(row.host_id)
  return {
    participant: toParticipant(row, ctx.permissions),
    guests: people.filter(({ host_id }) => host_id === row.id).map(toPerson),
    ...(host ? { host: toPerson(host) } : {}),
    ...(group ? { group } : {}),
    ...(order ? { order } : {}),
    waitlist,
    substitutions: (
      [
        ['replaces', person(row.substitutes_id)],
        ['replacedBy', person(row.substituted_by_id)],
      ] as const
    ).flatMap(([kind, other]) => (other ? [{ kind, id: other.id, name: nameOf(other) }] : [])),
    withheld: [...withheldFrom(ctx.permissions), ...(!personal && wants.has('housing') ? ['housing'] : [])],
    ...(wants.has('orders') ? { orders: await ordersOfOthers(ctx, row) } : {}),
    ...(wants.has('history') ? { history: await historyOf(ctx, row.id, personal) } : {}),
    ...(wants.has('emails') ? { emails: await mailsTo(ctx, row) } : {}),
    ...(wants.has('housing') && personal ? { housing: await roomsOf(ctx, row.id) } : {}),
    ...(wants.has('sessions') ? { sessions: await sessionsOf(ctx, row.id) } : {}),
    ...(wants.has('leads') ? { leads: [] } : {}),
  }
}

async function roomsOf(ctx: EventContext, id: string) {
  return (await staysOf(ctx, [id])).map(({ participantId: _own, ...stay }) => stay)
}

async function sessionsOf(ctx: EventContext, id: string): Promise<z.input<typeof OwnSession>[]> {
  const enrolments = await enrolmentsOf(ctx, [id])
  const { config } = await readDraft(ctx)
  return enrolments.map(({ sessionId, code, title, startsAt, endsAt, roomCode, status, isCancelled, rank }) => ({
    sessionId,
    code,
    title,
    startsAt: toInstant(startsAt),
    endsAt: toInstant(endsAt),
    room: roomName(config, roomCode),
    status: isCancelled ? ('cancelled' as const) : status,
    rank,
  }))
}

const relatedTo = (ctx: EventContext, { id, host_id, substitutes_id, substituted_by_id }: ParticipantRow) =>
  ctx.db
    .selectFrom('participants')
    .select(['id', 'first_name', 'last_name', 'status', 'guest_type', 'host_id'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where((eb) =>
      eb.or([
        eb('host_id', '=', id),
        eb(
          'id',
          'in',
          [host_id, substitutes_id, substituted_by_id].map((one) => one ?? ''),
        ),
      ]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute()

type Related = Awaited<ReturnType<typeof relatedTo>>[number]

const toPerson = (row: Related): z.input<typeof Person> => ({
  id: row.id,
  name: nameOf(row),
  status: row.status,
  guestType: row.guest_type,
})

async function groupOf(ctx: EventContext, row: ParticipantRow) {
  if (row.group_id === null) return null
  const group = await ctx.db
    .selectFrom('managed_groups')
    .select(['id', 'code', 'name', 'pay_by as payBy'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', row.group_id)
    .executeTakeFirstOrThrow()
  return { ...group, leader: row.group_leader }
}

async function ordersOfOthers(ctx: EventContext, { id }: ParticipantRow) {
  const orders = await ctx.db
    .selectFrom('orders')
    .select(['id', 'number', 'participant_id', 'group_id'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where((eb) => eb.or([eb('participant_id', 'is', null), eb('participant_id', '<>', id)]))
    .where(
      sql<boolean>`id in (select l.order_id from order_lines l where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id}
        and l.participant_id = ${id})`,
    )
    .orderBy('number')
    .execute()
  return Promise.all(
    orders.map(async (order) => ({
      number: order.number,
      owner: order.group_id ? ('group' as const) : order.participant_id ? ('participant' as const) : ('company' as const),
      lines: await readLines(ctx, sql<boolean>`l.order_id = ${order.id} and l.participant_id = ${id}`),
    })),
  )
}
