import { findMostSimilarName } from '../../kernel/nearest.ts'
import { parseInstant } from '../../kernel/time.ts'
import { entityCodeSchema, recordIdSchema, type Schema } from '../../domains/entities/schemas.ts'
import { createBadRequestError } from './problem-error.ts'

/** A query parameter, for both documentation and validation. */
export interface QueryParameter {
  name: string
  about: string
  schema: Schema
}

export type QueryParameterValues = ReadonlyMap<string, string>

/** Parses the query parameters. An empty parameter counts as omitted. Reports all errors together. */
export function parseQueryParameters(url: string, known: readonly QueryParameter[]): QueryParameterValues {
  const names = known.map(({ name }) => name)
  const errors: { parameter: string; message: string }[] = []
  const values = new Map<string, string>()
  for (const [name, value] of new URL(url).searchParams) {
    const parameter = known.find((one) => one.name === name)
    const error = !parameter
      ? unknown(name, names)
      : values.has(name)
        ? 'is given twice'
        : value === ''
          ? null
          : findValueError(parameter, value)
    if (error) errors.push({ parameter: name.slice(0, 80), message: error })
    else if (value !== '') values.set(name, value)
  }
  if (errors.length > 0) throw createBadRequestError(errors.slice(0, 20))
  return values
}

function unknown(name: string, names: readonly string[]): string {
  const near = findMostSimilarName(name.slice(0, 80), names)
  if (near) return `is an unknown parameter — did you mean ${near}?`
  return names.length === 0
    ? 'is an unknown parameter: this address has none'
    : `is an unknown parameter; known parameters: ${names.join(', ')}`
}

function findValueError({ schema }: QueryParameter, value: string): string | null {
  if (schema.enum) return schema.enum.includes(value) ? null : `must be one of ${schema.enum.join(', ')}`
  if (schema.type === 'boolean') return value === 'true' || value === 'false' ? null : 'must be true or false'
  if (schema.type === 'integer') {
    const [least, most] = [schema.minimum ?? 0, schema.maximum ?? Number.MAX_SAFE_INTEGER]
    return /^(0|[1-9]\d{0,14})$/.test(value) && Number(value) >= least && Number(value) <= most
      ? null
      : `must be a whole number from ${least} to ${most}`
  }
  if (schema.format === 'date-time')
    return matchesPattern(schema, restorePlus(value)) && parseQueryInstant(value)
      ? null
      : 'must be an instant such as 2027-03-01T09:00:00.000Z'
  if ([...value].length > MAX_CHARACTERS || value.includes('\0')) return 'is too long or contains a null character'
  // A cursor needs no check here, because the list rejects any cursor that it cannot decrypt.
  const wrong = Object.hasOwn(PATTERN_ERRORS, schema.pattern ?? '') ? PATTERN_ERRORS[schema.pattern!]! : null
  return wrong !== null && !matchesPattern(schema, value) ? wrong : null
}

const MAX_CHARACTERS = 2000

const PATTERN_ERRORS: Record<string, string> = {
  [recordIdSchema().pattern!]: 'must be an id of 24 hexadecimal characters',
  [entityCodeSchema().pattern!]: 'must be a code of lowercase letters, digits and dashes, at most 63',
}

const matchesPattern = ({ pattern }: Schema, value: string) => pattern === undefined || new RegExp(pattern, 'u').test(value)

/** Restores the `+` of a time zone offset, which query strings decode as a space. */
const restorePlus = (value: string) => value.replace(' ', '+')

export const parseQueryInstant = (value: string): Date | null => parseInstant(restorePlus(value))
