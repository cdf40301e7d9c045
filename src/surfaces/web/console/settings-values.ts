import { Billing, Brand, Client, TaxRegistrationShape } from '../../../domains/tenancy/client-shapes.ts'
import type { Settings } from '../../../domains/tenancy/clients.ts'
import { embedHost } from '../../../domains/tenancy/embed-hosts.ts'
import { country, list, name, object } from '../../../kernel/args.ts'
import { type Label, readFields } from '../fields.ts'
import type { FormValues } from '../web.ts'

const Form = object({
  name: name(),
  defaultCurrency: Client.defaultCurrency,
  defaultTimezone: Client.defaultTimezone,
  establishedIn: country().optional(),
  brand: Brand,
  billing: Billing,
  taxRegistrations: list(TaxRegistrationShape, 100),
  paymentTermsDays: Client.paymentTermsDays,
  confirmThresholds: Client.confirmThresholds,
  embedHosts: list(embedHost(), 50),
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

export const labelOf: Label = (path) => {
  const [first, index, part] = path.split('/')
  if (first === 'taxRegistrations')
    return [`Registration ${Number(index) + 1}`, part && (TAX_LABELS[part] ?? part)].filter(Boolean).join(', ')
  if (first === 'embedHosts') return index === undefined ? 'Hosts' : `Host ${Number(index) + 1}`
  return LABELS[path] ?? ''
}

const TAX_FIELDS = ['country', 'region', 'number', 'from', 'until'] as const

/** The settings as the fields of the form hold them; a field's name is the path of what it holds. */
export function valuesOf(settings: Settings): FormValues {
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
    embedHosts: settings.embedHosts.join('\n'),
    revision: settings.revision,
  }
  for (const [i, registration] of settings.taxRegistrations.entries())
    for (const field of TAX_FIELDS) values[`taxRegistrations/${i}/${field}`] = registration[field]
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value ?? '')]))
}

const given = (form: FormValues, name: string) => form[name]?.trim() || undefined

/** Fields left empty are left out, as in a call that does not send them. */
const part = (form: FormValues, prefix: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, given(form, `${prefix}/${name}`)]).filter(([, value]) => value !== undefined))

const number = (form: FormValues, name: string) => (given(form, name) === undefined ? Number.NaN : Number(form[name]))

const isFilled = (form: FormValues, row: number) => TAX_FIELDS.some((field) => given(form, `taxRegistrations/${row}/${field}`))

/** How many rows the form has; the last one may be empty. */
export const taxRowsOf = (form: FormValues): number => {
  const rows = Object.keys(form).flatMap((name) => /^taxRegistrations\/(\d{1,3})\/country$/.exec(name)?.[1] ?? [])
  return rows.length === 0 ? 0 : Math.max(...rows.map(Number)) + 1
}

/**
 * Rows that were emptied or marked are gone, and the rest closes up, as the errors of the rest count them. The form that is
 * shown again is closed up in the same way, so that an error stands at its own row.
 */
export function closeUp(form: FormValues): FormValues {
  const others = Object.entries(form).filter(([name]) => !name.startsWith('taxRegistrations/'))
  const kept = Array.from({ length: taxRowsOf(form) }, (_, row) => row).filter(
    (row) => isFilled(form, row) && !form[`taxRegistrations/${row}/remove`],
  )
  const rows = kept.flatMap((row, i) =>
    TAX_FIELDS.map((field) => [`taxRegistrations/${i}/${field}`, form[`taxRegistrations/${row}/${field}`] ?? ''] as const),
  )
  return Object.fromEntries([...others, ...rows])
}

/** The edit that a closed-up form asks for, or what is wrong with it. */
export const readSettings = (form: FormValues) =>
  readFields(
    Form,
    {
      name: given(form, 'name'),
      defaultCurrency: given(form, 'defaultCurrency'),
      defaultTimezone: given(form, 'defaultTimezone'),
      establishedIn: given(form, 'establishedIn'),
      brand: part(form, 'brand', ['color', 'accent', 'website']),
      billing: part(form, 'billing', ['legalName', 'address', 'bankDetails', 'invoiceFooter']),
      taxRegistrations: Array.from({ length: taxRowsOf(form) }, (_, row) => part(form, `taxRegistrations/${row}`, TAX_FIELDS)),
      paymentTermsDays: number(form, 'paymentTermsDays'),
      confirmThresholds: { recipients: number(form, 'confirmThresholds/recipients'), deletes: number(form, 'confirmThresholds/deletes') },
      embedHosts: (form['embedHosts'] ?? '').split(/[\s,]+/).filter(Boolean),
    },
    labelOf,
  )
