import { codeField, defineQueryEntity, instantField, listField, textField } from './define.ts'
import type { QueryEntity } from './types.ts'

const auditEntry = defineQueryEntity({
  name: 'auditEntry',
  label: 'Audit log',
  rowIs: 'one change of a record of the event',
  area: 'clients',
  source: `(select au.tenant_id, au.event_id, au.id, au.at, au.actor_name, au.app_name, au.tool, au.targets -> 0 as target
  from audit_entries au where au.event_id is not null)`,
  noTestData: true,
  created: 'at',
  updated: 'at',
  fields: {
    at: instantField('When', 'at'),
    who: textField('Who', 'actor_name', { class: 'identity' }),
    app: textField('App', 'app_name'),
    tool: codeField('Tool', 'tool'),
    targetKind: codeField('Kind of record', (row) => `${row}.target ->> 'kind'`),
    targetId: codeField('Id of the record', (row) => `${row}.target ->> 'id'`),
    fields: listField(
      'Changed fields',
      (row) => `array(select jsonb_object_keys(case when jsonb_typeof(${row}.target -> 'fields') = 'object'
      then ${row}.target -> 'fields' else '{}' end))`,
    ),
  },
})

export const AUTOMATION_ENTITIES: readonly QueryEntity[] = [auditEntry]
