import { formatEnglishDay, MONTH_NAMES } from './english.ts'
import type { Clause, ClauseVariables } from './tables.ts'

type VarValue = ClauseVariables[string]

const VARIABLE = /\{\{\s*([A-Za-z][A-Za-z0-9]*)\s*\}\}/g
const AMOUNT = /^(\d+)((?:\.\d+)? [A-Z]{3})$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** A piece of a clause's text: literal text, or the value of a variable. */
export interface ClauseTextPart {
  text: string
  /** The name of the variable whose value this text is. */
  name?: string
}

/** Splits the body of a clause into literal text and variable values, in order. */
export function splitClauseBody({ body, vars }: Pick<Clause, 'body' | 'vars'>): ClauseTextPart[] {
  const parts: ClauseTextPart[] = []
  let at = 0
  for (const match of body.matchAll(VARIABLE)) {
    if (match.index > at) parts.push({ text: body.slice(at, match.index) })
    const name = match[1]!
    parts.push({ text: formatVar(vars[name], name), name })
    at = match.index + match[0].length
  }
  if (at < body.length) parts.push({ text: body.slice(at) })
  return parts
}

/** Returns the text of a clause with its variables filled in. A variable without a value is shown as its name in brackets. */
export const fillClauseVariables = (clause: Pick<Clause, 'body' | 'vars'>): string =>
  splitClauseBody(clause)
    .map(({ text }) => text)
    .join('')

export const listVarNames = (body: string): string[] => [...new Set(Array.from(body.matchAll(VARIABLE), ([, name]) => name!))]

export const isVariableValueMissing = (value: VarValue | undefined): value is null | undefined =>
  value === null || value === undefined || value === ''

/** Lists the variables without a value in the texts of clauses. */
export const findMissingVariables = (clauses: readonly Clause[]): { key: string; name: string }[] =>
  clauses.flatMap(({ key, body, vars }) =>
    listVarNames(body)
      .filter((name) => isVariableValueMissing(vars[name]))
      .map((name) => ({ key, name })),
  )

function formatVar(value: VarValue | undefined, name: string): string {
  if (isVariableValueMissing(value)) return `[${name}]`
  if (typeof value !== 'string') return String(value)
  const amount = AMOUNT.exec(value)
  if (amount) return `${amount[1]!.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${amount[2]!}`
  return DAY.test(value) ? formatEnglishDay(value) : value
}

/**
 * Parses the value that a supplier wrote in place of the old value. Null if the text has another type, such as a word in place of a number.
 */
export function parseVariableValue(text: string, old: VarValue | undefined): VarValue {
  const written = text.trim()
  if (typeof old === 'number') return /^-?\d+(\.\d+)?$/.test(written) ? Number(written) : null
  if (typeof old !== 'string') return null
  if (DAY.test(old)) return parseDay(written)
  if (AMOUNT.test(old)) {
    const plain = written.replaceAll(',', '')
    return AMOUNT.test(plain) ? plain : null
  }
  return written === '' ? null : written
}

function parseDay(written: string): string | null {
  if (DAY.test(written)) return written
  const parts = /^(\d{1,2}) ([A-Z][a-z]+) (\d{4})$/.exec(written)
  const month = MONTH_NAMES.indexOf(parts?.[2] as (typeof MONTH_NAMES)[number]) + 1
  return parts && month > 0 ? `${parts[3]}-${String(month).padStart(2, '0')}-${parts[1]!.padStart(2, '0')}` : null
}
