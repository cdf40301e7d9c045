import type { DataField } from '../configuration/data-fields.ts'
import type { ConnectionRow } from './connections.ts'
import { findFieldMappingErrors, type MappingResult, mapDirectoryRecord, type MappingTarget } from './engine/mapping.ts'
import type { DirectoryFieldMapping, DirectoryTagRule } from './engine/spec.ts'
import type { CachedLookupResult } from './lookups.ts'
import type { FieldsFilledByDirectory } from './connection-uses.ts'

/** The event's fields that a directory record can fill, and the locale needed to parse dates and phone numbers. */
export interface MappingContext {
  fields: readonly DataField[]
  zone: string
  /** Default country for phone numbers without a country code. */
  country?: string | null | undefined
}

const EMPTY_MAPPING: MappingResult = { answers: {}, modes: {}, mapped: [], tags: [], warnings: [] }

/** Maps a directory record to the event's fields and tags. A lookup that did not find exactly one record gives neither. */
export function mapLookupResult(
  connection: ConnectionRow,
  { outcome, record }: CachedLookupResult,
  { fields, zone, country }: MappingContext,
): MappingResult {
  if (outcome !== 'found') return EMPTY_MAPPING
  const targets = new Map(
    fields.map(({ binding, type, choices }): [string, MappingTarget] => [binding, { type, ...(choices ? { choices } : {}) }]),
  )
  return mapDirectoryRecord({ bindings: connection.bindings, tagRules: connection.tag_rules }, record, { targets, zone, country })
}

/**
 * Lists the errors in field bindings (mappings of directory values to fields) and tag rules at this event, with the path of each error in
 * the tool's arguments.
 */
export const checkConnectionFieldMappings = (
  bindings: readonly DirectoryFieldMapping[],
  rules: readonly DirectoryTagRule[],
  { fields, tags }: FieldsFilledByDirectory,
) => findFieldMappingErrors(bindings, rules, { bindings: fields.map(({ binding }) => binding), tags })
