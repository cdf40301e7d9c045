import { type InvalidCall, named, valued, without } from './calls.ts'

export const COMPANIES_CALLS: readonly InvalidCall[] = [
  without('manage_device', 'deviceId', ['rename'], { example: 2 }),
  valued('manage_device', 'action', 'delete', 'revoke', ['revoke', 'reset_all'], { example: 3 }),
  named('manage_device', 'newName', 'name', 'Front desk', { example: 2 }),
  without('manage_lead', 'leadId', ['update'], { example: 3 }),
  valued('manage_lead', 'by', 'week', 'day', ['hour', 'day', 'staff', 'device'], { example: 7 }),
  named('manage_lead', 'labels', 'tags', ['hot'], { example: 3 }),
  without('manage_company', 'reason', ['cancel'], { example: 11 }),
  valued('manage_company', 'include', ['people'], ['staff'], ['staff', 'booths', 'licences'], { example: 1 }),
  named('manage_company', 'title', 'name', 'Aurora Two', { example: 2 }),
  without('manage_exhibitors', 'reason', ['set_allotment'], { example: 5 }),
  valued('manage_exhibitors', 'role', 'manager', 'admin', ['admin', 'staff', 'contact'], { example: 2 }),
  named('manage_exhibitors', 'staff_ids', 'staffIds', [], { example: 4 }),
  valued('import_companies', 'onMatch', 'overwrite', 'update', ['update', 'skip', 'fill']),
  named('import_companies', 'companies', 'rows', [{ name: 'Zephyr' }], { right: { rows: undefined } }),
]
