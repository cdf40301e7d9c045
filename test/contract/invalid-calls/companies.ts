import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const COMPANIES_CALLS: readonly InvalidCall[] = [
  missingArgument('manage_device', 'deviceId', ['rename'], { example: 2 }),
  wrongValue('manage_device', 'action', 'delete', 'revoke', ['revoke', 'reset_all'], { example: 3 }),
  wrongName('manage_device', 'newName', 'name', 'Front desk', { example: 2 }),
  missingArgument('manage_lead', 'leadId', ['update'], { example: 3 }),
  wrongValue('manage_lead', 'by', 'week', 'day', ['hour', 'day', 'staff', 'device'], { example: 7 }),
  wrongName('manage_lead', 'labels', 'tags', ['hot'], { example: 3 }),
  missingArgument('manage_company', 'reason', ['cancel'], { example: 11 }),
  wrongValue('manage_company', 'include', ['people'], ['staff'], ['staff', 'booths', 'licences'], { example: 1 }),
  wrongName('manage_company', 'title', 'name', 'Aurora Two', { example: 2 }),
  missingArgument('manage_exhibitors', 'reason', ['set_allotment'], { example: 5 }),
  wrongValue('manage_exhibitors', 'role', 'manager', 'admin', ['admin', 'staff', 'contact'], { example: 2 }),
  wrongName('manage_exhibitors', 'staff_ids', 'staffIds', [], { example: 4 }),
  wrongValue('import_companies', 'onMatch', 'overwrite', 'update', ['update', 'skip', 'fill']),
  wrongName('import_companies', 'companies', 'rows', [{ name: 'Zephyr' }], { right: { rows: undefined } }),
]
