import type { Translator } from '../../../kernel/language/translator.ts'
import { daysBetween } from '../../../kernel/time.ts'
import { formatCsvLine } from '../../sheets/csv.ts'
import type { RoomingListRow } from './tables.ts'

type Words = Pick<Translator, 'say'>

/** Converts the rooming list to a table in the reader's language. */
function toTable(rooms: readonly RoomingListRow[], { say }: Words): (string | number)[][] {
  const head = [
    say('hotel.ack'),
    say('hotel.guest'),
    say('hotel.arrival'),
    say('hotel.departure'),
    say('hotel.nightCount'),
    say('hotel.roomType'),
    say('hotel.bed'),
    say('hotel.peopleCount'),
    say('hotel.guarantee'),
    say('hotel.requests'),
    say('hotel.loyalty'),
    say('hotel.number'),
  ]
  return [
    head,
    ...rooms.map((room) => [
      room.ackNumber,
      [room.guest, ...room.sharers].join(', '),
      room.checkIn,
      room.checkOut,
      daysBetween(room.checkIn, room.checkOut),
      room.roomType,
      room.bedType ?? '',
      room.occupants,
      say(`hotel.guarantee.${room.guarantee}`),
      room.requests ?? '',
      room.loyaltyNumber ?? '',
      room.confirmationNumber ?? '',
    ]),
  ]
}

export const toRoomingListCsv = (rooms: readonly RoomingListRow[], words: Words): string =>
  toTable(rooms, words).map(formatCsvLine).join('')

/** Converts the rooming list to a workbook. Cells are texts and numbers, never formulas. */
export async function toRoomingListWorkbook(rooms: readonly RoomingListRow[], words: Words): Promise<Uint8Array> {
  const { default: excel } = await import('exceljs')
  const book = new excel.Workbook()
  const sheet = book.addWorksheet(words.say('hotel.list'), { views: [{ state: 'frozen', ySplit: 1 }] })
  const [head, ...rows] = toTable(rooms, words)
  sheet.addRow(head).font = { bold: true }
  sheet.addRows(rows)
  for (const [index, column] of sheet.columns.entries())
    column.width = Math.min(40, Math.max(10, ...[head!, ...rows].map((row) => String(row[index] ?? '').length + 2)))
  return new Uint8Array(await book.xlsx.writeBuffer())
}
