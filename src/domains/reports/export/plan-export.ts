import type { Permissions } from '../../../kernel/permissions.ts'
import type { Entity } from '../../figures/dictionary/types.ts'
import { type ExportedField, listExportedFields } from './fields.ts'
import type { ExportOptions } from './options.ts'

export interface PlannedEntity {
  name: string
  entity: Entity
  fields: ExportedField[]
}

export interface ExportPlan {
  entities: PlannedEntity[]
  leftOut: { name: string; reason: string }[]
  /** The paths of fields with personal or sensitive values, such as `participant.mobilePhone`. */
  personal: string[]
}

/** Entities that belong to the client and are shared by its events. */
const CLIENT_ENTITIES: ReadonlySet<string> = new Set(['contact'])

/** Decides which entities and fields an export contains. Areas that the requester may not read are left out and listed. */
export function planExport(
  dictionary: ReadonlyMap<string, Entity>,
  { personalData, entities: named }: Pick<ExportOptions, 'personalData' | 'entities'>,
  permissions: Permissions,
): ExportPlan {
  const entities: PlannedEntity[] = []
  const leftOut: ExportPlan['leftOut'] = []
  for (const [name, entity] of dictionary) {
    if (CLIENT_ENTITIES.has(name) || (named && !named.includes(name))) continue
    if (!permissions.has(`${entity.area}.read`)) leftOut.push({ name, reason: `needs ${entity.area}.read` })
    else entities.push({ name, entity, fields: listExportedFields(entity, personalData, permissions) })
  }
  for (const { name, entity, fields } of entities) {
    const missing = Object.keys(entity.fields).filter((path) => !fields.some((one) => one.path === path))
    leftOut.push(...missing.map((path) => ({ name: `${name}.${path}`, reason: `personalData is ${personalData}` })))
  }
  const personal = entities.flatMap(({ name, fields }) =>
    fields
      .filter(({ field, isPseudonym }) => !isPseudonym && (field.class === 'personal' || field.class === 'sensitive'))
      .map(({ path }) => `${name}.${path}`),
  )
  return { entities, leftOut, personal }
}
