import type { Selectable } from 'kysely'
import { MARKETING_CONSENT_STATES, type ContactsTable, type FieldProvenance, MERGED_CONTACT_FIELDS } from './tables.ts'

export type ContactRow = Selectable<ContactsTable>

/** Sources of contact data by reliability, the most reliable last. */
const SOURCES_BY_RELIABILITY: readonly FieldProvenance['source'][] = ['lead', 'import', 'organizer', 'directory', 'person']

const sourceRank = (said: FieldProvenance | undefined) => (said ? SOURCES_BY_RELIABILITY.indexOf(said.source) : -1)
const digitsOf = (phone: string) => phone.replaceAll(/\D/g, '')
const union = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])]

/**
 * Whether the value of the loser (the contact that is removed) is preferred: from the more reliable source, then the newer one. Empty
 * values never win.
 */
function isPreferred(field: (typeof MERGED_CONTACT_FIELDS)[number], survivor: ContactRow, loser: ContactRow): boolean {
  if (loser[field] === null) return false
  if (survivor[field] === null) return true
  const [own, others] = [survivor.provenance[field], loser.provenance[field]]
  return sourceRank(others) === sourceRank(own) ? (others?.at ?? '') > (own?.at ?? '') : sourceRank(others) > sourceRank(own)
}

export function mergeContactRecords(survivor: ContactRow, loser: ContactRow) {
  const taken = MERGED_CONTACT_FIELDS.filter((field) => isPreferred(field, survivor, loser))
  const known = new Set(survivor.phones.map(digitsOf))
  const strictest =
    MARKETING_CONSENT_STATES.indexOf(loser.marketing_consent) < MARKETING_CONSENT_STATES.indexOf(survivor.marketing_consent)
      ? loser
      : survivor
  return {
    ...Object.fromEntries(taken.map((field) => [field, loser[field]])),
    phones: [...survivor.phones, ...loser.phones.filter((phone) => !known.has(digitsOf(phone)))],
    external_ids: { ...loser.external_ids, ...survivor.external_ids },
    tags: union(survivor.tags, loser.tags),
    topics_off: union(survivor.topics_off, loser.topics_off),
    marketing_consent: strictest.marketing_consent,
    consent_at: strictest.consent_at,
    consent_source: strictest.consent_source,
    provenance: { ...survivor.provenance, ...Object.fromEntries(taken.flatMap((field) => provenanceOf(loser, field))) },
  }
}

const provenanceOf = ({ provenance }: ContactRow, field: string): [string, FieldProvenance][] => {
  const said = provenance[field]
  return said ? [[field, said]] : []
}

/** Lists the external systems in which the two contacts have different ids. */
export const listSystemsWithConflictingIds = (one: ContactRow, other: ContactRow): string[] =>
  Object.keys(one.external_ids).filter(
    (system) => other.external_ids[system] !== undefined && other.external_ids[system] !== one.external_ids[system],
  )
