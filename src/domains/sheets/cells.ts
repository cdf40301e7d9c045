/**
 * What a cell holds. Numbers and truths are known as such in workbooks only; a day or a moment is written as ISO 8601 writes it, without
 * a zone, so that nothing about it is left to guess.
 */
export type Cell = string | number | boolean | null

export interface SheetRow {
  /** As a spreadsheet program counts, from 1 and with the header. */
  number: number
  cells: readonly Cell[]
}

export const isBlank = (cell: Cell | undefined): boolean =>
  cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '')

/** As people would type it. */
export const shownCell = (cell: Cell | undefined): string =>
  cell === null || cell === undefined ? '' : typeof cell === 'boolean' ? (cell ? 'TRUE' : 'FALSE') : String(cell).trim()

/** Characters that XML cannot hold are written `_x000D_` in workbooks. */
export const cellText = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

const DAY_MS = 86_400_000
const SECONDS = 86_400
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }
/** The 29th of February 1900, which was none: days before it are counted from one day later. */
const PHANTOM_DAY = 60
const LAST_DAY = 2_958_465

export type DateSystem = keyof typeof EPOCHS

/** A number that is shown as a date. Null for one that no calendar of a spreadsheet has. */
export function dateOfSerial(serial: number, system: DateSystem): string | null {
  if (!Number.isFinite(serial) || serial < 0 || serial > LAST_DAY + 1) return null
  const seconds = Math.round(serial * SECONDS)
  const [days, time] = [Math.floor(seconds / SECONDS), seconds % SECONDS]
  const clock = new Date(time * 1000).toISOString().slice(11, 19)
  if (days === 0 && system === 1900) return clock
  const shift = system === 1900 && days < PHANTOM_DAY ? 1 : 0
  const day = new Date(EPOCHS[system] + (days + shift) * DAY_MS).toISOString().slice(0, 10)
  return time === 0 ? day : `${day}T${clock}`
}
