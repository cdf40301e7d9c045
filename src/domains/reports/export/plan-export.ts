import type { Permissions } from '../../../kernel/permissions.ts'
import type { QueryEntity } from '../../figures/dictionary/types.ts'
import { type ExportedField, listExportedFields } from './fields.ts'
import type { ExportOptions } from './options.ts'

export interface ExportedEntity {
  name: string
  entity: QueryEntity
  fields: ExportedField[]
}

export interface ExportPlan {
  entities: ExportedEntity[]
  leftOut: { name: string; reason: string }[]
  /** The paths of fields about people, such as `participant.email`: those of the classes identity, personal and sensitive. */
  personal: string[]
}

/** The reason why an export leaves out an entity: its rows belong to the client and not to one event. Null for all other entities. */
export const findExportExclusionReason = ({ onlyAcrossEvents }: QueryEntity): string | null =>
  onlyAcrossEvents ? 'belongs to the client, not to one event: use query_across_events' : null

/** Decides which entities and fields an export contains. Entities that the requester has no permission to read are left out and listed. */
export function planExport(
  dictionary: ReadonlyMap<string, QueryEntity>,
  { personalData, entities: named }: Pick<ExportOptions, 'personalData' | 'entities'>,
  permissions: Permissions,
): ExportPlan {
  const entities: ExportedEntity[] = []
  const leftOut: ExportPlan['leftOut'] = []
  for (const [name, entity] of dictionary) {
    if (named && !named.includes(name)) continue
    const shared = findExportExclusionReason(entity)
    if (shared !== null) leftOut.push({ name, reason: shared })
    else if (!permissions.has(`${entity.area}.read`)) leftOut.push({ name, reason: `needs ${entity.area}.read` })
    else entities.push({ name, entity, fields: listExportedFields(entity, personalData, permissions) })
  }
  for (const { name, entity, fields } of entities) {
    const missing = Object.keys(entity.fields).filter((path) => !fields.some((one) => one.path === path))
    leftOut.push(...missing.map((path) => ({ name: `${name}.${path}`, reason: `personalData is ${personalData}` })))
  }
  const personal = entities.flatMap(({ name, fields }) =>
    fields.filter(({ field, isPseudonym }) => !isPseudonym && (field.class ?? 'open') !== 'open').map(({ path }) => `${name}.${path}`),
  )
  return { entities, leftOut, personal }
}
