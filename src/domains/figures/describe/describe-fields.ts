import type { Permission } from '../../../kernel/permissions.ts'
import { PARTICIPANT_PROPERTY_NAMES } from '../../configuration/data-fields.ts'
import { isCategoricalField } from '../dictionary/classes.ts'
import type { QueryEntity, QueryEntityField, FieldAccessClass, FieldType } from '../dictionary/types.ts'
import { StatementPlan } from '../query/plan.ts'
import type { QuerySnapshot } from '../query/snapshot.ts'

/** A field as the tool describe_data returns it. */
export interface DescribedField {
  path: string
  label: string
  type: FieldType
  class: FieldAccessClass
  category: boolean
  choices?: string[]
  nullable: boolean
  filterable: boolean
  groupable: boolean
  sortable: boolean
  allowed: boolean
  needs?: Permission
  binding?: string
  help?: string
  retired?: true
}

type Reading = Pick<QuerySnapshot, 'dictionary' | 'scope' | 'reader'>

/** Returns the first permission that the caller lacks to query a field; null if the query would be accepted. */
export function findMissingFieldPermission({ dictionary, scope, reader }: Reading, entity: QueryEntity, path: string): Permission | null {
  const plan = new StatementPlan(dictionary, scope, entity)
  plan.field(path, 'field', 'column')
  return plan.needs.find(({ permission }) => !reader.permissions.has(permission))?.permission ?? null
}

const MAX_CHOICES = 100

/** Describes a field by the path that leads to it from an entity. Choices are shown only if the caller may read the field. */
export function describeQueryField(
  snapshot: Reading,
  entity: QueryEntity,
  path: string,
  field: QueryEntityField,
  notNull = false,
): DescribedField {
  const needs = findMissingFieldPermission(snapshot, entity, path)
  const binding = toBinding(entity, path)
  return {
    path,
    label: field.label,
    type: field.type,
    class: field.class ?? 'open',
    category: isCategoricalField(field),
    ...(needs === null && field.choices ? { choices: field.choices.slice(0, MAX_CHOICES) } : {}),
    nullable: !notNull,
    filterable: true,
    groupable: true,
    sortable: field.type !== 'list',
    allowed: needs === null,
    ...(needs === null ? {} : { needs }),
    ...(binding === null ? {} : { binding }),
    ...(field.help === undefined ? {} : { help: field.help }),
    ...(field.isRetired ? { retired: true as const } : {}),
  }
}

/** Returns the binding (such as `@custom.diet`) by which flows, emails and imports name a participant's field; null if there is none. */
const toBinding = ({ name }: QueryEntity, path: string): string | null => {
  if (name !== 'participant') return null
  if (path.startsWith('custom.')) return `@${path}`
  return isBindable(path) ? `@participant.${path}` : null
}

const isBindable = (path: string): boolean => path === 'tags' || PARTICIPANT_PROPERTY_NAMES.includes(path)
