import type { Tables } from '../../kernel/columns.ts'
/**
 * Contact fields that are filled from registrations. When two contacts are merged, the better value is chosen for each field separately.
 */
export const MERGED_CONTACT_FIELDS = [
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

export const MARKETING_CONSENT_STATES = ['withdrawn', 'unknown', 'given'] as const

/** The source of the value in a contact's field, and when it was set. */
export interface FieldProvenance {
  source: 'person' | 'directory' | 'organizer' | 'import' | 'lead'
  at: string
}

export type ContactsTable = Tables['contacts']

/** A row that referenced the loser (the contact removed by a merge) and now references the survivor. */
export interface RelinkedContactReference {
  kind: 'participant' | 'speaker' | 'contact'
  eventId: string | null
  id: string
}

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'contacts.external_ids': Record<string, string>
    'contacts.provenance': Record<string, FieldProvenance>
    'contact_merges.relinked': readonly RelinkedContactReference[]
  }
}
