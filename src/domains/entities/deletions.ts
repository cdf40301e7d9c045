import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { REST_ENTITIES } from './catalogue.ts'
import type { RestEntity } from './entity.ts'
import { recordIdSchema, instantSchema, nullableSchema, enumSchema, stringSchema } from './schemas.ts'

/** How long deletions are listed. API clients that keep a copy must read them at least this often. */
const RETENTION_DAYS = 90

/** The REST list of deleted records, under their former ids. */
export const deletionEntity: RestEntity = {
  path: 'deletions',
  name: 'deletion',
  about: `A deleted record, kept for ${RETENTION_DAYS} days. A cancelled record still exists, with that status.`,
  table: 'deletions',
  at: 'either',
  hasTestData: true,
  bare: true,
  fields: [
    { name: 'id', schema: recordIdSchema(), sql: 'r.id' },
    { name: 'entity', schema: enumSchema(REST_ENTITIES.map(({ name }) => name)), sql: 'r.entity' },
    { name: 'tenantCode', schema: stringSchema(), sql: 't.code' },
    { name: 'clientCode', schema: stringSchema(), sql: 'c.code' },
    { name: 'eventCode', schema: nullableSchema(stringSchema('Null for a contact, which belongs to no event.')), sql: 'e.code' },
    { name: 'deletedAt', schema: instantSchema(), sql: 'instant_shown(r.deleted_at)' },
    { name: 'updatedAt', schema: instantSchema(), sql: 'instant_shown(r.updated_at)' },
  ],
  filters: [],
}

export async function cleanUpDeletionRecords(db: Db): Promise<void> {
  await sql`delete from deletions where deleted_at < lanyard_now() - make_interval(days => ${RETENTION_DAYS})`.execute(db)
}
