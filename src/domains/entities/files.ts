import type { Selectable } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { type FileRecord, toFileRecord } from '../files/files.ts'
import type { FilesTable } from '../files/tables.ts'
import type { EntityReadScope } from './list.ts'
import { readEntityRows } from './represent.ts'

/**
 * Finds a picture or answer file that a record references. Files of sensitive questions are hidden from accounts without access to
 * sensitive data, and so are files whose question is unknown.
 */
const FIND_FILE = `
select f.* from files f
join events e on e.tenant_id = f.tenant_id and e.id = f.event_id
where f.tenant_id = $1 and f.id = $2 and f.deleted_at is null and (e.client_id = any($3) or e.id = any($4)) and ($5::boolean or not f.is_test_data)
  and (f.purpose = 'headshot' or f.purpose = 'answer' and ($6::boolean or exists (
    select from participants p where p.tenant_id = f.tenant_id and p.event_id = f.event_id and f.owner_kind = 'participant' and p.id = f.owner_id
      and position('"' || f.id || '"' in answers_shown(p.custom_field_responses, e.sensitive_questions, '{}')::text) > 0)))`

export async function findReadableFile(db: Db, reading: EntityReadScope, id: string): Promise<FileRecord | null> {
  const { tenantId, clientIds, eventIds, includeTestData, sensitiveData } = reading
  const [row] = await readEntityRows<Selectable<FilesTable>>(db, FIND_FILE, [
    tenantId,
    id,
    clientIds,
    eventIds,
    includeTestData,
    sensitiveData,
  ])
  return row ? toFileRecord(row) : null
}
