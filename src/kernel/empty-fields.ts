import { acceptsNull, type AnnotatedSchema } from './annotated-schema.ts'

/**
 * The fields of a result that are left out while they are null, as a tree along the schema of the result. Every field costs an assistant
 * tokens, and most fields of most rows are empty.
 */
export interface EmptyFields {
  names: ReadonlySet<string>
  parts: ReadonlyMap<string, EmptyFields>
  /** The fields that may be left out of each list item, or of each value of an object whose keys are not known in advance. */
  items: EmptyFields | null
}

/**
 * Finds the fields that may be left out; null if there are none. Numbers and amounts are never left out: their null means that they cannot
 * be calculated, or have no limit. Fields marked with `keepsNull` are not left out either.
 */
export function findEmptyFields(schema: AnnotatedSchema): EmptyFields | null {
  const branches = [schema, ...(schema.anyOf ?? [])]
  const names = new Set<string>()
  const parts = new Map<string, EmptyFields>()
  let items: EmptyFields | null = null
  for (const branch of branches) {
    for (const [name, field] of Object.entries(branch.properties ?? {}) as [string, AnnotatedSchema][]) {
      if (acceptsNull(field) && !field.keepsNull && !isFigure(field)) names.add(name)
      const part = findEmptyFields(field)
      if (part) parts.set(name, part)
    }
    const item = branch.items ?? branch.additionalProperties
    if (item && typeof item === 'object') items ??= findEmptyFields(item as AnnotatedSchema)
  }
  return names.size + parts.size > 0 || items ? { names, parts, items } : null
}

/** Returns a copy of a result without the given fields where they are null. */
export function omitEmptyFields(value: unknown, empty: EmptyFields | null): unknown {
  if (empty === null || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => omitEmptyFields(item, empty.items))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, field]) => field !== null || !empty.names.has(name))
      .map(([name, field]) => [name, omitEmptyFields(field, empty.parts.get(name) ?? empty.items)]),
  )
}

/** Whether the schema describes a number or an amount of money. */
const isFigure = ({ type, anyOf, properties }: AnnotatedSchema): boolean =>
  [type].flat().some((name) => name === 'number' || name === 'integer') ||
  Object.keys(properties ?? {}).join() === 'amount,currency' ||
  (anyOf?.some(isFigure) ?? false)
