import { multiActionEventTool } from '../../kernel/manage-tool.ts'
import { listBoothStaff } from '../../domains/exhibitors/staff/list-staff.ts'
import {
  NEW_STAFF_ARGUMENTS,
  STAFF_ACTION_ARGUMENTS,
  STAFF_FILTER_ARGUMENTS,
  STAFF_RESULT_FIELDS,
} from '../../domains/exhibitors/staff/staff-shapes.ts'
import { addBoothStaff } from '../../domains/staffing/add-staff.ts'
import { changeBoothStaff, inviteBoothStaff, removeBoothStaff, adjustPassAllotment } from '../../domains/staffing/change-staff.ts'

export default multiActionEventTool({
  name: 'manage_exhibitors',
  title: 'Manage booth staff',
  description:
    'Booth staff (stand personnel) of exhibitors and their complimentary or paid badges: list with allotment of free passes left, add (and register), update, remove, invite (resend to those who never replied), set_allotment; remove and invite cannot be undone: use dryRun first. Not for accounts (use manage_company). Returns staff.',
  effect: 'destructive',
  openWorld: true,
  keyed: true,
  area: 'exhibitors',
  input: { ...STAFF_FILTER_ARGUMENTS, ...NEW_STAFF_ARGUMENTS, ...STAFF_ACTION_ARGUMENTS },
  output: STAFF_RESULT_FIELDS,
  actions: (action) => ({
    list: action.read([], listBoothStaff, { takes: ['companyId', 'role', 'status', 'search', 'limit', 'cursor'] }),
    add: action.change(['companyId', 'people'], addBoothStaff, { takes: ['register', 'pass'] }),
    update: action.change(['staffId'], changeBoothStaff, { takes: ['role', 'companyId'] }),
    remove: action.change(['staffId'], removeBoothStaff, { takes: ['cancelRegistration'] }),
    invite: action.change([], inviteBoothStaff, { takes: ['staffIds', 'companyId', 'resend'], also: ['email.send'] }),
    set_allotment: action.change(['companyId', 'extra', 'reason'], adjustPassAllotment),
  }),
})
