import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { foldEmailCase, toEmailAddress } from '../../kernel/email-address.ts'
import type { Pool } from '../../kernel/ports.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import type { PersonSessionKind } from './tables.ts'

/** A person's valid browser session at one event. */
export interface PersonSession {
  tokenHash: Buffer
  email: string
  /** The registrations that the browser session gives access to. */
  participantIds: readonly string[]
  /** The registration that the person selected in this session; null if there is none or none is selected yet. */
  participantId: string | null
  /** Whether the person has proved access to the mailbox, by a code or a link. False after starting a registration on a public page. */
  verified: boolean
  /** Whether the mailbox was verified by a code and had no registration at that time. */
  wasUnregistered: boolean
  /** The company that was chosen in the exhibitor portal. */
  companyId: string | null
}

export const PERSON_SESSION_SECONDS = 12 * 3600

interface NewPersonSession {
  tenantId: number
  eventId: string
  email: string
  /** The only registration that the session gives access to: one that was started in this browser, or that was opened by its own link. */
  participantId?: string
  kind?: PersonSessionKind
  /** Whether the person has proved access to the mailbox. False for a visitor who has only started the registration on a public page. */
  verified?: boolean
  /** The registration that was started in this browser before the visitor entered the emailed code. The mailbox owner gets access to it. */
  startedId?: string | null
}

/**
 * SQL condition: the registration `p` was started by a visitor who has not verified the mailbox. Other people with the same email address
 * neither see nor continue it.
 */
const isStartedByStranger = sql`p.email_unverified and p.status = 'incomplete'`

/**
 * Creates a participant's browser session. Every sign-in gets a new token, which prevents session fixation. A person who has verified the
 * mailbox gets access to its registrations, and to cancelled ones only if there are no others. Browser sessions that were opened for these
 * registrations without verification end. Sessions of group admins and of the exhibitor portal contain no registration.
 */
export async function createPersonSession(
  db: Db,
  { tenantId, eventId, email, participantId, kind = 'person', verified = true, startedId = null }: NewPersonSession,
): Promise<Secret> {
  const token = newToken('lpb_')
  const byMailbox = kind === 'person' ? sql`p.email_norm = ${foldEmailCase(email)} and not (${isStartedByStranger})` : sql`false`
  const whose = participantId === undefined ? byMailbox : sql`p.id = ${participantId}`
  if (verified && kind === 'person') {
    const named = participantId ?? startedId
    await sql`select registrations_verify(${tenantId}, ${eventId}, ${participantId === undefined ? email : null}, ${named})`.execute(db)
  }
  await sql`
    with own as (
      select p.id, p.status = 'cancelled' as cancelled from events e
      join participants p on p.tenant_id = e.tenant_id and p.event_id = e.id
      where e.tenant_id = ${tenantId} and e.id = ${eventId} and ${whose} and (e.test_mode or not p.is_test_data)
    ), good as (
      select array(select id from own where not cancelled or not exists (select from own where not cancelled) order by id) as ids
    )
    insert into person_sessions (tenant_id, hash, kind, event_id, email, verified, participant_ids, participant_id, expires_at)
    select ${tenantId}, ${hashToken(token)}, ${kind}, ${eventId}, ${toEmailAddress(email) ?? email}, ${verified}, ids,
      case when cardinality(ids) = 1 then ids[1] when ${startedId}::text = any(ids) then ${startedId} end,
      lanyard_now() + make_interval(secs => ${PERSON_SESSION_SECONDS})
    from good`.execute(db)
  return new Secret(token)
}

/**
 * SQL: reads the session and its current registrations and updates its last use. A session whose email address is not verified gives access
 * to a registration only until the owner of the mailbox has verified it. A verified session without registrations gets those that the
 * mailbox got since then, so that the person need not verify it again. Test registrations are included only while the event is in test
 * mode.
 */
const VERIFY_PERSON_SESSION = `
with session as materialized (
  select s.tenant_id, s.hash, s.email, s.verified, s.participant_id, s.company_id, s.last_seen_at,
    s.kind = 'person' and s.verified and cardinality(s.participant_ids) = 0 as unregistered,
    array(
      select p.id from participants p
      where p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.email_norm = lanyard_fold_email(s.email)
        and (e.test_mode or not p.is_test_data)
        and (p.id = any(s.participant_ids) and (s.verified or p.email_unverified)
          or s.kind = 'person' and s.verified and cardinality(s.participant_ids) = 0 and p.status <> 'cancelled'
            and not (p.email_unverified and p.status = 'incomplete'))
      order by p.id) as ids
  from person_sessions s join events e on e.tenant_id = s.tenant_id and e.id = s.event_id
  where s.tenant_id = $1 and s.hash = $2 and s.event_id = $3 and s.kind = $4 and s.expires_at > lanyard_now()
), current as (
  select *, unregistered and cardinality(ids) > 0 as found,
    case when participant_id = any(ids) then participant_id when unregistered and cardinality(ids) = 1 then ids[1] end as selected
  from session
), touched as (
  update person_sessions s set last_seen_at = lanyard_now(),
    participant_ids = case when v.found then v.ids else s.participant_ids end,
    participant_id = case when v.found then v.selected else s.participant_id end
  from current v
  where s.tenant_id = v.tenant_id and s.hash = v.hash and (v.found or v.last_seen_at < lanyard_now() - interval '1 minute')
)
select hash as "tokenHash", email, verified, ids as "participantIds", selected as "participantId", unregistered and not found as "wasUnregistered",
  company_id as "companyId"
from current`

export async function verifyPersonSession(
  pool: Pool,
  at: { tenantId: number; eventId: string },
  token: string,
  kind: PersonSessionKind = 'person',
): Promise<PersonSession | null> {
  const { rows } = await pool.query<PersonSession>(VERIFY_PERSON_SESSION, [at.tenantId, hashToken(token), at.eventId, kind])
  return rows[0] ?? null
}

/** Selects one of several registrations for a browser session. Returns false if the session does not give access to the registration. */
export async function setSessionRegistration(
  db: Db,
  { tenantId, tokenHash }: { tenantId: number; tokenHash: Buffer },
  participantId: string,
): Promise<boolean> {
  const { rows } = await sql`
    update person_sessions set participant_id = ${participantId}
    where tenant_id = ${tenantId} and hash = ${tokenHash} and ${participantId} = any(participant_ids) returning 1`.execute(db)
  return rows.length === 1
}

/** Stores which company a session of the exhibitor portal is about. The caller has checked access to the company. */
export async function setSessionCompany(
  db: Db,
  { tenantId, tokenHash }: { tenantId: number; tokenHash: Buffer },
  companyId: string,
): Promise<void> {
  await sql`
    update person_sessions set company_id = ${companyId} where tenant_id = ${tenantId} and hash = ${tokenHash} and kind = 'exhibitor'`.execute(
    db,
  )
}

export async function endPersonSession(db: Db, { tenantId, tokenHash }: { tenantId: number; tokenHash: Buffer }): Promise<void> {
  await sql`delete from person_sessions where tenant_id = ${tenantId} and hash = ${tokenHash}`.execute(db)
}
