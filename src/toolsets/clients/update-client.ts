import {
  toOneLine,
  fieldsToClear,
  count,
  country,
  currency,
  flag,
  ifRevision,
  list,
  name,
  object,
  text,
  ianaTimeZone,
} from '../../kernel/args.ts'
import { clientTool } from '../../kernel/tool.ts'
import { BillingEdit, BrandEdit, ClientFieldSchemas, TaxRegistrationShape } from '../../domains/tenancy/client-shapes.ts'
import { updateClient } from '../../domains/tenancy/clients.ts'
import { ReportSettings } from '../../domains/tenancy/report-settings.ts'
import { SourcingSettingsEdit } from '../../domains/tenancy/sourcing-settings.ts'

export default clientTool({
  name: 'update_client',
  title: 'Change client settings',
  description:
    "Change a client's details: default currency, payment terms, legal entity, office address, VAT and tax registrations, bank details on bills, brand, approval limit of awards, assistants on or off. Only what is sent changes. Not for one event (use update_event). Returns client, changed fields, warnings.",
  effect: 'change',
  permission: 'clients.admin',
  idempotent: true,
  keyed: true,
  servesInactiveClients: true,
  input: {
    name: name().optional(),
    brand: toOneLine(BrandEdit, 'color, accent (#rrggbb), website; null clears').optional(),
    defaultCurrency: currency().optional(),
    defaultTimezone: ianaTimeZone().optional(),
    active: flag().optional(),
    aiAssistantsAllowed: flag().optional(),
    establishedIn: country().optional(),
    taxRegistrations: toOneLine(list(TaxRegistrationShape, 100), 'country, region?, number, from, until?').optional(),
    billing: toOneLine(BillingEdit, 'legalName, address, bankDetails, invoiceFooter; as brand').optional(),
    paymentTermsDays: count(0, 365).optional(),
    sourcing: SourcingSettingsEdit.optional(),
    exportAllowed: ReportSettings.exportAllowed.optional(),
    reportRecipients: ReportSettings.reportRecipients.optional(),
    clear: fieldsToClear(['brand', 'establishedIn', 'taxRegistrations', 'billing', 'sourcing', 'reportRecipients']),
    ifRevision: ifRevision(),
  },
  output: { client: object(ClientFieldSchemas), changed: list(text()), warnings: list(text()) },
  run: updateClient,
})
