import type { ColumnType, Generated } from 'kysely'
import type { Json, Kept } from '../../kernel/columns.ts'

/** What a contact takes from registrations and a merge decides field by field; columns of both. */
export const SAID_FIELDS = [
  'first_name',
  'last_name',
  'company',
  'job_title',
  'city',
  'region',
  'postal_code',
  'country',
  'language',
  'linkedin',
] as const

export const CONSENTS = ['withdrawn', 'unknown', 'given'] as const

/** Who said what a contact's field holds, and when. */
export interface Provenance {
  source: 'person' | 'directory' | 'organizer' | 'import' | 'lead'
  at: string
}

export interface ContactsTable {
  tenant_id: number
  client_id: string
  id: string
  first_name: string | null
  last_name: string | null
  phones: Generated<string[]>
  external_ids: ColumnType<Record<string, string>, string | undefined, string>
  company: string | null
  job_title: string | null
  city: string | null
  region: string | null
  postal_code: string | null
  country: string | null
  language: string | null
  linkedin: string | null
  marketing_consent: Generated<(typeof CONSENTS)[number]>
  consent_at: Date | null
  consent_source: string | null
  topics_off: Generated<string[]>
  tags: Generated<string[]>
  merged_into: string | null
  provenance: ColumnType<Record<string, Provenance>, string | undefined, string>
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

interface ContactEmailsTable {
  tenant_id: number
  client_id: string
  contact_id: string
  address: string
  address_norm: Kept<string>
  place: number
  is_primary: boolean
  verified_at: Date | null
  bounced: Generated<boolean>
}

interface ContactMergesTable {
  tenant_id: number
  client_id: string
  id: string
  survivor_id: string
  loser_id: string
  before: Json<unknown>
  relinked: Json<readonly Relinked[]>
  merged_at: Generated<Date>
  merged_by: string
  undone_at: Date | null
}

/** A row that pointed to who lost, and points to who remained. */
export interface Relinked {
  kind: 'participant' | 'speaker' | 'contact'
  eventId: string | null
  id: string
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    contacts: ContactsTable
    contact_emails: ContactEmailsTable
    contact_merges: ContactMergesTable
  }
}
