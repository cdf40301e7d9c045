import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'

/**
 * Returns those of the given files that are in the library of the event or its client. Files sent by participants are never in a library,
 * because files of a library may be shown to everyone.
 */
export async function filterEventLibraryFiles(
  { tenantId, event, db }: { tenantId: number; event: { id: string }; db: Db },
  fileIds: readonly string[],
): Promise<Map<string, { mime: string }>> {
  if (fileIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; mime: string }>`
    select f.id, f.mime from files f
    join events e on e.tenant_id = f.tenant_id and e.id = ${event.id} and e.client_id = f.client_id
    where f.tenant_id = ${tenantId} and f.id = any(${[...fileIds]}) and f.deleted_at is null and f.purpose = 'library'
      and (f.event_id is null or f.event_id = e.id)`.execute(db)
  return new Map(rows.map(({ id, mime }) => [id, { mime }]))
}
