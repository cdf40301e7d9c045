/** The value of a cell. Only workbooks have numbers and booleans. Dates and times are ISO 8601 text without a zone. */
export type SheetCell = string | number | boolean | null

export interface SheetRow {
  /** The row number as in a spreadsheet program: from 1, including the header. */
  number: number
  cells: readonly SheetCell[]
}

export const isBlankCell = (cell: SheetCell | undefined): boolean =>
  cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '')

/** Formats a cell value as a user would type it. */
export const formatCell = (cell: SheetCell | undefined): string =>
  cell === null || cell === undefined ? '' : typeof cell === 'boolean' ? (cell ? 'TRUE' : 'FALSE') : String(cell).trim()

/** Decodes characters that XML does not allow, which workbooks write as `_x000D_`. */
export const decodeCellText = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

const DAY_MS = 86_400_000
const SECONDS = 86_400
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }
/** Excel's number for 29 February 1900, a day that did not exist. The numbers before it are off by one day. */
const PHANTOM_DAY = 60
const LAST_DAY = 2_958_465

export type SpreadsheetDateSystem = keyof typeof EPOCHS

/** Converts the date number of a spreadsheet to ISO text. Null if it is out of range. */
export function convertSerialDate(serial: number, system: SpreadsheetDateSystem): string | null {
  if (!Number.isFinite(serial) || serial < 0 || serial > LAST_DAY + 1) return null
  const seconds = Math.round(serial * SECONDS)
  const [days, time] = [Math.floor(seconds / SECONDS), seconds % SECONDS]
  const clock = new Date(time * 1000).toISOString().slice(11, 19)
  if (days === 0 && system === 1900) return clock
  const shift = system === 1900 && days < PHANTOM_DAY ? 1 : 0
  const day = new Date(EPOCHS[system] + (days + shift) * DAY_MS).toISOString().slice(0, 10)
  return time === 0 ? day : `${day}T${clock}`
}
