import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, flag, instant, list, object, oneOf, untrustedText, text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { readDraftConfiguration } from '../../configuration/read.ts'
import { listParticipantLeads, ParticipantLead } from '../../exhibitors/leads/participant-leads.ts'
import { listStays } from '../../housing/reservations.ts'
import { OrderLine, OrderRecord, listOrderLines, toOrderRecord } from '../../orders/order-record.ts'
import { findOrder } from '../../orders/orders.ts'
import { listEnrolments, getRoomName } from '../../sessions/enrolments.ts'
import { resolveParticipant } from './resolve-participant.ts'
import { ParticipantHistoryEntry, listParticipantHistory, listEmailsToParticipant, SentEmail } from './participant-history.ts'
import { formatParticipantName, Participant, type ParticipantRow, toParticipant, listWithheldFields } from '../participant-shape.ts'
import { PARTICIPANT_STATUSES } from '../tables.ts'
import { listWaitlistEntries, WaitlistEntrySummary } from '../waitlist/waitlist-entries.ts'

export const PARTICIPANT_DETAIL_SECTIONS = ['orders', 'history', 'housing', 'sessions', 'emails', 'leads'] as const
type Include = (typeof PARTICIPANT_DETAIL_SECTIONS)[number]

const RelatedPerson = object({ id: text(), name: untrustedText(), status: oneOf(PARTICIPANT_STATUSES), guestType: text().nullable() })

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

/** A participant with guests, host, group, order and waiting list entries. */
export const ParticipantDetails = {
  participant: Participant,
  guests: toOneLine(list(RelatedPerson), 'id, name, status, guestType'),
  host: toOneLine(RelatedPerson, 'id, name, status').optional(),
  group: toOneLine(
    object({ id: text(), code: text(), name: text(), payBy: oneOf(['group', 'members']), leader: flag() }),
    'id, code, name, payBy, leader',
  ).optional(),
  order: toOneLine(OrderRecord, 'number, status, total, paid, balance, lines[], invoices[], payments[]').optional(),
  waitlist: toOneLine(list(WaitlistEntrySummary), 'entryId, target, status, rank, offeredUntil'),
  substitutions: toOneLine(list(object({ kind: oneOf(['replacedBy', 'replaces']), id: text(), name: untrustedText() })), 'kind, id, name'),
  withheld: list(text()),
  /** The orders of the participant's group or host that contain lines for this participant. */
  orders: toOneLine(
    list(object({ number: text(), owner: oneOf(['group', 'participant', 'company']), lines: list(OrderLine, 10_000) })),
    'orders of others that hold something for them: number, owner, lines[]',
  ).optional(),
  history: toOneLine(list(ParticipantHistoryEntry), 'newest 50: at, who, app, tool, changes[] { path, before, after }').optional(),
  emails: toOneLine(list(SentEmail), 'messageId, emailCode, subject, to, status, sentAt').optional(),
  housing: list(z.looseObject({})).optional(),
  sessions: toOneLine(list(OwnSession), 'sessionId, code, title, startsAt, endsAt, room, status, rank').optional(),
  leads: toOneLine(list(ParticipantLead), 'companies that captured them: leadId, company, source, captures, lastCapturedAt').optional(),
}

interface Request {
  participantId: string
  include?: readonly Include[] | undefined
  includeTestData: boolean
}

export async function getParticipantDetails(ctx: EventContext, { participantId, include = [], includeTestData }: Request) {
  const row = await resolveParticipant(ctx, participantId, { includeTestData })
  const personal = ctx.permissions.has('personal.read')
  const wants = new Set(include)
  const [people, group, order, waitlist] = await Promise.all([
    listRelatedParticipants(ctx, row),
    groupOf(ctx, row),
    findOrder(ctx, { participantId: row.id }).then((found) => (found ? toOrderRecord(ctx, found) : undefined)),
    listWaitlistEntries(ctx, row),
  ])
  const person = (id: string | null) => people.find((one) => one.id === id)
  const host = person(row.host_id)
  return {
    participant: toParticipant(row, ctx.permissions),
    guests: people.filter(({ host_id }) => host_id === row.id).map(toRelatedPerson),
    ...(host ? { host: toRelatedPerson(host) } : {}),
    ...(group ? { group } : {}),
    ...(order ? { order } : {}),
    waitlist,
    substitutions: (
      [
        ['replaces', person(row.substitutes_id)],
        ['replacedBy', person(row.substituted_by_id)],
      ] as const
    ).flatMap(([kind, other]) => (other ? [{ kind, id: other.id, name: formatParticipantName(other) }] : [])),
    withheld: [...listWithheldFields(ctx.permissions), ...(!personal && wants.has('housing') ? ['housing'] : [])],
    ...(wants.has('orders') ? { orders: await listOrdersOfOthers(ctx, row) } : {}),
    ...(wants.has('history') ? { history: await listParticipantHistory(ctx, row.id, personal) } : {}),
    ...(wants.has('emails') ? { emails: await listEmailsToParticipant(ctx, row) } : {}),
    ...(wants.has('housing') && personal ? { housing: await roomsOf(ctx, row.id) } : {}),
    ...(wants.has('sessions') ? { sessions: await sessionsOf(ctx, row.id) } : {}),
    ...(wants.has('leads') ? { leads: await listParticipantLeads(ctx, row.id) } : {}),
  }
}

async function roomsOf(ctx: EventContext, id: string) {
  return (await listStays(ctx, [id])).map(({ participantId: _own, moves: _moves, ...stay }) => stay)
}

async function sessionsOf(ctx: EventContext, id: string): Promise<z.input<typeof OwnSession>[]> {
  const enrolments = await listEnrolments(ctx, [id])
  const { config } = await readDraftConfiguration(ctx)
  return enrolments.map(({ sessionId, code, title, startsAt, endsAt, roomCode, status, isCancelled, rank }) => ({
    sessionId,
    code,
    title,
    startsAt: formatInstant(startsAt),
    endsAt: formatInstant(endsAt),
    room: getRoomName(config, roomCode),
    status: isCancelled ? ('cancelled' as const) : status,
    rank,
  }))
}

const listRelatedParticipants = (ctx: EventContext, { id, host_id, substitutes_id, substituted_by_id }: ParticipantRow) =>
  eventDb(ctx)
    .selectFrom('participants')
    .select(['id', 'first_name', 'last_name', 'status', 'guest_type', 'host_id'])
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

type Related = Awaited<ReturnType<typeof listRelatedParticipants>>[number]

const toRelatedPerson = (row: Related): z.input<typeof RelatedPerson> => ({
  id: row.id,
  name: formatParticipantName(row),
  status: row.status,
  guestType: row.guest_type,
})

async function groupOf(ctx: EventContext, row: ParticipantRow) {
  if (row.group_id === null) return null
  const group = await eventDb(ctx)
    .selectFrom('managed_groups')
    .select(['id', 'code', 'name', 'pay_by as payBy'])
    .where('id', '=', row.group_id)
    .executeTakeFirstOrThrow()
  return { ...group, leader: row.group_leader }
}

async function listOrdersOfOthers(ctx: EventContext, { id }: ParticipantRow) {
  const orders = await eventDb(ctx)
    .selectFrom('orders')
    .select(['id', 'number', 'participant_id', 'group_id'])
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
      lines: await listOrderLines(ctx, sql<boolean>`l.order_id = ${order.id} and l.participant_id = ${id}`),
    })),
  )
}
