import { randomBytes, randomInt } from 'node:crypto'
import { type Expression, type Insertable, sql, type Updateable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { SerializationConflict, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { splitIntoInsertBatches } from '../../kernel/insert-batches.ts'
import { incrementRevision } from '../../kernel/revisions.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildContactIdExpression, createMissingContacts } from '../contacts/link.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { RegistrationContext } from './event-snapshot.ts'
import { announceParticipantChange } from './announce-participants.ts'
import { checkStateChange } from '../../kernel/states.ts'
import { PARTICIPANT_STATES } from './states.ts'

type ParticipantScope = Pick<RegistrationContext, 'db' | 'tenantId' | 'event'>
type ParticipantChangeScope = ParticipantScope & Pick<RegistrationContext, 'announced' | 'actor'>

const participants = (ctx: ParticipantScope) => eventDb(ctx).selectFrom('participants').selectAll()

export async function getParticipant(ctx: ParticipantScope, id: string): Promise<ParticipantRow> {
  const row = await participants(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No participant ${id} here`)
  return row
}

export const getParticipants = (ctx: ParticipantScope, ids: readonly string[]): Promise<ParticipantRow[]> =>
  participants(ctx)
    .where('id', '=', sql<string>`any(${ids})`)
    .orderBy('id')
    .execute()

/** Locks participants by id, so that two changes of several participants do not deadlock. */
export const lockParticipants = (ctx: ParticipantScope, ids: readonly string[]): Promise<ParticipantRow[]> =>
  participants(ctx)
    .where('id', '=', sql<string>`any(${ids})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

export const listGuests = (ctx: ParticipantScope, hostId: string): Promise<ParticipantRow[]> =>
  participants(ctx).where('host_id', '=', hostId).where('status', '<>', 'cancelled').orderBy('created_at').orderBy('id').execute()

/** SQL condition that excludes unfinished registrations of visitors whose email address is not verified. */
export const hasVerifiedEmailOrFinishedSql = sql<boolean>`not (email_unverified and status = 'incomplete')`

export interface ParticipantIdentity {
  firstName: string | null
  lastName: string | null
  email: string | null
  hostId: string | null
}

/**
 * Finds an existing registration of the same person: same normalized name and same email, or same host for guests without an email.
 * Unfinished registrations of unverified visitors do not count, because another person may have made them. With `isVerified`, their
 * finished registrations do not count either.
 */
export async function findDuplicateRegistration(
  ctx: ParticipantScope,
  { firstName, lastName, email, hostId }: ParticipantIdentity,
  { isTest = false, isVerified = false }: { isTest?: boolean; isVerified?: boolean } = {},
): Promise<ParticipantRow | null> {
  if (firstName === null || lastName === null || (email ?? hostId) === null) return null
  const row = await participants(ctx)
    .where('name_norm', '=', sql<string>`btrim(lanyard_searched(${firstName}::text, ${lastName}::text))`)
    .where((eb) =>
      email === null ? eb.and([eb('email_norm', 'is', null), eb('host_id', '=', hostId)]) : eb('email_norm', '=', foldEmailCase(email)),
    )
    // The status is part of the SQL text and not a parameter, so that PostgreSQL plans the statement once instead of for every value.
    .where(sql<boolean>`status <> 'cancelled'`)
    .where(isTest ? sql<boolean>`is_test_data` : sql<boolean>`not is_test_data`)
    .where('first_name', 'is not', null)
    .where('last_name', 'is not', null)
    .where(isVerified ? sql<boolean>`not email_unverified` : hasVerifiedEmailOrFinishedSql)
    .orderBy('email_unverified')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Finds another registration of the same person, whose existence prevents the caller from saving this name and email address. A
 * registration with an unverified mailbox is not compared, so that its visitor does not learn who is registered.
 */
export async function findConflictingRegistration(
  ctx: ParticipantScope,
  row: ParticipantRow,
  identity: Omit<ParticipantIdentity, 'hostId'>,
): Promise<ParticipantRow | null> {
  if (row.email_unverified) return null
  const found = await findDuplicateRegistration(ctx, { ...identity, hostId: row.host_id }, { isTest: row.is_test_data, isVerified: true })
  return found?.id === row.id ? null : found
}

type NewParticipant = Omit<Insertable<Tables['participants']>, 'tenant_id' | 'event_id' | 'id' | 'tags'> & {
  id?: string
  tags?: Expression<string[]>
}

/**
 * Inserts a participant. If the same person was registered concurrently, throws so that the transaction is retried and finds the existing
 * row.
 */
export async function insertParticipant(ctx: ParticipantChangeScope, row: NewParticipant): Promise<ParticipantRow> {
  const inserted = await ctx.db
    .insertInto('participants')
    .values({ ...row, ...buildContactIdExpression(ctx, null, row), tenant_id: ctx.tenantId, event_id: ctx.event.id, id: row.id ?? newId() })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!inserted) throw new SerializationConflict('the person was registered by a concurrent transaction')
  announceParticipantChange(ctx, null, inserted)
  return inserted
}

/** The number of query parameters that one imported participant needs in the SQL that finds or creates their contact record. */
const CONTACT_PARAMETERS = 8

/**
 * Inserts imported participants in bulk, without announcements. Rows are sorted by email address, so that two imports of the same people
 * lock contacts in the same order.
 */
export async function insertImportedParticipants(
  ctx: ParticipantChangeScope,
  rows: readonly (NewParticipant & { id: string })[],
): Promise<void> {
  const address = ({ email }: NewParticipant) => foldEmailCase(email?.trim() ?? '')
  const ordered = rows.toSorted((a, b) => (address(a) < address(b) ? -1 : address(a) > address(b) ? 1 : 0))
  const created = await createMissingContacts(ctx, ordered)
  const inserted = ordered.map((row) => ({
    ...row,
    ...(created.has(row) ? { contact_id: created.get(row)! } : buildContactIdExpression(ctx, null, row)),
    tenant_id: ctx.tenantId,
    event_id: ctx.event.id,
  }))
  for (const part of splitIntoInsertBatches(inserted, CONTACT_PARAMETERS))
    await ctx.db.insertInto('participants').values(part).execute().catch(toRetryError)
}

/** Reassigns the staff of a company that was merged into another company. */
export async function moveStaffToMergedCompany(ctx: ParticipantScope, fromCompanyId: string, toCompanyId: string): Promise<void> {
  await eventDb(ctx).updateTable('participants').set({ company_id: toCompanyId }).where('company_id', '=', fromCompanyId).execute()
}

export async function clearParticipantCompany(ctx: ParticipantScope, id: string): Promise<void> {
  await eventDb(ctx).updateTable('participants').set({ company_id: null }).where('id', '=', id).execute()
}

/** Links a participant to the company that they work for. */
export async function setParticipantCompany(ctx: ParticipantScope, id: string, companyId: string): Promise<void> {
  await eventDb(ctx).updateTable('participants').set({ company_id: companyId }).where('id', '=', id).execute()
}

/**
 * Updates a participant with optimistic locking. If the row was changed since it was read, throws so that the transaction is retried with
 * current data.
 */
export async function updateParticipant(
  ctx: ParticipantChangeScope,
  before: ParticipantRow,
  columns: Omit<Updateable<Tables['participants']>, 'tags'> & { tags?: string[] | Expression<string[]> },
): Promise<ParticipantRow> {
  checkStateChange(PARTICIPANT_STATES, before, columns)
  const updated = await eventDb(ctx)
    .updateTable('participants')
    .set({ ...columns, ...buildContactIdExpression(ctx, before, columns) })
    .where('id', '=', before.id)
    .where('revision', '=', before.revision)
    .returningAll()
    .executeTakeFirst()
    .catch(toRetryError)
  if (!updated) throw new SerializationConflict('the registration was changed by a concurrent transaction')
  announceParticipantChange(ctx, before, updated)
  return updated
}

/**
 * Removes the last names of participants, which the caller sets again in the same transaction. Registrations without a name are not compared,
 * so participants can exchange their names and email addresses, although each of them is taken until the other is updated.
 */
export async function releaseNames(ctx: ParticipantScope, before: readonly ParticipantRow[]): Promise<ParticipantRow[]> {
  if (before.length === 0) return []
  const { rows } = await sql<{ id: string; revision: number }>`
    update participants p set last_name = null from unnest(${before.map(({ id }) => id)}::text[], ${before.map(({ revision }) => revision)}::int[]) as b (id, revision)
    where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.id = b.id and p.revision = b.revision
    returning p.id, p.revision`.execute(ctx.db)
  const revisions = new Map(rows.map(({ id, revision }) => [id, revision]))
  return before.map((row) => {
    const revision = revisions.get(row.id)
    if (revision === undefined) throw new SerializationConflict('the registration was changed by a concurrent transaction')
    return { ...row, revision }
  })
}

/** Replaces the answers that have no column of their own, of several participants that the caller has locked. */
export async function updateParticipantAnswers(
  ctx: ParticipantChangeScope,
  changes: readonly { before: ParticipantRow; answers: Readonly<Record<string, unknown>> }[],
): Promise<{ before: ParticipantRow; after: ParticipantRow }[]> {
  if (changes.length === 0) return []
  const columns = JSON.stringify(changes.map(({ before, answers }) => ({ id: before.id, answers })))
  const { rows } = await sql<ParticipantRow>`
    update participants p set answers = c.answers from jsonb_to_recordset(${columns}::jsonb) as c (id text, answers jsonb)
    where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.id = c.id returning p.*`.execute(ctx.db)
  return changes.map(({ before }) => {
    const after = rows.find(({ id }) => id === before.id)!
    announceParticipantChange(ctx, before, after)
    return { before, after }
  })
}

/**
 * Increments the revision of a participant whose purchases changed. Purchases are stored in other tables, and an edit that is based on the
 * old purchases must fail and start over.
 */
export async function incrementParticipantRevision(ctx: ParticipantScope, before: ParticipantRow): Promise<ParticipantRow> {
  const raised = await incrementRevision(ctx, 'participants', before)
  if (!raised) throw new SerializationConflict('the registration was changed by a concurrent transaction')
  return raised
}

/** Converts a unique violation on name and email into a retry, because a concurrent transaction registered the same person. */
function toRetryError(error: unknown): never {
  const { code, constraint } = error as { code?: string; constraint?: string }
  throw code === '23505' && constraint === 'participants_once'
    ? new SerializationConflict('the person was registered by a concurrent transaction')
    : error
}

// Characters of confirmation numbers, without lookalikes such as 0 and O.
const UNAMBIGUOUS_CHARACTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Generates the confirmation number for people and the badge id for scanners, when a registration is completed. */
export const generateConfirmationAndBadgeIds = () => ({
  confirmation_number: Array.from({ length: 10 }, () => UNAMBIGUOUS_CHARACTERS[randomInt(UNAMBIGUOUS_CHARACTERS.length)]).join(''),
  badge_id: randomBytes(8).toString('hex'),
})
