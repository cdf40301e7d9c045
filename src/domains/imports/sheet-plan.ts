import type { SheetCell, SheetRow } from '../sheets/cells.ts'
import { isBlank, formatCell } from '../sheets/cells.ts'
import { splitName } from '../sheets/person-names.ts'
import { normalizeWords } from '../sheets/normalize.ts'
import type { SheetColumnFormat } from '../sheets/values.ts'
import { EMAIL_FIELD } from './fields.ts'
import type { ProposedColumn } from './propose.ts'
import { foldEmail } from '../../kernel/email-address.ts'

/** The plan for reading the rows of a sheet: column and format of each field. */
export interface SheetPlan {
  name: string
  at: ReadonlyMap<string, { index: number; name: string; written: SheetColumnFormat }>
}

interface Formats {
  dateOrder?: 'DMY' | 'MDY' | undefined
  decimalSeparator?: '.' | ',' | undefined
}

interface PlannedSheet {
  name: string
  columns: readonly (Pick<ProposedColumn, 'name' | 'field'> & Partial<Pick<ProposedColumn, 'decimal' | 'dates'>>)[]
}

/** Builds the plan for reading a sheet. A number or date format detected in a column takes precedence over the caller's answer. */
export const buildSheetPlan = ({ name, columns }: PlannedSheet, formats: Formats): SheetPlan => ({
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

export const readCell = (plan: SheetPlan, { cells }: Pick<SheetRow, 'cells'>, field: string): SheetCell => {
  const place = plan.at.get(field)
  const cell = place ? (cells[place.index] ?? null) : null
  return isBlank(cell) ? null : cell
}

export const readText = (plan: SheetPlan, row: Pick<SheetRow, 'cells'>, field: string): string => formatCell(readCell(plan, row, field))

export interface NamedPerson {
  prefix: string
  firstName: string
  lastName: string
  suffix: string
}

/** Reads the name from separate columns, or splits the full name. */
export function readName(plan: SheetPlan, row: Pick<SheetRow, 'cells'>): NamedPerson {
  const parted = {
    prefix: readText(plan, row, '@participant.prefix'),
    firstName: readText(plan, row, '@participant.firstName'),
    lastName: readText(plan, row, '@participant.lastName'),
    suffix: readText(plan, row, '@participant.suffix'),
  }
  const whole = readText(plan, row, 'fullName')
  if (whole === '' || (parted.firstName !== '' && parted.lastName !== '')) return parted
  const split = splitName(whole)
  return {
    prefix: parted.prefix || split.prefix,
    firstName: parted.firstName || split.firstName,
    lastName: parted.lastName || split.lastName,
    suffix: parted.suffix || split.suffix,
  }
}

/** Fields by which rows of two sheets can be matched, the most reliable first. */
export const JOIN_FIELDS = ['externalId', 'orderRef', EMAIL_FIELD] as const
export type JoinField = (typeof JOIN_FIELDS)[number]

/** Returns the first field of JOIN_FIELDS that both sheets contain. */
export const findJoinField = (people: SheetPlan, other: SheetPlan): JoinField | null =>
  JOIN_FIELDS.find((field) => people.at.has(field) && other.at.has(field)) ?? null

const hasName = ({ at }: SheetPlan) => at.has('fullName') || at.has('@participant.lastName')

/**
 * Lists the values by which a row is matched with a row of the people sheet, most specific first. For an email join, email with name comes
 * before email alone.
 */
export function listJoinKeys(field: JoinField, plan: SheetPlan, row: Pick<SheetRow, 'cells'>): string[] {
  const text = readText(plan, row, field)
  const value = field === EMAIL_FIELD ? foldEmail(text) : text.toLowerCase()
  if (value === '') return []
  if (field !== EMAIL_FIELD || !hasName(plan)) return [value]
  const { firstName, lastName } = readName(plan, row)
  return [`${value}|${normalizeWords(`${firstName} ${lastName}`)}`, value]
}
