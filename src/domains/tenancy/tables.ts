import type { Tables } from '../../kernel/columns.ts'
import type { SourcingSettings } from './sourcing-settings.ts'

export interface Brand {
  color?: string | undefined
  accent?: string | undefined
  website?: string | undefined
  /** The id of the logo, which is a file of this client. */
  logoFileId?: string | undefined
}

export interface ClientBillingDetails {
  legalName?: string | undefined
  address?: string | undefined
  bankDetails?: string | undefined
  invoiceFooter?: string | undefined
}

export interface TaxRegistration {
  country: string
  region?: string | undefined
  number: string
  from: string
  until?: string | undefined
}

export type ClientsTable = Tables['clients']

export type EventsTable = Tables['events']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'clients.brand': Brand
    'clients.tax_registrations': TaxRegistration[]
    'clients.billing': ClientBillingDetails
    'clients.sourcing': SourcingSettings
  }
}
