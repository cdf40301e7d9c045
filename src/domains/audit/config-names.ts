import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { parseItemPath, findItemKeyProperty } from '../configuration/diff/describe-path.ts'
import { toPointer } from '../configuration/pointers.ts'
import type { AuditEntry } from './log.ts'

/** Returns the current name of a product, question, flow or other item of the draft, by event id and JSON pointer. */
export type FindConfigItemName = (eventId: string, pointer: string) => string | null

/** Maximum number of fields of one changed record for which the names of products, questions and other configuration items are read. */
const MAX_NAMED_FIELDS = 60

/** Returns the JSON pointer of the product or custom field that a field such as `@custom.diet` refers to; null for other fields. */
export function findConfigPointerOfAnswer(field: string): string | null {
  const [, kind, code] = /^@(product|custom)\.([a-z0-9-]+)$/.exec(field) ?? []
  return code === undefined ? null : toPointer([kind === 'product' ? 'products' : 'customFields', code])
}

/**
 * Reads the names of the configuration items in these log entries in one statement. Only the configuration sections concerned are
 * expanded, and only names leave the database.
 */
export async function readConfigItemNames(
  { db, tenantId }: Pick<Context, 'db' | 'tenantId'>,
  entries: readonly AuditEntry[],
): Promise<FindConfigItemName> {
  const sections = new Map<string, { eventId: string; section: string }>()
  const keys = new Set<string>()
  for (const { event, targets } of entries)
    for (const { kind, id, fields } of targets) {
      const eventId = kind === 'configuration' ? id : event?.id
      if (eventId === undefined) continue
      for (const field of Object.keys(fields).slice(0, MAX_NAMED_FIELDS)) {
        const item = parseItemPath(findConfigPointerOfAnswer(field) ?? field)
        if (item === null) continue
        sections.set(`${eventId} ${item.section}`, { eventId, section: item.section })
        keys.add(item.key)
      }
    }
  if (keys.size === 0) return () => null
  const wantedSections = [...sections.values()]
  const { rows } = await sql<{ eventId: string; section: string; key: string; name: string | null; pages: Record<string, string> | null }>`
    select w.event_id as "eventId", w.section, i.item ->> w.key as key, coalesce(i.item ->> 'name', i.item ->> 'title', i.item ->> 'subject') as name,
      case when w.section = 'flows' then (select jsonb_object_agg(p ->> 'code', p ->> 'title')
        from jsonb_array_elements(i.item -> 'pages') p where p ->> 'code' is not null) end as pages
    from unnest(${wantedSections.map(({ eventId }) => eventId)}::text[], ${wantedSections.map(({ section }) => section)}::text[],
      ${wantedSections.map(({ section }) => findItemKeyProperty(section))}::text[]) w (event_id, section, key)
    join config_drafts d on d.tenant_id = ${tenantId} and d.event_id = w.event_id
    cross join lateral jsonb_array_elements(d.document -> w.section) i (item)
    where i.item ->> w.key = any(${[...keys]})`.execute(db)
  const names = new Map<string, string>()
  for (const { eventId, section, key, name, pages } of rows) {
    if (name) names.set(eventId + toPointer([section, key]), name)
    for (const [code, title] of Object.entries(pages ?? {})) if (title) names.set(eventId + toPointer([section, key, 'pages', code]), title)
  }
  return (eventId, pointer) => names.get(eventId + pointer) ?? null
}
