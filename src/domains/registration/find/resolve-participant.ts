import { sql } from 'kysely'
import { markAsRecordId, text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { formatParticipantName, type ParticipantRow } from '../participant-shape.ts'

/** The argument that identifies a participant: id, confirmation number, badge id or email. */
export const participantReferenceSchema = (description?: string) =>
  markAsRecordId(description === undefined ? text(254) : text(254).describe(description), 'participant')

type At = Pick<EventContext, 'tenantId' | 'db'> & { event: Pick<EventContext['event'], 'id'> }

interface Found extends ParticipantRow {
  by: 'record' | 'email'
}

const MAX_CANDIDATES = 10

/**
 * Finds the one participant for a reference. Ids, confirmation numbers and badge ids are unique. An email may match several participants;
 * cancelled participants are then ignored if another one matches.
 */
export async function resolveParticipant(
  ctx: At,
  named: string,
  { includeTestData = false }: { includeTestData?: boolean | undefined } = {},
): Promise<ParticipantRow> {
  const found = await findByReference(ctx, named, includeTestData)
  const exact = found.find(({ by }) => by === 'record')
  const active = found.filter(({ status }) => status !== 'cancelled')
  const [only, ...others] = exact ? [exact] : active.length > 0 ? active : found
  if (!only)
    throw notFound(`No participant ${cleanText(named, 80)} at this event. Use find_participants to search by name, email or company.`)
  const people = [only, ...others].slice(0, MAX_CANDIDATES)
  if (others.length > 0)
    throw new AppError('ambiguous', `Several participants have the email ${cleanText(named, 254)}. Pass the ID of one of them.`, {
      candidates: people.map((row) => ({
        participantId: row.id,
        name: formatParticipantName(row),
        status: row.status,
        confirmationNumber: row.confirmation_number,
      })),
      fix: { ask: `which of these people is meant: participantId ${people.map(({ id }) => id).join(' or ')}` },
    })
  const { by: _by, ...row } = only
  return row
}

/** Finds participants with a union of index lookups, which is faster than one condition with OR. */
async function findByReference({ tenantId, event, db }: At, named: string, includeTestData: boolean): Promise<Found[]> {
  const [upper, lower] = [named.toUpperCase(), named.toLowerCase()]
  const at = sql`p.tenant_id = ${tenantId} and p.event_id = ${event.id} and (${includeTestData} or not p.is_test_data)`
  const { rows } = await sql<Found>`
    select p.*, 'record' as by from participants p where ${at} and p.id = ${lower}
    union all select p.*, 'record' from participants p where ${at} and p.confirmation_number = any(${[named, upper]})
    union all select p.*, 'record' from participants p where ${at} and p.badge_id = any(${[named, upper, lower]})
    union all select p.*, 'email' from participants p where ${at} and p.email_norm = ${foldEmailCase(named)}
    order by id`.execute(db)
  return rows
}
