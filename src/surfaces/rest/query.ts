import { isId } from '../../kernel/ids.ts'
import { nearest } from '../../kernel/nearest.ts'
import { parseInstant } from '../../kernel/time.ts'
import type { Schema } from '../../domains/entities/schemas.ts'
import { badRequest } from './refusal.ts'

/** A parameter of an address, as it is documented and as it is checked. */
export interface Parameter {
  name: string
  about: string
  schema: Schema
}

export type Values = ReadonlyMap<string, string>

/** The parameters of an address, trimmed, without empty ones. Everything that is wrong with them is told at once. */
export function readQuery(url: string, known: readonly Parameter[]): Values {
  const names = known.map(({ name }) => name)
  const faults: { parameter: string; message: string }[] = []
  const values = new Map<string, string>()
  for (const [name, sent] of new URL(url).searchParams) {
    const parameter = known.find((one) => one.name === name)
    const value = sent.trim()
    const fault = !parameter ? unknown(name, names) : values.has(name) ? 'is given twice' : value === '' ? null : faultOf(parameter, value)
    if (fault) faults.push({ parameter: name.slice(0, 80), message: fault })
    else if (value !== '') values.set(name, value)
  }
  if (faults.length > 0) throw badRequest(faults.slice(0, 20))
  return values
}

function unknown(name: string, names: readonly string[]): string {
  const near = nearest(name.slice(0, 80), names)
  if (near) return `is no parameter here — did you mean ${near}?`
  return names.length === 0 ? 'is no parameter here: there are none' : `is no parameter here: there are ${names.join(', ')}`
}

function faultOf({ schema }: Parameter, value: string): string | null {
  if (schema.enum) return schema.enum.includes(value) ? null : `must be one of ${schema.enum.join(', ')}`
  if (schema.type === 'boolean') return value === 'true' || value === 'false' ? null : 'must be true or false'
  if (schema.type === 'integer') {
    const [least, most] = [schema.minimum ?? 0, schema.maximum ?? Number.MAX_SAFE_INTEGER]
    return /^\d{1,15}$/.test(value) && Number(value) >= least && Number(value) <= most
      ? null
      : `must be a whole number from ${least} to ${most}`
  }
  if (schema.format === 'date-time') return instantOf(value) ? null : 'must be an instant such as 2027-03-01T09:00:00.000Z'
  if (schema.pattern) return isId(value) ? null : 'must be an id of 24 hexadecimal characters'
  return value.length > 2000 || value.includes('\0') ? 'is no text that anything could be found by' : null
}

/** A plus sign in an address reads as a blank. */
export const instantOf = (value: string): Date | null => parseInstant(value.replace(' ', '+'))
