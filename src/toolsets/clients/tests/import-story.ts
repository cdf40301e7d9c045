import ExcelJS from 'exceljs'
import type { DraftScenario } from '../../../../test/support/draft-scenario.ts'
import { chooseForSoak } from '../../../../test/support/soak.ts'
import { createUploadFixtures } from '../../../../test/support/uploads.ts'

/** Last year's event: a sheet of people with typical errors, and their payments. */

/** A tenth of the rows on every commit; in a soak all 1,000 rows and 870 payments. */
export const PEOPLE_ROWS = chooseForSoak(1000, 100)
export const PAYMENT_ROWS = PEOPLE_ROWS * 0.87

export const HEADER = 'Registration ID,First name,Last name,Email,Company,Mobile,Status,Registered on'

export const person = (n: number, more: { email?: string; status?: string; on?: string; company?: string; mobile?: string } = {}) => {
  const {
    email = `p${n}@example.org`,
    status = n % 50 === 0 ? 'Cancelled' : 'Confirmed',
    on = `0${1 + (n % 9)}/0${1 + (n % 8)}/2025`,
    company = 'ACME',
    mobile = '+49 30 901820',
  } = more
  return `R${n},Ada,Person ${n},${email},${company},${mobile},${status},${on}`
}

const WRONG_EMAILS = [11, 13, 15, 17, 19, 21, 23, 25, 27]
const WRONG_STATUSES = [31, 33, 35, 37]
const WRONG_DATES = [41, 43]
/** Payments of these rows match no participant at first. */
export const INVALID_ROW_NUMBERS = [...WRONG_EMAILS, ...WRONG_STATUSES, ...WRONG_DATES]

/** The row whose company and phone change in the second version of the file. */
export const CHANGED_ROW_NUMBER = 46
/** Duplicate rows: TWICE are identical copies, TWINS have another number in the source system. */
const TWICE = [51, 52, 53, 54, 55, 56]
const TWINS = [61, 62, 63, 64, 65]

/** In a soak 989 people of whom 15 are invalid, and 11 duplicates. */
export function peopleSheet({ mended = false, changed = false } = {}): string {
  const rows = Array.from({ length: PEOPLE_ROWS - 11 }, (_, n) => {
    if (!mended && WRONG_EMAILS.includes(n)) return person(n, { email: 'absent at example' })
    if (!mended && WRONG_STATUSES.includes(n)) return person(n, { status: 'Perhaps' })
    if (!mended && WRONG_DATES.includes(n)) return person(n, { on: '31/02/2025' })
    return changed && n === CHANGED_ROW_NUMBER ? person(n, { company: 'New Company', mobile: '+49 89 1234567' }) : person(n)
  })
  const twice = TWICE.map((n) => person(n, { company: 'Other' }))
  const twins = TWINS.map((n) =>
    person(n)
      .replace(/^R(\d+)/, 'X$1')
      .toUpperCase()
      .replace('CONFIRMED', 'Confirmed')
      .replace('CANCELLED', 'Cancelled'),
  )
  return [HEADER, ...rows, ...twice, ...twins, ''].join('\n')
}

/** In a soak 851 payments of valid people, 12 of invalid rows, and 7 duplicates. */
export async function paymentsBook(): Promise<Buffer> {
  const book = new ExcelJS.Workbook()
  const sheet = book.addWorksheet('Payments')
  sheet.addRow(['Registration ID', 'Amount', 'Payment method', 'Payment date', 'Transaction ID'])
  const payers = Array.from({ length: PEOPLE_ROWS - 11 }, (_, n) => n).filter((n) => !INVALID_ROW_NUMBERS.includes(n) && n % 50 !== 0)
  const row = (n: number, ref: string) =>
    sheet.addRow([`R${n}`, 100 + (n % 7) / 4, n % 2 ? 'Visa' : 'Bank transfer', new Date(Date.UTC(2025, 2, 1 + (n % 28))), ref])
  payers.slice(0, PAYMENT_ROWS - 19).forEach((n) => row(n, `tx-${n}`))
  INVALID_ROW_NUMBERS.slice(0, 12).forEach((n) => row(n, `tx-${n}`))
  payers.slice(0, 7).forEach((n) => row(n, `TX-${n}`))
  if (sheet.rowCount !== PAYMENT_ROWS + 1) throw new Error(`${sheet.rowCount - 1} payments`)
  return Buffer.from(await book.xlsx.writeBuffer())
}

export const libraryFile = async (
  { world, event }: Pick<DraftScenario, 'world' | 'event'>,
  content: Buffer | string,
  name: string,
): Promise<string> => (await createUploadFixtures(world, event).file(Buffer.from(content), { name }, { clientId: event.clientId })).id
