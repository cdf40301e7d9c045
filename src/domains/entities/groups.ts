import { column, type Entity, type Field } from './entity.ts'
import { id, integer, list, maybe, oneOf, text } from './schemas.ts'

const people = (name: string, which: string): Field => ({
  name,
  schema: list(id()),
  sql: `coalesce((select json_agg(p.id order by p.id) from participants p where p.tenant_id = r.tenant_id and p.event_id = r.event_id
    and p.group_id = r.id and ${which}), '[]')`,
})

export const groups: Entity = {
  path: 'groups',
  name: 'group',
  about: 'People who are managed together.',
  table: 'managed_groups',
  at: 'event',
  hasTestData: true,
  shown: 'x.deleted_at is null',
  fields: [
    column('code', text()),
    column('name', text()),
    column('kind', oneOf(['company', 'delegation', 'school', 'family', 'other'])),
    column('status', oneOf(['open', 'closed'])),
    column('payBy', oneOf(['group', 'members'])),
    column('maxMembers', maybe(integer(1))),
    people('memberIds', `p.status <> 'cancelled'`),
    people('leaderIds', `p.status <> 'cancelled' and p.group_leader`),
    column('tags', list(text())),
  ],
  filters: [],
}
