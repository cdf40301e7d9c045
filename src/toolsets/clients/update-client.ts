import { clear, count, country, currency, flag, ifRevision, list, object, text, zone } from '../../kernel/args.ts'
import { clientTool } from '../../kernel/tool.ts'
import { Billing, Brand, Client, TaxRegistrationShape, updateClient } from '../../domains/tenancy/clients.ts'

export default clientTool({
  name: 'update_client',
  title: 'Change client settings',
  description:
    "Change the settings of one client (organization): name, brand, defaults for new events, tax registrations, billing, active, or turn AI assistants off, which ends this app's own view of the client. Only what is sent changes. Not for one event (use update_event). Returns the client, the changed fields and warnings.",
  effect: 'change',
  permission: 'clients.admin',
  idempotent: true,
  servesInactiveClients: true,
  input: {
    name: text(160).optional(),
    brand: Brand.optional(),
    defaultCurrency: currency().optional(),
    defaultTimezone: zone().optional(),
    active: flag().optional(),
    aiAssistantsAllowed: flag().optional(),
    establishedIn: country().optional(),
    taxRegistrations: list(TaxRegistrationShape, 100).optional(),
    billing: Billing.optional(),
    paymentTermsDays: count(0, 365).optional(),
    clear: clear(['brand', 'establishedIn', 'taxRegistrations', 'billing']),
    ifRevision: ifRevision(),
  },
  output: { client: object(Client), changed: list(text()), warnings: list(text()) },
  run: updateClient,
})
