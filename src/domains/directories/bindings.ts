import type { DataField } from '../configuration/data-fields.ts'
import type { ConnectionRow } from './connections.ts'
import { checkBindings, type Mapped, mapRecord, type MappingTarget } from './engine/mapping.ts'
import type { DirectoryBinding, DirectoryTagRule } from './engine/spec.ts'
import type { Kept } from './lookups.ts'
import type { Fillable } from './use-in-events.ts'

/** Of the event: the fields that answers can go to, and how to read what depends on the place. */
export interface Reading {
  fields: readonly DataField[]
  zone: string
  /** Whose phone numbers those without a country code are. */
  country?: string | null | undefined
}

const NOTHING: Mapped = { answers: {}, modes: {}, mapped: [], tags: [], warnings: [] }

/** What an answer means at this event; one that is not about one person means nothing. */
export function mapFound(connection: ConnectionRow, { outcome, record }: Kept, { fields, zone, country }: Reading): Mapped {
  if (outcome !== 'found') return NOTHING
  const targets = new Map(
    fields.map(({ binding, type, choices }): [string, MappingTarget] => [binding, { type, ...(choices ? { choices } : {}) }]),
  )
  return mapRecord({ bindings: connection.bindings, tagRules: connection.tag_rules }, record, { targets, zone, country })
}

/** What is wrong with bindings and rules at this event, by path into the arguments. */
export const issuesOf = (bindings: readonly DirectoryBinding[], rules: readonly DirectoryTagRule[], { fields, tags }: Fillable) =>
  checkBindings(bindings, rules, { bindings: fields.map(({ binding }) => binding), tags })
