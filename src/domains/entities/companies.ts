import { COMPANY_RECORD } from '../exhibitors/company-record.ts'
import { COMPANY_STATES } from '../exhibitors/states.ts'
import { type RestEntity, buildEqualsFilter, recordFields } from './entity.ts'
import { list, maybe, object, oneOf, text } from './schemas.ts'

export const companyEntity: RestEntity = {
  path: 'companies',
  name: 'company',
  about: 'An exhibiting company at one event.',
  table: 'companies',
  at: 'event',
  hasTestData: true,
  fields: [
    ...recordFields(COMPANY_RECORD, ['code', 'name', 'description', 'website', 'country', 'categories']),
    {
      name: 'booths',
      schema: list(object({ floorPlanCode: text(), number: text() })),
      sql: `coalesce((select json_agg(json_build_object('floorPlanCode', f.code, 'number', b.number) order by f.code, b.number)
        from booth_assignments a
        join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
        join floor_plans f on f.tenant_id = b.tenant_id and f.event_id = b.event_id and f.id = b.floor_plan_id
        where a.tenant_id = r.tenant_id and a.event_id = r.event_id and a.company_id = r.id and a.until is null), '[]')`,
    },
    {
      name: 'contact',
      schema: object({ name: maybe(text()), email: maybe(text()) }),
      sql: `json_build_object('name', r.contact_name, 'email', r.contact_email)`,
    },
    ...recordFields(COMPANY_RECORD, ['sponsorLevel', 'appointmentsEnabled', 'status']),
  ],
  filters: [buildEqualsFilter('status', oneOf(COMPANY_STATES.all))],
}
