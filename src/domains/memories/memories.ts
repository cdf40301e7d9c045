import { type Selectable, sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { readPage } from '../../kernel/page.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { matchesWords } from '../../kernel/search.ts'
import { toInstant } from '../../kernel/time.ts'
import type { Place } from './places.ts'
import type { MemoriesTable } from './tables.ts'

export const MAX_TITLE = 160
export const MAX_TEXT = 8000
export const MAX_TAGS = 20
export const MAX_TAG = 40

export interface MemoryText {
  title: string
  text: string
  tags: readonly string[]
  pinned: boolean
  expiresAt: Date | null
}

interface Request {
  /** Of this place only; left out, of the client and all its events. */
  place?: Place | undefined
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** Every memory of the client and its events, as the console shows them: expired ones too. */
export function listMemories(ctx: ClientContext, { place, search, ...paging }: Request) {
  let rows = ctx.db
    .selectFrom('memories')
    .innerJoin('users', (join) => join.onRef('users.tenant_id', '=', 'memories.tenant_id').onRef('users.id', '=', 'memories.created_by'))
    .where('memories.tenant_id', '=', ctx.tenantId)
    .where('memories.client_id', '=', ctx.client.id)
    .select([
      'memories.id',
      'memories.title',
      'memories.tags',
      'memories.pinned',
      'memories.updated_at as updatedAt',
      'memories.expires_at as expiresAt',
      'users.name as author',
      sql<boolean>`coalesce(memories.expires_at <= lanyard_now(), false)`.as('expired'),
      sql<string | null>`(select e.name from events e where e.tenant_id = memories.tenant_id and e.id = memories.event_id)`.as('event'),
    ])
  if (place) rows = rows.where(sql<boolean>`memories.event_id is not distinct from ${place.eventId}`)
  if (search) rows = rows.where(matchesWords([sql`memories.title`, sql`array_to_string(memories.tags, ' ')`, sql`memories.body`], search))
  return readPage(ctx, paging, {
    rows,
    order: [
      { by: sql`(not memories.pinned)::int`, type: 'integer', of: (row) => (row.pinned ? 0 : 1) },
      { by: sql`memories.updated_at`, type: 'timestamptz', descending: true, of: (row) => toInstant(row.updatedAt) },
      { by: sql`memories.id`, type: 'text', descending: true, of: (row) => row.id },
    ],
    shape: (row) => row,
  })
}

export type ListedMemory = Awaited<ReturnType<typeof listMemories>>['items'][number]

const own = (ctx: ClientContext, id: string) =>
  ctx.db
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('client_id', '=', ctx.client.id)
    .where('id', '=', id)

const lost = () => notFound('This memory was deleted, or never was')

export async function getMemory(ctx: ClientContext, id: string) {
  const code = sql<string | null>`(select e.code from events e where e.tenant_id = memories.tenant_id and e.id = memories.event_id)`
  const row = await own(ctx, id).select(code.as('eventCode')).executeTakeFirst()
  if (!row) throw lost()
  return { ...fieldsOf(row), id: row.id, eventCode: row.eventCode, expiresAt: row.expires_at, revision: row.revision }
}

const fieldsOf = (row: Selectable<MemoriesTable>) => ({
  eventId: row.event_id,
  title: row.title,
  text: row.body,
  tags: row.tags,
  pinned: row.pinned,
  expiresAt: row.expires_at && toInstant(row.expires_at),
})

const columnsOf = ({ title, text, tags, pinned, expiresAt }: MemoryText, { eventId }: Place) => ({
  event_id: eventId,
  title,
  body: text,
  tags: [...tags],
  pinned,
  expires_at: expiresAt,
})

export async function writeMemory(ctx: ClientContext, place: Place, written: MemoryText): Promise<string> {
  const row = await ctx.db
    .insertInto('memories')
    .values({ tenant_id: ctx.tenantId, id: newId(), client_id: ctx.client.id, created_by: ctx.actor.id, ...columnsOf(written, place) })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'memory', id: row.id, after: fieldsOf(row) })
  return row.id
}

/** Puts what was written in place of the memory as it was at that revision; a place of another name moves it there. */
export async function editMemory(
  ctx: ClientContext,
  place: Place,
  edit: MemoryText & { id: string; ifRevision: number | undefined },
): Promise<void> {
  const before = await own(ctx, edit.id).forUpdate().executeTakeFirst()
  if (!before) throw lost()
  checkRevision({ kind: 'Memory', name: before.title, revision: before.revision }, edit.ifRevision)
  const columns = columnsOf(edit, place)
  const changed = recordChange(ctx, {
    kind: 'memory',
    id: before.id,
    before: fieldsOf(before),
    after: fieldsOf({ ...before, ...columns }),
  })
  if (changed.length === 0) return
  await ctx.db.updateTable('memories').set(columns).where('tenant_id', '=', ctx.tenantId).where('id', '=', before.id).execute()
}

export async function deleteMemory(ctx: ClientContext, id: string): Promise<void> {
  const before = await own(ctx, id).forUpdate().executeTakeFirst()
  if (!before) throw lost()
  await ctx.db.deleteFrom('memories').where('tenant_id', '=', ctx.tenantId).where('id', '=', id).execute()
  recordChange(ctx, { kind: 'memory', id, before: fieldsOf(before) })
}
