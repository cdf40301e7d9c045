import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import type { AuditEntry, AuditedRecord } from './log.ts'

const MAX_LENGTH = 8000

const isCut = (value: unknown) => typeof value === 'object' && value !== null && 'cut' in value && 'sha256' in value

/**
 * Replaces texts that were shortened in the log with the full texts from `config_changes`. Edits of an event are sequential, so the last
 * edit before a log entry belongs to it.
 */
export async function restoreShortenedAuditTexts(
  { db, tenantId }: Pick<Context, 'db' | 'tenantId'>,
  entries: readonly AuditEntry[],
): Promise<AuditEntry[]> {
  const cut = entries.flatMap(({ id, at, targets }) =>
    targets
      .filter(({ kind }) => kind === 'configuration')
      .flatMap((target) =>
        Object.entries(target.fields)
          .filter(([, { before, after }]) => isCut(before) || isCut(after))
          .map(([path]) => ({ id, at, eventId: target.id, path })),
      ),
  )
  if (cut.length === 0) return [...entries]
  const { rows } = await sql<{ id: string; path: string; before: string; after: string }>`
    select w.id, w.path, j.one ->> 'before' as before, j.one ->> 'after' as after
    from unnest(${cut.map(({ id }) => id)}::text[], ${cut.map(({ at }) => at.toISOString())}::timestamptz[], ${cut.map(({ eventId }) => eventId)}::text[],
      ${cut.map(({ path }) => path)}::text[]) w (id, at, event_id, path)
    cross join lateral (select changes from config_changes c where c.tenant_id = ${tenantId} and c.event_id = w.event_id and c.at <= w.at
      order by draft_revision desc limit 1) c
    cross join lateral jsonb_array_elements(c.changes) j (one)
    where j.one ->> 'path' = w.path and jsonb_typeof(j.one -> 'before') = 'string' and jsonb_typeof(j.one -> 'after') = 'string'
      and length(j.one ->> 'before') <= ${MAX_LENGTH} and length(j.one ->> 'after') <= ${MAX_LENGTH}`.execute(db)
  const found = new Map(rows.map(({ id, path, ...texts }) => [`${id} ${path}`, texts]))
  const whole = (entryId: string, target: AuditedRecord): AuditedRecord =>
    target.kind === 'configuration'
      ? {
          ...target,
          fields: Object.fromEntries(
            Object.entries(target.fields).map(([path, field]) => [path, found.get(`${entryId} ${path}`) ?? field]),
          ),
        }
      : target
  return entries.map((entry) => ({ ...entry, targets: entry.targets.map((target) => whole(entry.id, target)) }))
}
