import type { Kysely } from 'kysely'
import type { Db } from './columns.ts'
import { conflict } from './errors.ts'

/** Rejects an edit that is based on an outdated revision of the record. */
export function checkRevision(record: { kind: string; name: string; revision: number }, ifRevision: number | undefined): void {
  if (ifRevision !== undefined && ifRevision !== record.revision) {
    throw conflict(
      `${record.kind} ${record.name} is at revision ${record.revision}, not ${ifRevision}: read it again and repeat the edit on what it says now`,
      { reason: 'movedOn' },
    )
  }
}

/**
 * Raises the revision of a record of the event whose parts in other tables changed. Returns the new row, or null if the record was changed
 * since it was read. An update that writes the same values would not raise the revision.
 */
export async function incrementRevision<Row extends { id: string; revision: number }>(
  { db, tenantId, event }: { db: Db; tenantId: number; event: { id: string } },
  table: 'participants' | 'managed_groups' | 'housing_contracts' | 'room_blocks' | 'block_requests',
  { id, revision }: Row,
): Promise<Row | null> {
  const raised = await (db as unknown as Kysely<Record<string, Record<string, unknown>>>)
    .updateTable(table)
    .set({ revision: revision + 1 })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .returningAll()
    .executeTakeFirst()
  return (raised as Row | undefined) ?? null
}
