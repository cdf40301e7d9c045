import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { defineRecord, editRecord, toRecordFieldValues, lockRecord } from '../../kernel/records.ts'
import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { readPage } from '../../kernel/page.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { AssistantMemorySubject } from './places.ts'

export const MAX_TITLE_CHARACTERS = 160
export const MAX_TEXT_CHARACTERS = 8000
export const MAX_MEMORY_TAGS = 20
export const MAX_TAG_CHARACTERS = 40

export interface AssistantMemoryContent {
  title: string
  text: string
  tags: readonly string[]
  pinned: boolean
  expiresAt: Date | null
}

interface MemoryListRequest {
  /** The client or event whose memories are listed; if left out, the client and all its events. */
  place?: AssistantMemorySubject | undefined
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** Lists all memories (notes for assistants) of the client and its events for the console, including expired ones. */
export function listAssistantMemories(ctx: ClientContext, { place, search, ...paging }: MemoryListRequest) {
  let rows = tenantDb(ctx)
    .selectFrom('memories')
    .innerJoin('users', (join) => join.onRef('users.tenant_id', '=', 'memories.tenant_id').onRef('users.id', '=', 'memories.created_by'))
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
  if (search) rows = rows.where(buildWordMatchCondition(sql`memories.searched`, search))
  return readPage(ctx, paging, {
    rows,
    order: [
      { by: sql`(not memories.pinned)::int`, type: 'integer', of: (row) => (row.pinned ? 0 : 1) },
      { by: sql`memories.updated_at`, type: 'timestamptz', descending: true, of: (row) => formatInstant(row.updatedAt) },
      { by: sql`memories.id`, type: 'text', descending: true, of: (row) => row.id },
    ],
    shape: (row) => row,
  })
}

export type ListedAssistantMemory = Awaited<ReturnType<typeof listAssistantMemories>>['items'][number]

const MEMORY_RECORD = defineRecord({
  table: 'memories',
  kind: 'memory',
  noun: 'Memory',
  name: ({ title }) => title,
  primaryKey: ['tenant_id', 'id'],
  fields: { eventId: 'event_id', title: 'title', text: 'body', tags: 'tags', pinned: 'pinned', expiresAt: 'expires_at' },
})

const ownKey = (ctx: ClientContext, id: string) => ({ tenant_id: ctx.tenantId, client_id: ctx.client.id, id })

const memoryNotFound = () => notFound('This memory was deleted or never existed')

export async function getAssistantMemory(ctx: ClientContext, id: string) {
  const row = await tenantDb(ctx)
    .selectFrom('memories')
    .select(['id', 'event_id as eventId', 'title', 'body as text', 'tags', 'pinned', 'expires_at as expiresAt', 'revision'])
    .select(
      sql<string | null>`(select e.code from events e where e.tenant_id = memories.tenant_id and e.id = memories.event_id)`.as('eventCode'),
    )
    .where('client_id', '=', ctx.client.id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw memoryNotFound()
  return row
}

export async function insertAssistantMemory(
  ctx: ClientContext,
  place: AssistantMemorySubject,
  { title, text, tags, pinned, expiresAt }: AssistantMemoryContent,
): Promise<string> {
  const row = await ctx.db
    .insertInto('memories')
    .values({
      tenant_id: ctx.tenantId,
      id: newId(),
      client_id: ctx.client.id,
      event_id: place.eventId,
      created_by: ctx.actor.id,
      title,
      body: text,
      tags: [...tags],
      pinned,
      expires_at: expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: MEMORY_RECORD.kind, id: row.id, after: toRecordFieldValues(MEMORY_RECORD, row) })
  return row.id
}

/** Replaces a memory (a note for assistants) if its revision is unchanged. Another event or client in the input moves the memory there. */
export async function editAssistantMemory(
  ctx: ClientContext,
  { eventId }: AssistantMemorySubject,
  { id, ...edit }: AssistantMemoryContent & { id: string; ifRevision: number | undefined },
): Promise<void> {
  const before = await lockRecord(ctx, MEMORY_RECORD, ownKey(ctx, id))
  if (!before) throw memoryNotFound()
  await editRecord(ctx, MEMORY_RECORD, before, { ...edit, eventId })
}

export async function deleteAssistantMemory(ctx: ClientContext, id: string): Promise<void> {
  const before = await lockRecord(ctx, MEMORY_RECORD, ownKey(ctx, id))
  if (!before) throw memoryNotFound()
  await tenantDb(ctx).deleteFrom('memories').where('id', '=', id).execute()
  recordChange(ctx, { kind: MEMORY_RECORD.kind, id, before: toRecordFieldValues(MEMORY_RECORD, before) })
}
