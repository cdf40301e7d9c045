import { COMPANY_RECORD } from '../exhibitors/company-record.ts'
import { COMPANY_STATES } from '../exhibitors/states.ts'
import { type RestEntity, buildEqualsFilter, buildRecordProperties } from './entity.ts'
import { arraySchema, nullableSchema, objectSchema, enumSchema, stringSchema } from './schemas.ts'

export const companyEntity: RestEntity = {
  path: 'companies',
  name: 'company',
  about: 'An exhibiting company at one event.',
  table: 'companies',
  at: 'event',
  hasTestData: true,
  fields: [
    ...buildRecordProperties(COMPANY_RECORD, ['code', 'name', 'description', 'website', 'country', 'categories']),
    {
      name: 'booths',
      schema: arraySchema(objectSchema({ floorPlanCode: stringSchema(), number: stringSchema() })),
      sql: `coalesce((select json_agg(json_build_object('floorPlanCode', f.code, 'number', b.number) order by f.code, b.number)
        from booth_assignments a
        join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
        join floor_plans f on f.tenant_id = b.tenant_id and f.event_id = b.event_id and f.id = b.floor_plan_id
        where a.tenant_id = r.tenant_id and a.event_id = r.event_id and a.company_id = r.id and a.until is null), '[]')`,
    },
    {
      name: 'contact',
      schema: objectSchema({ name: nullableSchema(stringSchema()), email: nullableSchema(stringSchema()) }),
      sql: `json_build_object('name', r.contact_name, 'email', r.contact_email)`,
    },
    ...buildRecordProperties(COMPANY_RECORD, ['sponsorLevel', 'appointmentsEnabled', 'status']),
  ],
  filters: [buildEqualsFilter('status', enumSchema(COMPANY_STATES.all))],
}
