import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { EventSummaryRow } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Pool } from '../../kernel/ports.ts'
import type { EventScope } from '../../kernel/scoped-db.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'

/** The sign-in session of a person with a verified email address at one event. */
export interface ParticipantSession {
  email: string
  /** The registrations that the sign-in session gives access to. The list is fixed when the session is issued. */
  participantIds: readonly string[]
  tenantCode: string
  client: { id: string; code: string; name: string }
  event: EventSummaryRow
}

interface SessionRow extends ParticipantSession {
  covered: boolean
  /** Whether the session is no longer valid: it was ended, or the email address of one of its registrations has changed. */
  over: boolean
}

/** SQL that reads the sign-in session, its event, whether the API account covers the event, and the person, in one statement. */
const VERIFY_SESSION = `
select s.email, s.participant_ids as "participantIds", t.code as "tenantCode",
  json_build_object('id', c.id, 'code', c.code, 'name', c.name) as client,
  json_build_object('id', e.id, 'code', e.code, 'name', e.name, 'status', e.status, 'timezone', e.timezone, 'currency', e.currency,
    'testMode', e.test_mode, 'sandboxCards', e.sandbox_cards) as event,
  c.active and api_account_covers(a.allowed_tenants, a.allowed_clients, a.allowed_events, t.code, c.code, e.code) as covered,
  s.ended_at is not null or exists (
    select from participants p
    where p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = any(s.participant_ids) and p.email_norm is distinct from lanyard_fold_email(s.email)
  ) as over
from participant_sessions s
join api_accounts a on a.tenant_id = s.tenant_id and a.id = s.account_id
join events e on e.tenant_id = s.tenant_id and e.id = s.event_id
join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id
join tenants t on t.id = s.tenant_id
where s.tenant_id = $1 and s.hash = $2 and s.account_id = $3 and s.expires_at > lanyard_now()`

const invalidSessionError = () =>
  new AppError('precondition_failed', 'Invalid or expired participant session', {
    fix: { say: 'call agent_request_otp, then agent_verify_otp with the code that the person reads to you, and use the new session.' },
  })

/**
 * Verifies a participant's sign-in session. If the API account no longer covers the event, that is reported first, because signing in again
 * would not help.
 */
export async function verifyParticipantSession(
  pool: Pool,
  account: { tenantId: number; id: string },
  token: string,
): Promise<ParticipantSession> {
  const { rows } = await pool.query<SessionRow>(VERIFY_SESSION, [account.tenantId, hashToken(token), account.id])
  if (!rows[0]) throw invalidSessionError()
  const { covered, over, ...session } = rows[0]
  if (!covered) throw new AppError('forbidden', 'This API account is no longer authorized for this event.')
  if (over) throw invalidSessionError()
  return session
}

/**
 * Issues a sign-in session of one hour for the registrations of a verified email address. Registrations that other visitors have only
 * started on a public page are not included. Browser sessions that were opened without proof of the email address are ended.
 */
export async function issueParticipantSession(
  db: Db,
  at: { tenantId: number; accountId: string; eventId: string; email: string },
): Promise<{ token: Secret; expiresAt: Date; participantExists: boolean }> {
  const token = newToken('lps_')
  await sql`select registrations_verify(${at.tenantId}, ${at.eventId}, ${at.email}, null)`.execute(db)
  const { rows } = await sql<{ expiresAt: Date; participantExists: boolean }>`
    insert into participant_sessions (tenant_id, hash, account_id, event_id, email, participant_ids, expires_at)
    select e.tenant_id, ${hashToken(token)}, ${at.accountId}, e.id, ${at.email}, array(
        select p.id from participants p
        where p.tenant_id = e.tenant_id and p.event_id = e.id and ${identifies(at.email)}
        order by p.id
      ), lanyard_now() + interval '1 hour'
    from events e where e.tenant_id = ${at.tenantId} and e.id = ${at.eventId}
    returning expires_at as "expiresAt", cardinality(participant_ids) > 0 as "participantExists"`.execute(db)
  return { token: new Secret(token), ...rows[0]! }
}

/** SQL condition: a sign-in session of this email address gives access to the registration `p` at the event `e`. */
const identifies = (email: string) => sql`p.email_norm = ${foldEmailCase(email)} and p.status <> 'cancelled'
          and not (p.email_unverified and p.status = 'incomplete') and (e.test_mode or not p.is_test_data)`

/** Whether a sign-in session that is issued now to this email address would give access to a registration. */
export async function hasAccessibleRegistration(db: Db, at: { tenantId: number; eventId: string; email: string }): Promise<boolean> {
  const { rows } = await sql`
    select from participants p join events e on e.tenant_id = p.tenant_id and e.id = p.event_id
    where p.tenant_id = ${at.tenantId} and p.event_id = ${at.eventId} and ${identifies(at.email)} limit 1`.execute(db)
  return rows.length > 0
}

/** Ends all open sign-in sessions of participants at the event and returns their number. */
export async function endParticipantSessions({ db, tenantId, event }: EventScope): Promise<number> {
  const { numAffectedRows } = await sql`
    update participant_sessions set ended_at = lanyard_now()
    where tenant_id = ${tenantId} and event_id = ${event.id} and ended_at is null and expires_at > lanyard_now()`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Deletes expired sign-in sessions after another day, so that problems can be investigated. */
export async function cleanUpParticipantSessions(db: Db): Promise<void> {
  await sql`delete from participant_sessions where expires_at < lanyard_now() - interval '1 day'`.execute(db)
}
