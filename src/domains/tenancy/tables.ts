import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { Kept } from '../../kernel/columns.ts'

export interface Brand {
  color?: string | undefined
  accent?: string | undefined
  website?: string | undefined
  /** Of this client's own files. */
  logoFileId?: string | undefined
}

export interface Billing {
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

interface TenantsTable {
  id: GeneratedAlways<number>
  code: string
  name: string
  created_at: Generated<Date>
}

export interface ClientsTable {
  tenant_id: number
  id: string
  code: string
  name: string
  active: Generated<boolean>
  ai_assistants_allowed: Generated<boolean>
  brand: ColumnType<Brand, string | undefined, string>
  default_currency: Generated<string>
  default_timezone: Generated<string>
  confirm_recipients: Generated<number>
  confirm_deletes: Generated<number>
  embed_hosts: Generated<string[]>
  established_in: string | null
  tax_registrations: ColumnType<TaxRegistration[], string | undefined, string>
  billing: ColumnType<Billing, string | undefined, string>
  payment_terms_days: Generated<number>
  searched: Kept<string>
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

export interface EventsTable {
  tenant_id: number
  id: string
  client_id: string
  code: string
  name: string
  status: Generated<'draft' | 'published' | 'archived'>
  timezone: string
  starts_on: string
  ends_on: string
  city: string | null
  country: string | null
  currency: string
  locale: Generated<string>
  locales: Generated<string[]>
  test_mode: Generated<boolean>
  published_version: number | null
  draft_changed: Generated<boolean>
  imported: Generated<boolean>
  /** Codes of the questions of the live version whose answers are kept back, and of those that files answer. */
  sensitive_questions: Kept<string[]>
  file_questions: Kept<string[]>
  searched: Kept<string>
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    tenants: TenantsTable
    clients: ClientsTable
    events: EventsTable
  }
}
