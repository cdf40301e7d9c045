import { count, day, flag, list, object, pageArguments, pageResult, searchArgument, text } from '../../kernel/args.ts'
import { accountTool } from '../../kernel/tool.ts'
import { listClients } from '../../domains/tenancy/client-list.ts'

export default accountTool({
  name: 'list_clients',
  title: 'List my clients',
  description:
    'List the clients (associations, accounts, organizations) you work for and manage, with short codes, number of shows, and where AI assistants are switched off. Not for events (use list_my_events). Returns name, role, event counts and the next event.',
  effect: 'read',
  toleratesLag: true,
  permission: 'clients.read',
  input: { search: searchArgument().optional(), active: flag().optional(), ...pageArguments },
  output: {
    clients: list(
      object({
        code: text(),
        name: text(),
        aiAssistantsAllowed: flag(),
        active: flag().optional(),
        role: text().optional(),
        eventCounts: object({ draft: count(), published: count(), archived: count() }).optional(),
        nextEvent: object({ code: text(), name: text(), startsOn: day() }).optional(),
      }),
    ),
    ...pageResult,
  },
  run: listClients,
})
