import type { SheetCell, SheetRow } from '../sheets/cells.ts'
import { isBlankCell, formatCell } from '../sheets/cells.ts'
import { splitName } from '../sheets/person-names.ts'
import { normalizeColumnHeading } from '../sheets/normalize.ts'
import type { SheetColumnFormat } from '../sheets/values.ts'
import { PERSON_EMAIL_FIELD } from './fields.ts'
import type { ProposedColumn } from './propose.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'

/** The plan for reading the rows of a sheet: column and format of each field. */
export interface SheetReadingPlan {
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
export const buildSheetReadingPlan = ({ name, columns }: PlannedSheet, formats: Formats): SheetReadingPlan => ({
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

export const readCell = (plan: SheetReadingPlan, { cells }: Pick<SheetRow, 'cells'>, field: string): SheetCell => {
  const place = plan.at.get(field)
  const cell = place ? (cells[place.index] ?? null) : null
  return isBlankCell(cell) ? null : cell
}

export const readCellText = (plan: SheetReadingPlan, row: Pick<SheetRow, 'cells'>, field: string): string =>
  formatCell(readCell(plan, row, field))

export interface PersonNameParts {
  prefix: string
  firstName: string
  lastName: string
  suffix: string
}

/** Reads the name from separate columns, or splits the full name. */
export function readPersonName(plan: SheetReadingPlan, row: Pick<SheetRow, 'cells'>): PersonNameParts {
  const parted = {
    prefix: readCellText(plan, row, '@participant.prefix'),
    firstName: readCellText(plan, row, '@participant.firstName'),
    lastName: readCellText(plan, row, '@participant.lastName'),
    suffix: readCellText(plan, row, '@participant.suffix'),
  }
  const whole = readCellText(plan, row, 'fullName')
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
export const SHEET_JOIN_FIELDS = ['externalId', 'orderRef', PERSON_EMAIL_FIELD] as const
export type SheetJoinField = (typeof SHEET_JOIN_FIELDS)[number]

/** Returns the first field of SHEET_JOIN_FIELDS that both sheets contain. */
export const findSheetJoinField = (people: SheetReadingPlan, other: SheetReadingPlan): SheetJoinField | null =>
  SHEET_JOIN_FIELDS.find((field) => people.at.has(field) && other.at.has(field)) ?? null

const hasName = ({ at }: SheetReadingPlan) => at.has('fullName') || at.has('@participant.lastName')

/**
 * Lists the values by which a row is matched with a row of the people sheet, most specific first. For an email join, email with name comes
 * before email alone.
 */
export function listSheetJoinKeys(field: SheetJoinField, plan: SheetReadingPlan, row: Pick<SheetRow, 'cells'>): string[] {
  const text = readCellText(plan, row, field)
  const value = field === PERSON_EMAIL_FIELD ? foldEmailCase(text) : text.toLowerCase()
  if (value === '') return []
  if (field !== PERSON_EMAIL_FIELD || !hasName(plan)) return [value]
  const { firstName, lastName } = readPersonName(plan, row)
  return [`${value}|${normalizeColumnHeading(`${firstName} ${lastName}`)}`, value]
}
