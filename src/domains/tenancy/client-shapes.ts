import { z } from 'zod'
import { count, country, currency, day, flag, list, name, object, text, zone } from '../../kernel/args.ts'

const colour = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, 'a colour is written #rrggbb')
const website = () => text(300).regex(/^https?:\/\/\S+$/i, 'a website starts with https:// or http://')

export const Brand = object({ color: colour().optional(), accent: colour().optional(), website: website().optional() })
export const Billing = object({
  legalName: name(200).optional(),
  address: text(500).optional(),
  bankDetails: text(1000).optional(),
  invoiceFooter: text(1000).optional(),
})
export const TaxRegistrationShape = object({
  country: country(),
  region: text(10).optional(),
  number: text(30),
  from: day(),
  until: day().optional(),
})

export const Client = {
  code: text(63),
  name: text(160),
  active: flag(),
  aiAssistantsAllowed: flag(),
  brand: Brand,
  defaultCurrency: currency(),
  defaultTimezone: zone(),
  establishedIn: country().nullable(),
  taxRegistrations: list(TaxRegistrationShape),
  billing: Billing,
  paymentTermsDays: count(0, 365),
  confirmThresholds: object({ recipients: count(), deletes: count() }),
  revision: count(1),
  updatedAt: z.string(),
}
