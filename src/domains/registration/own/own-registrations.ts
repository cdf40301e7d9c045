import { AppError, notFound } from '../../../kernel/errors.ts'
import type { Db } from '../../../kernel/columns.ts'
import { tenantDb } from '../../../kernel/scoped-db.ts'

interface Own {
  tenantId: number
  eventId: string
  /** The ids of the registrations that the person's sign-in session gives access to. */
  participantIds: readonly string[]
}

/**
 * Returns the registration that a call is about: the named one, or the only one. A registration of another person is reported as not found.
 */
export async function resolveOwnRegistration(db: Db, own: Own, named: string | undefined): Promise<string> {
  if (named !== undefined) {
    if (own.participantIds.includes(named)) return named
    throw notFound(`No registration ${named} of this person`)
  }
  const [only, ...others] = own.participantIds
  if (only !== undefined && others.length === 0) return only
  const candidates = await namesOf(db, own)
  throw new AppError('ambiguous', 'Several registrations have this email. Pass participantId.', {
    candidates,
    fix: { ask: `which of the registrations is meant: participantId ${own.participantIds.join(' or ')}` },
  })
}

async function namesOf(db: Db, { tenantId, eventId, participantIds }: Own): Promise<{ participantId: string; name: string }[]> {
  const rows = await tenantDb({ db, tenantId })
    .selectFrom('participants')
    .select(['id', 'first_name', 'last_name'])
    .where('event_id', '=', eventId)
    .where('id', 'in', participantIds)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ participantId: row.id, name: [row.first_name, row.last_name].filter(Boolean).join(' ') }))
}
