import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { count, flag, instant, list, object, oneOf, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page.ts'
import { formatInstant } from '../../kernel/time.ts'
import { isVisibleAssistantMemory, type AssistantMemoryFilter } from './visibility.ts'
import type { MemoriesTable } from './tables.ts'

export const AssistantMemory = object({
  id: text(),
  scope: oneOf(['client', 'event']),
  title: text(),
  text: z.string(),
  tags: list(text()),
  pinned: flag(),
  source: oneOf(['assistant', 'organizer']),
  createdBy: text(),
  createdAt: instant(),
  updatedAt: instant(),
  expiresAt: instant().nullable(),
  revision: count(1),
})

type MemoryRow = Omit<Selectable<MemoriesTable>, 'tenant_id' | 'client_id' | 'words' | 'searched' | 'created_by'> & { author: string }

const toMemory = (row: MemoryRow): z.input<typeof AssistantMemory> => ({
  id: row.id,
  scope: row.event_id === null ? 'client' : 'event',
  title: row.title,
  text: row.body,
  tags: row.tags,
  pinned: row.pinned,
  source: row.source,
  createdBy: row.author,
  createdAt: formatInstant(row.created_at),
  updatedAt: formatInstant(row.updated_at),
  expiresAt: row.expires_at && formatInstant(row.expires_at),
  revision: row.revision,
})

interface RetrieveRequest extends AssistantMemoryFilter {
  ids?: readonly string[] | undefined
  since?: string | undefined
  pinnedOnly?: boolean | undefined
  /** Maximum number of memories. By default all memories with the requested ids, or 25 if no ids are requested. */
  limit?: number | undefined
  cursor?: string | undefined
}

/** Returns memories (notes for assistants) by id or scope; pinned ones first, then the newest. */
export async function retrieveAssistantMemories(ctx: EventContext, request: RetrieveRequest) {
  const { ids, since, pinnedOnly } = request
  if (ids) refuseFilters(request)
  const sight = isVisibleAssistantMemory(ctx, request)
  // One SQL statement reads both the memories and which of the requested ids exist, so that the two results match.
  const known = sql<string[]>`array(select memories.id from memories where ${sight} and memories.id = any(${ids ?? []}::text[]))`
  let rows = ctx.db
    .selectFrom('memories')
    .innerJoin('users', (join) => join.onRef('users.tenant_id', '=', 'memories.tenant_id').onRef('users.id', '=', 'memories.created_by'))
    .where(sight)
    .select([
      'memories.id',
      'memories.event_id',
      'memories.title',
      'memories.body',
      'memories.tags',
      'memories.pinned',
      'memories.source',
      'memories.expires_at',
      'memories.revision',
      'memories.created_at',
      'memories.updated_at',
      'users.name as author',
      known.as('known'),
    ])
  if (ids) rows = rows.where(sql<boolean>`memories.id = any(${ids})`)
  if (since) rows = rows.where(sql<boolean>`memories.updated_at >= ${since}::timestamptz`)
  if (pinnedOnly) rows = rows.where('memories.pinned', '=', true)
  let found: readonly string[] = []
  const { items: memories, ...page } = await readPage(
    ctx,
    { ...request, limit: request.limit ?? ids?.length ?? 25 },
    {
      rows,
      order: [
        { by: sql`(not memories.pinned)::int`, type: 'integer', of: (row) => (row.pinned ? 0 : 1) },
        { by: sql`memories.updated_at`, type: 'timestamptz', descending: true, of: (row) => formatInstant(row.updated_at) },
        { by: sql`memories.id`, type: 'text', descending: true, of: (row) => row.id },
      ],
      shape: (row) => {
        found = row.known
        return toMemory(row)
      },
    },
  )
  return { memories, missing: [...new Set(ids)].filter((id) => !found.includes(id)), ...page }
}

function refuseFilters({ scope, tags, since, pinnedOnly }: RetrieveRequest): void {
  const given = Object.entries({ scope, tags, since, pinnedOnly }).filter(([, value]) => value !== undefined && value !== false)
  if (given.length > 0)
    throw invalidArguments(given.map(([path]) => ({ path, message: 'cannot be combined with ids: leave one of them out' })))
}
