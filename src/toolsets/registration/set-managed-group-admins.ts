import { toOneLine, code, email, ifRevision, list, name, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { setAdmins } from '../../domains/groups/admins.ts'
import { ListedAdminShape } from '../../domains/groups/list.ts'

export default eventTool({
  name: 'set_managed_group_admins',
  title: 'Set who runs a group',
  description:
    'Change who runs a group or delegation: replace its whole list of coordinators (admins), the only ones managing it, its bookings and its invoices; anyone left out loses access immediately. Sends no mail (use send_group_invite). Not for leaders (use update_managed_group_leaders). Returns admins, added and removed.',
  effect: 'change',
  permission: 'registration.write',
  idempotent: true,
  input: {
    groupCode: code(),
    admins: toOneLine(list(object({ email: email(), name: name() }), 20), 'email, name'),
    ifRevision: ifRevision(),
  },
  output: { admins: list(ListedAdminShape), added: list(text()), removed: list(text()) },
  run: setAdmins,
})
