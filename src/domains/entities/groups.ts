import { listFieldsExcept } from '../../kernel/record-shapes.ts'
import { GROUP_RECORD } from '../groups/group-record.ts'
import { type RestEntity, type RestEntityField, buildRecordProperties } from './entity.ts'
import { recordIdSchema, arraySchema } from './schemas.ts'

const memberIds = (name: string, which: string): RestEntityField => ({
  name,
  schema: arraySchema(recordIdSchema()),
  sql: `coalesce((select json_agg(p.id order by p.id) from participants p where p.tenant_id = r.tenant_id and p.event_id = r.event_id
    and p.group_id = r.id and ${which}), '[]')`,
})

export const groupEntity: RestEntity = {
  path: 'groups',
  name: 'group',
  about: 'A group of people who are managed together.',
  table: 'managed_groups',
  at: 'event',
  hasTestData: true,
  shown: 'x.deleted_at is null',
  fields: [
    ...buildRecordProperties(GROUP_RECORD, listFieldsExcept(GROUP_RECORD, ['tags', 'flowSlug', 'billTo', 'memberCount'])),
    memberIds('memberIds', `p.status <> 'cancelled'`),
    memberIds('leaderIds', `p.status <> 'cancelled' and p.group_leader`),
    ...buildRecordProperties(GROUP_RECORD, ['tags']),
  ],
  filters: [],
}
