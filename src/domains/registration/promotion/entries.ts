import { type Selectable, sql } from 'kysely'
import { announce } from '../../../kernel/announce.ts'
import { recordChange } from '../../../kernel/audit.ts'
import type { Tables } from '../../../kernel/columns.ts'
import { MetAnother, notFound } from '../../../kernel/errors.ts'
import type { AtEvent } from '../scene.ts'

export type EntryRow = Selectable<Tables['waitlist_entries']>

/** Somebody in line, with the charge that is under way for them. */
export interface Entry extends EntryRow {
  charging: boolean
}

/** Which ones: named, or the first of those who wait for something. */
export type Chosen = { entryIds: readonly string[] } | { target: string; count: number }

/** In the order in which they are to be served: by the first of the priority tags that they have, then by their place in line. */
export async function entriesOf(
  ctx: AtEvent,
  chosen: Chosen,
  { priorityTags = [], from = [] }: { priorityTags?: readonly string[]; from?: readonly EntryRow['status'][] } = {},
): Promise<Entry[]> {
  const which =
    'entryIds' in chosen
      ? sql`w.id = any(${chosen.entryIds})`
      : sql`w.target = ${chosen.target} and w.status = any(${from}) and not w.is_test_data and not ${isCharging}`
  const { rows } = await sql<Entry>`
    select w.*, ${isCharging} as charging
    from waitlist_entries w
    join participants p on p.tenant_id = w.tenant_id and p.event_id = w.event_id and p.id = w.participant_id
    where w.tenant_id = ${ctx.tenantId} and w.event_id = ${ctx.event.id} and ${which}
    order by coalesce((select min(t.n) from unnest(${priorityTags}::text[]) with ordinality as t(tag, n) where t.tag = any(p.tags)), 2147483647),
      w.position
    limit ${'count' in chosen ? chosen.count : null}::bigint`.execute(ctx.db)
  if ('entryIds' in chosen) {
    const missing = chosen.entryIds.find((id) => rows.every((row) => row.id !== id))
    if (missing !== undefined) throw notFound(`No waitlist entry ${missing} here — find_participants with waitlistedFor shows who waits`)
  }
  return rows
}

const isCharging = sql<boolean>`exists (select from charges c where c.tenant_id = w.tenant_id and c.event_id = w.event_id and c.entry_id = w.id
  and c.status in ('pending', 'unknown'))`

export async function getEntry(ctx: AtEvent, id: string): Promise<Entry> {
  return (await entriesOf(ctx, { entryIds: [id] }))[0]!
}

type Move = { status: 'offered'; until: Date } | { status: 'promoted' } | { status: 'waiting' } | { status: 'removed'; reason: string }

/** Takes somebody from one state to the next, if they are still in it; when they are not, the whole change is done again from what is now. */
export async function moveEntry(ctx: AtEvent, entry: EntryRow, move: Move): Promise<void> {
  const over = move.status === 'promoted' || move.status === 'removed'
  const moved = await ctx.db
    .updateTable('waitlist_entries')
    .set({
      status: move.status,
      offered_until: move.status === 'offered' ? move.until : null,
      reason: move.status === 'removed' ? move.reason : null,
      ...(over ? { ended_at: sql<Date>`lanyard_now()` } : {}),
    })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', entry.id)
    .where('status', '=', entry.status)
    .returning('id')
    .executeTakeFirst()
  if (!moved) throw new MetAnother('the waitlist entry was changed meanwhile')
  if (move.status === 'promoted')
    announce(ctx, { kind: 'waitlist.promoted', entity: 'waitlistEntry', id: entry.id, changed: ['status'], isTestData: entry.is_test_data })
  recordChange(ctx, { kind: 'waitlistEntry', id: entry.id, before: { status: entry.status }, after: { status: move.status } })
}
