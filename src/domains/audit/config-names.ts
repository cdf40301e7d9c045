import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { itemsOn, keyOfSection } from '../configuration/diff/path-in-words.ts'
import { pointerOf } from '../configuration/pointers.ts'
import type { AuditEntry } from './log.ts'

/** What products, questions, flows and other items of drafts are called today: of an event, by pointer. */
export type ConfigNames = (eventId: string, pointer: string) => string | null

/** Of so many values of one record the places are named. */
const MOST_PLACES = 60

/** Where the answer to a product or to a question of the event's own is kept, as a pointer. */
export function pointerOfAnswer(field: string): string | null {
  const [, kind, code] = /^@(product|custom)\.([a-z0-9-]+)$/.exec(field) ?? []
  return code === undefined ? null : pointerOf([kind === 'product' ? 'products' : 'customFields', code])
}

/** Reads the names for these entries in one statement: only sections that they touch are looked into, and only names leave the database. */
export async function configNamesIn(
  { db, tenantId }: Pick<Context, 'db' | 'tenantId'>,
  entries: readonly AuditEntry[],
): Promise<ConfigNames> {
  const sections = new Map<string, { eventId: string; section: string }>()
  const keys = new Set<string>()
  for (const { event, targets } of entries)
    for (const { kind, id, fields } of targets) {
      const eventId = kind === 'configuration' ? id : event?.id
      if (eventId === undefined) continue
      for (const field of Object.keys(fields).slice(0, MOST_PLACES)) {
        const item = itemsOn(pointerOfAnswer(field) ?? field)
        if (item === null) continue
        sections.set(`${eventId} ${item.section}`, { eventId, section: item.section })
        keys.add(item.key)
      }
    }
  if (keys.size === 0) return () => null
  const looked = [...sections.values()]
  const { rows } = await sql<{ eventId: string; section: string; key: string; name: string | null; pages: Record<string, string> | null }>`
    select w.event_id as "eventId", w.section, i.item ->> w.key as key, coalesce(i.item ->> 'name', i.item ->> 'title', i.item ->> 'subject') as name,
      case when w.section = 'flows' then (select jsonb_object_agg(p ->> 'code', p ->> 'title')
        from jsonb_array_elements(i.item -> 'pages') p where p ->> 'code' is not null) end as pages
    from unnest(${looked.map(({ eventId }) => eventId)}::text[], ${looked.map(({ section }) => section)}::text[],
      ${looked.map(({ section }) => keyOfSection(section))}::text[]) w (event_id, section, key)
    join config_drafts d on d.tenant_id = ${tenantId} and d.event_id = w.event_id
    cross join lateral jsonb_array_elements(d.document -> w.section) i (item)
    where i.item ->> w.key = any(${[...keys]})`.execute(db)
  const names = new Map<string, string>()
  for (const { eventId, section, key, name, pages } of rows) {
    if (name) names.set(eventId + pointerOf([section, key]), name)
    for (const [code, title] of Object.entries(pages ?? {})) if (title) names.set(eventId + pointerOf([section, key, 'pages', code]), title)
  }
  return (eventId, pointer) => names.get(eventId + pointer) ?? null
}
