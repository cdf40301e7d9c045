import { count, day, flag, list, object, oneOf, page, pageResult, search, text } from '../../kernel/args.ts'
import { ROLES } from '../../kernel/permissions.ts'
import { accountTool } from '../../kernel/tool.ts'
import { listClients } from '../../domains/tenancy/client-list.ts'

export default accountTool({
  name: 'list_clients',
  title: 'List my clients',
  description:
    'List the clients (organizations whose events you run) that you belong to. Use to find a clientCode, to see where AI assistants are off, or how many events each has. Not for the events themselves (use list_events, list_my_events). Returns code, name, your role, event counts by status and the next event.',
  effect: 'read',
  permission: 'clients.read',
  input: { search: search().optional(), active: flag().optional(), ...page },
  output: {
    clients: list(
      object({
        code: text(),
        name: text(),
        aiAssistantsAllowed: flag(),
        active: flag().optional(),
        role: oneOf(ROLES as [string, ...string[]]).optional(),
        eventCounts: object({ draft: count(), published: count(), archived: count() }).optional(),
        nextEvent: object({ code: text(), name: text(), startsOn: day() }).optional(),
      }),
    ),
    ...pageResult,
  },
  run: listClients,
})
