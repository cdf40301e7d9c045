import { z } from 'zod'
import { toOneLine, count, country, currency, day, flag, id, list, name, object, text, ianaTimeZone } from '../../kernel/args.ts'
import { ReportSettings } from './report-settings.ts'
import { SOURCING_FIELDS_TEXT, SourcingSettings } from './sourcing-settings.ts'

const colour = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, 'a colour is written #rrggbb')
const website = () => text(300).regex(/^https?:\/\/\S+$/i, 'a website starts with https:// or http://')

const brand = { color: colour(), accent: colour(), website: website() }
const billing = { legalName: name(200), address: text(500), bankDetails: text(1000), invoiceFooter: text(1000) }

/** The brand of a client. The logo is uploaded in the console; tools return only its file id. */
export const BrandShape = object({ ...brand, logoFileId: id() }).partial()
export const BillingShape = object(billing).partial()

/** Converts the schema of an object to a schema for edits, in which a missing key keeps its value and null removes it. */
const toEditShape = <S extends Record<string, z.ZodType>>(shape: S) =>
  object(
    Object.fromEntries(Object.entries(shape).map(([key, type]) => [key, type.nullish()])) as {
      [K in keyof S]: z.ZodOptional<z.ZodNullable<S[K]>>
    },
  )

export const BrandEdit = toEditShape(brand)
export const BillingEdit = toEditShape(billing)
export const TaxRegistrationShape = object({
  country: country(),
  region: text(10).optional(),
  number: text(30),
  from: day(),
  until: day().optional(),
})

export const ClientFieldSchemas = {
  code: text(63),
  name: text(160),
  active: flag(),
  aiAssistantsAllowed: flag(),
  brand: toOneLine(BrandShape, 'color, accent, website, logoFileId'),
  defaultCurrency: currency(),
  defaultTimezone: ianaTimeZone(),
  establishedIn: country().nullable(),
  taxRegistrations: toOneLine(list(TaxRegistrationShape), 'country, region?, number, from, until?'),
  billing: toOneLine(BillingShape, 'legalName, address, bankDetails, invoiceFooter'),
  paymentTermsDays: count(0, 365),
  sourcing: toOneLine(SourcingSettings, SOURCING_FIELDS_TEXT),
  ...ReportSettings,
  confirmThresholds: toOneLine(object({ recipients: count(), deletes: count() }), 'recipients, deletes'),
  revision: count(1),
  updatedAt: z.string(),
}
