import type { Cell, SheetRow } from '../sheets/cells.ts'
import { isBlank, shownCell } from '../sheets/cells.ts'
import { splitName } from '../sheets/person-names.ts'
import { foldedWords } from '../sheets/words.ts'
import type { Written } from '../sheets/values.ts'
import { EMAIL_FIELD } from './fields.ts'
import type { ProposedSheet } from './propose.ts'

/** How the rows of a sheet are read: where each field stands, and how it is written. */
export interface SheetPlan {
  name: string
  at: ReadonlyMap<string, { index: number; name: string; written: Written }>
}

interface Formats {
  dateOrder?: 'DMY' | 'MDY' | undefined
  decimalSeparator?: '.' | ',' | undefined
}

/** What a column says of itself goes before what was answered for all that say nothing. */
export const planOf = ({ name, columns }: Pick<ProposedSheet, 'name' | 'columns'>, formats: Formats): SheetPlan => ({
  name,
  at: new Map(
    columns.flatMap(({ name: column, field, decimal, dates }, index) =>
      field === 'ignore'
        ? []
        : [
            [
              field.startsWith('new:') ? `@custom.${field.slice(4)}` : field,
              {
                index,
                name: column,
                written: {
                  decimal: decimal === '.' || decimal === ',' ? decimal : (formats.decimalSeparator ?? '.'),
                  dates: dates === 'DMY' || dates === 'MDY' ? dates : (formats.dateOrder ?? 'DMY'),
                },
              },
            ] as const,
          ],
    ),
  ),
})

export const cellAt = (plan: SheetPlan, { cells }: Pick<SheetRow, 'cells'>, field: string): Cell => {
  const place = plan.at.get(field)
  const cell = place ? (cells[place.index] ?? null) : null
  return isBlank(cell) ? null : cell
}

export const textAt = (plan: SheetPlan, row: Pick<SheetRow, 'cells'>, field: string): string => shownCell(cellAt(plan, row, field))

export interface NamedPerson {
  prefix: string
  firstName: string
  lastName: string
  suffix: string
}

/** From columns of its own, or from the whole name in one. */
export function nameAt(plan: SheetPlan, row: Pick<SheetRow, 'cells'>): NamedPerson {
  const parted = {
    prefix: textAt(plan, row, '@participant.prefix'),
    firstName: textAt(plan, row, '@participant.firstName'),
    lastName: textAt(plan, row, '@participant.lastName'),
    suffix: textAt(plan, row, '@participant.suffix'),
  }
  const whole = textAt(plan, row, 'fullName')
  if (whole === '' || (parted.firstName !== '' && parted.lastName !== '')) return parted
  const split = splitName(whole)
  return {
    prefix: parted.prefix || split.prefix,
    firstName: parted.firstName || split.firstName,
    lastName: parted.lastName || split.lastName,
    suffix: parted.suffix || split.suffix,
  }
}

/** By what rows of one sheet are found in another. */
export const JOIN_FIELDS = ['externalId', 'orderRef', EMAIL_FIELD] as const
export type JoinField = (typeof JOIN_FIELDS)[number]

/** The first that both have. */
export const joinOf = (people: SheetPlan, other: SheetPlan): JoinField | null =>
  JOIN_FIELDS.find((field) => people.at.has(field) && other.at.has(field)) ?? null

const hasName = ({ at }: SheetPlan) => at.has('fullName') || at.has('@participant.lastName')

/** All under which somebody can be looked for; one with an address is found by it alone, and with their name. */
export function joinKeys(field: JoinField, plan: SheetPlan, row: Pick<SheetRow, 'cells'>): string[] {
  const value = textAt(plan, row, field).toLowerCase()
  if (value === '') return []
  if (field !== EMAIL_FIELD || !hasName(plan)) return [value]
  const { firstName, lastName } = nameAt(plan, row)
  return [`${value}|${foldedWords(`${firstName} ${lastName}`)}`, value]
}
