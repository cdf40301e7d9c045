import { sql } from 'kysely'
import type { VerifiedPersonContext } from '../../kernel/participant-tool.ts'
import { notFound } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { formatFullName, type EmailParticipantRow } from '../messages/event-mail/person.ts'
import type { ExhibitorQueryContext } from './context.ts'

export type Person = EmailParticipantRow

const participants = (ctx: ExhibitorQueryContext) => eventDb(ctx).selectFrom('participants').selectAll()

export async function getParticipant(ctx: ExhibitorQueryContext, id: string): Promise<Person> {
  const row = await participants(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No participant ${id} here`)
  return row
}

/** Locks participant rows, which serializes bookings and cancellations. The order by id prevents deadlocks. */
export async function lockParticipants(ctx: ExhibitorQueryContext, ids: readonly string[]): Promise<Map<string, Person>> {
  const rows = await participants(ctx)
    .where('id', '=', sql<string>`any(${ids})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export const formatDisplayName = (person: Person) => formatFullName(person) || (person.email ?? '')

/** Whether the caller's registrations are test data; without registrations, whether the event is in test mode. */
export async function isCallerTestParticipant(ctx: VerifiedPersonContext): Promise<boolean> {
  const { participantIds } = ctx.person
  if (participantIds.length === 0) return ctx.event.testMode
  const real = await participants(ctx).where('id', 'in', participantIds).where('is_test_data', '=', false).limit(1).executeTakeFirst()
  return real === undefined
}
