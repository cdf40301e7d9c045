import type { PersonContext } from '../../kernel/participant-tool.ts'
import { notFound } from '../../kernel/errors.ts'
import { fullName, type ParticipantRow } from '../messages/event-mail/person.ts'
import type { Where } from './at-event.ts'

export type Person = ParticipantRow

const participants = ({ db, tenantId, event }: Where) =>
  db.selectFrom('participants').selectAll().where('tenant_id', '=', tenantId).where('event_id', '=', event.id)

export async function getPerson(ctx: Where, id: string): Promise<Person> {
  const row = await participants(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No participant ${id} here`)
  return row
}

/** Until the end of the transaction nobody else books, cancels or ends anything for them. */
export async function lockPerson(ctx: Where, id: string): Promise<Person> {
  const row = await participants(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw notFound(`No participant ${id} here`)
  return row
}

export const nameOf = (person: Person) => fullName(person) || (person.email ?? '')

/** Whether somebody is among test data: by the registrations they have, and before they have any by what they would make now. */
export async function isAmongTestData(ctx: PersonContext): Promise<boolean> {
  const { participantIds } = ctx.person
  if (participantIds.length === 0) return ctx.event.testMode
  const real = await participants(ctx).where('id', 'in', participantIds).where('is_test_data', '=', false).limit(1).executeTakeFirst()
  return real === undefined
}
