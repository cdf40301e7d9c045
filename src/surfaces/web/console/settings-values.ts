import { z } from 'zod'
import { BillingShape, BrandShape, ClientFieldSchemas, TaxRegistrationShape } from '../../../domains/tenancy/client-shapes.ts'
import type { ClientSettings } from '../../../domains/tenancy/clients.ts'
import { embedHostSchema } from '../../../domains/tenancy/embed-hosts.ts'
import { country, list, name, object } from '../../../kernel/args.ts'
import { findCountryCode } from '../../../kernel/country-names.ts'
import { type FieldLabelLookup, validateFormFields } from '../fields.ts'
import type { FormValues } from '../web.ts'

/** The country of a tax registration, whose name was already replaced by its code if it is known. */
const typedCountry = z
  .string()
  .refine((text) => findCountryCode(text) !== null, 'not a known country. Write a code or a name, such as DE or Germany')

const SettingsInput = object({
  name: name(),
  defaultCurrency: ClientFieldSchemas.defaultCurrency,
  defaultTimezone: ClientFieldSchemas.defaultTimezone,
  establishedIn: country().optional(),
  brand: BrandShape,
  billing: BillingShape,
  taxRegistrations: list(TaxRegistrationShape.extend({ country: typedCountry }), 100),
  paymentTermsDays: ClientFieldSchemas.paymentTermsDays,
  exportAllowed: ClientFieldSchemas.exportAllowed,
  reportRecipients: ClientFieldSchemas.reportRecipients,
  confirmThresholds: ClientFieldSchemas.confirmThresholds,
  embedHosts: list(embedHostSchema(), 50),
})

const LABELS: Record<string, string> = {
  name: 'Name',
  defaultCurrency: 'Currency',
  defaultTimezone: 'Time zone',
  establishedIn: 'Established in',
  'brand/color': 'Main colour',
  'brand/accent': 'Accent colour',
  'brand/website': 'Website',
  'billing/legalName': 'Legal name',
  'billing/address': 'Address',
  'billing/bankDetails': 'Bank details',
  'billing/invoiceFooter': 'Invoice footer',
  paymentTermsDays: 'Payment terms',
  'confirmThresholds/recipients': 'Recipients',
  'confirmThresholds/deletes': 'Deleted records',
}

const TAX_LABELS: Record<string, string> = { region: 'state or region', number: 'tax number' }

export const getSettingsFieldLabel: FieldLabelLookup = (path) => {
  const [first, index, part] = path.split('/')
  if (first === 'taxRegistrations')
    return [`Registration ${Number(index) + 1}`, part && (TAX_LABELS[part] ?? part)].filter(Boolean).join(', ')
  if (first === 'reportRecipients') return index === undefined ? 'Report recipients' : `Report recipient ${Number(index) + 1}`
  if (first === 'embedHosts') return index === undefined ? 'Hosts' : `Host ${Number(index) + 1}`
  return LABELS[path] ?? ''
}

const TAX_FIELDS = ['country', 'region', 'number', 'from', 'until'] as const

/** Converts the settings to form values. The name of a field is the path of its setting. */
export function toSettingsFormValues(settings: ClientSettings): FormValues {
  const { brand, billing, confirmThresholds } = settings
  const values: Record<string, string | number | null | undefined> = {
    name: settings.name,
    defaultCurrency: settings.defaultCurrency,
    defaultTimezone: settings.defaultTimezone,
    establishedIn: settings.establishedIn,
    paymentTermsDays: settings.paymentTermsDays,
    'brand/color': brand.color,
    'brand/accent': brand.accent,
    'brand/website': brand.website,
    'billing/legalName': billing.legalName,
    'billing/address': billing.address,
    'billing/bankDetails': billing.bankDetails,
    'billing/invoiceFooter': billing.invoiceFooter,
    'confirmThresholds/recipients': confirmThresholds.recipients,
    'confirmThresholds/deletes': confirmThresholds.deletes,
    exportAllowed: settings.exportAllowed ? 'on' : '',
    reportRecipients: settings.reportRecipients.join('\n'),
    embedHosts: settings.embedHosts.join('\n'),
    revision: settings.revision,
  }
  for (const [i, registration] of settings.taxRegistrations.entries())
    for (const field of TAX_FIELDS) values[`taxRegistrations/${i}/${field}`] = registration[field]
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value ?? '')]))
}

const given = (form: FormValues, name: string) => form[name]?.trim() || undefined

/** Returns the non-empty form fields whose names start with a prefix. Empty fields are left out, so that they count as not sent. */
const part = (form: FormValues, prefix: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, given(form, `${prefix}/${name}`)]).filter(([, value]) => value !== undefined))

const number = (form: FormValues, name: string) => (given(form, name) === undefined ? Number.NaN : Number(form[name]))

const isFilled = (form: FormValues, row: number) => TAX_FIELDS.some((field) => given(form, `taxRegistrations/${row}/${field}`))

/** Counts the tax registration rows in the form. The last row may be empty. */
export const countTaxRows = (form: FormValues): number => {
  const rows = Object.keys(form).flatMap((name) => /^taxRegistrations\/(\d{1,3})\/country$/.exec(name)?.[1] ?? [])
  return rows.length === 0 ? 0 : Math.max(...rows.map(Number)) + 1
}

/**
 * Removes tax registration rows that are empty or marked for removal, renumbers the others, and replaces typed countries by their codes.
 * The form is shown again with the same numbers, so that each error appears at its own row.
 */
export function renumberTaxRows(form: FormValues): FormValues {
  const others = Object.entries(form).filter(([name]) => !name.startsWith('taxRegistrations/'))
  const kept = Array.from({ length: countTaxRows(form) }, (_, row) => row).filter(
    (row) => isFilled(form, row) && !form[`taxRegistrations/${row}/remove`],
  )
  const rows = kept.flatMap((row, i) =>
    TAX_FIELDS.map((field) => {
      const value = form[`taxRegistrations/${row}/${field}`] ?? ''
      return [`taxRegistrations/${i}/${field}`, field === 'country' ? (findCountryCode(value) ?? value) : value] as const
    }),
  )
  return Object.fromEntries([...others, ...rows])
}

/** Parses a settings form, in which `renumberTaxRows` has removed the empty rows for tax registrations. */
export const readSettingsForm = (form: FormValues) =>
  validateFormFields(
    SettingsInput,
    {
      name: given(form, 'name'),
      defaultCurrency: given(form, 'defaultCurrency'),
      defaultTimezone: given(form, 'defaultTimezone'),
      establishedIn: given(form, 'establishedIn'),
      brand: part(form, 'brand', ['color', 'accent', 'website']),
      billing: part(form, 'billing', ['legalName', 'address', 'bankDetails', 'invoiceFooter']),
      taxRegistrations: Array.from({ length: countTaxRows(form) }, (_, row) => part(form, `taxRegistrations/${row}`, TAX_FIELDS)),
      paymentTermsDays: number(form, 'paymentTermsDays'),
      confirmThresholds: { recipients: number(form, 'confirmThresholds/recipients'), deletes: number(form, 'confirmThresholds/deletes') },
      exportAllowed: Boolean(form['exportAllowed']),
      reportRecipients: (form['reportRecipients'] ?? '').split(/[\s,;]+/).filter(Boolean),
      embedHosts: (form['embedHosts'] ?? '').split(/[\s,]+/).filter(Boolean),
    },
    getSettingsFieldLabel,
  )
