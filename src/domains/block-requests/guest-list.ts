import { AppError, type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { formatCell, isBlankCell, type SheetRow } from '../sheets/cells.ts'
import { formatCsvLine } from '../sheets/csv.ts'
import { detectDayMonthOrder, parseDate } from '../sheets/dates.ts'
import { normalizeColumnHeading } from '../sheets/normalize.ts'
import { toRandomAccessFile } from '../sheets/random-access-file.ts'
import { openSheets, type Sheet } from '../sheets/sheets.ts'
import { MAX_LISTED_GUESTS, type BlockGuestInput } from './guests.ts'

export const GUEST_COLUMNS = ['firstName', 'lastName', 'email', 'hotel', 'roomType', 'checkIn', 'checkOut', 'occupants'] as const
export type GuestColumn = (typeof GUEST_COLUMNS)[number]

/** Columns that a guest list may lack: hotel and room type if the block has only one, and occupants if each guest stays alone. */
const OPTIONAL_COLUMNS: readonly GuestColumn[] = ['hotel', 'roomType', 'occupants']

/** A hotel and room type of the block, with the names by which a guest list may refer to them. */
export interface GuestListRoom {
  hotelId: string
  hotel: string
  roomTypeCode: string
  roomType: string
}

/** A guest in an uploaded list, with the row number in the spreadsheet. */
export interface GuestListRow extends BlockGuestInput {
  row: number
}

/** The accepted headings of each column of a guest list: in the reader's language, in English, and the name of the field. */
export type GuestListColumnLabels = Record<GuestColumn, readonly string[]>

export const MAX_GUEST_LIST_BYTES = 2 * 1024 * 1024

/** Reads the guests of a CSV or XLSX file. Errors name the row of the spreadsheet in their path, such as `4/checkIn`. */
export async function readGuestList(
  file: { name: string; content: Buffer },
  labels: GuestListColumnLabels,
  rooms: readonly GuestListRoom[],
): Promise<GuestListRow[]> {
  const sheet = await openFirstSheet(file)
  const columns = findColumns(sheet.header, labels)
  const missing = GUEST_COLUMNS.filter((column) => columns[column] < 0 && !OPTIONAL_COLUMNS.includes(column))
  if (missing.length > 0)
    throw invalidArguments([toFieldError('file', 'error.listColumns', { columns: missing.map((column) => labels[column][0]!).join(', ') })])
  const rows: SheetRow[] = []
  for await (const row of sheet.rows()) {
    if (row.cells.every(isBlankCell)) continue
    if (rows.push(row) > MAX_LISTED_GUESTS) throw invalidArguments([toFieldError('file', 'error.guestList', { limit: MAX_LISTED_GUESTS })])
  }
  if (rows.length === 0) throw invalidArguments([toFieldError('file', 'error.listEmpty')])
  const read = rows.map((row) => readGuest(row, columns, rooms))
  const errors = read.flatMap((one) => one.errors)
  if (errors.length > 0) throw invalidArguments(errors)
  return read.map((one) => one.guest)
}

async function openFirstSheet({ name, content }: { name: string; content: Buffer }): Promise<Sheet> {
  try {
    const [sheet] = await openSheets(toRandomAccessFile(content), name, MAX_LISTED_GUESTS + 1)
    if (sheet) return sheet
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
  throw invalidArguments([toFieldError('file', 'error.listUnreadable')])
}

function findColumns(header: readonly string[], labels: GuestListColumnLabels): Record<GuestColumn, number> {
  const names = header.map((name) => normalizeColumnHeading(name))
  const find = (column: GuestColumn) =>
    names.findIndex((name) => [column, ...labels[column]].some((label) => normalizeColumnHeading(label) === name))
  return Object.fromEntries(GUEST_COLUMNS.map((column) => [column, find(column)])) as Record<GuestColumn, number>
}

function readGuest({ number, cells }: SheetRow, columns: Record<GuestColumn, number>, rooms: readonly GuestListRoom[]) {
  const text = (column: GuestColumn) => (columns[column] < 0 ? '' : formatCell(cells[columns[column]]).slice(0, 200))
  const errors: FieldError[] = []
  const day = (column: 'checkIn' | 'checkOut'): string => {
    const cell = cells[columns[column]]
    // An ambiguous date such as 03/04/2027 is rejected, because it can mean two days.
    const read = detectDayMonthOrder(cell) === 'either' ? null : parseDate(cell)
    if (!read) errors.push(toFieldError(`${number}/${column}`, 'error.listDate'))
    return read?.day ?? ''
  }
  const room = findRoom(rooms, text('hotel'), text('roomType'))
  if (!room) errors.push(toFieldError(`${number}/hotel`, 'error.listRoom'))
  const guest: GuestListRow = {
    row: number,
    firstName: text('firstName'),
    lastName: text('lastName'),
    email: text('email'),
    checkIn: day('checkIn'),
    checkOut: day('checkOut'),
    hotelId: room?.hotelId ?? '',
    roomTypeCode: room?.roomTypeCode ?? '',
    occupants: Number(text('occupants') || 1),
  }
  return { guest, errors }
}

/** Finds a room type of the block by the names of hotel and room type. One of the names may be empty if the other one identifies it. */
function findRoom(rooms: readonly GuestListRoom[], hotel: string, roomType: string): GuestListRoom | null {
  const isSame = (typed: string, ...names: string[]) =>
    typed === '' || names.some((name) => normalizeColumnHeading(name) === normalizeColumnHeading(typed))
  const fits = rooms.filter((room) => isSame(hotel, room.hotel) && isSame(roomType, room.roomType, room.roomTypeCode))
  return fits.length === 1 ? fits[0]! : null
}

/** Formats a guest list as a CSV file that can be uploaded again. */
export const formatGuestList = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, ...rows].map((row) => formatCsvLine(row)).join('')
