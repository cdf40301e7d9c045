import { randomBytes, randomInt } from 'node:crypto'
import { type Insertable, sql, type Updateable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { MetAnother, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { contactOf } from '../contacts/link.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent } from './scene.ts'
import { announcePerson } from './announce-people.ts'

type Where = Pick<AtEvent, 'db' | 'tenantId' | 'event'>
type Changing = Where & Pick<AtEvent, 'announced' | 'actor'>

const participants = ({ db, tenantId, event }: Where) =>
  db.selectFrom('participants').selectAll().where('tenant_id', '=', tenantId).where('event_id', '=', event.id)

export async function getParticipant(ctx: Where, id: string): Promise<ParticipantRow> {
  const row = await participants(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No participant ${id} here`)
  return row
}

export const getParticipants = (ctx: Where, ids: readonly string[]): Promise<ParticipantRow[]> =>
  participants(ctx)
    .where('id', '=', sql<string>`any(${ids})`)
    .orderBy('id')
    .execute()

export const guestsOf = (ctx: Where, hostId: string): Promise<ParticipantRow[]> =>
  participants(ctx).where('host_id', '=', hostId).where('status', '<>', 'cancelled').orderBy('created_at').orderBy('id').execute()

export interface Identity {
  firstName: string | null
  lastName: string | null
  email: string | null
  hostId: string | null
}

/** The registration that this person has already: same name however written, same address, or the same host for guests without one. */
export async function findTwin(
  ctx: Where,
  { firstName, lastName, email, hostId }: Identity,
  { isTest = false }: { isTest?: boolean } = {},
): Promise<ParticipantRow | null> {
  if (firstName === null || lastName === null || (email ?? hostId) === null) return null
  const row = await participants(ctx)
    .where('name_norm', '=', sql<string>`btrim(lanyard_searched(${firstName}::text, ${lastName}::text))`)
    .where(sql`coalesce(email_norm, host_id)`, '=', email === null ? hostId : sql<string>`lower(${email})`)
    .where('status', '<>', 'cancelled')
    .where('is_test_data', '=', isTest)
    .where('first_name', 'is not', null)
    .where('last_name', 'is not', null)
    .executeTakeFirst()
  return row ?? null
}

type NewParticipant = Omit<Insertable<Tables['participants']>, 'tenant_id' | 'event_id' | 'id'>

/** A new row. When the same person was registered meanwhile, the whole change is done again and finds them. */
export async function insertParticipant(ctx: Changing, row: NewParticipant): Promise<ParticipantRow> {
  const inserted = await ctx.db
    .insertInto('participants')
    .values({ ...row, ...contactOf(ctx, null, row), tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId() })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!inserted) throw new MetAnother('the person was registered meanwhile')
  announcePerson(ctx, null, inserted)
  return inserted
}

/** Changes a row that is still as it was read; when it is not, the whole change is done again from what it is now. */
export async function updateParticipant(
  ctx: Changing,
  before: ParticipantRow,
  columns: Updateable<Tables['participants']>,
): Promise<ParticipantRow> {
  const updated = await ctx.db
    .updateTable('participants')
    .set({ ...columns, ...contactOf(ctx, before, columns) })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', before.id)
    .where('revision', '=', before.revision)
    .returningAll()
    .executeTakeFirst()
    .catch(asMeeting)
  if (!updated) throw new MetAnother('the registration was changed meanwhile')
  announcePerson(ctx, before, updated)
  return updated
}

/** Somebody else took this name and address between our look and our write. */
function asMeeting(error: unknown): never {
  const { code, constraint } = error as { code?: string; constraint?: string }
  throw code === '23505' && constraint === 'participants_once' ? new MetAnother('the person was registered meanwhile') : error
}

// Without letters that are read as others.
const SIGNS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** What a finished registration is known by: to people, and to whoever scans a badge. */
export const newNumbers = () => ({
  confirmation_number: Array.from({ length: 10 }, () => SIGNS[randomInt(SIGNS.length)]).join(''),
  badge_id: randomBytes(8).toString('hex'),
})
