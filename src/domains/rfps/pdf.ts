import { cleanText } from '../../kernel/clean-text.ts'
import type { Attachment } from '../../kernel/email-attachments.ts'
import { formatDay, formatInstantWithTimeZone, formatNumber } from '../../kernel/language/format.ts'
import type { Translator } from '../../kernel/language/translator.ts'
import { countRoomsOfNight } from '../briefs/needs.ts'
import type { HousingContext } from '../housing/context.ts'
import { loadFontsForText } from '../fonts/font-parts.ts'
import { createPdfSheet, LEFT_EDGE_PT, RIGHT_EDGE_PT, type PdfSheet, type PdfSheetCell } from '../orders/pdf/sheet.ts'
import { describeNeeds, listRequestedOccupancies } from './describe-needs.ts'
import type { RfpRow } from './tables.ts'

const LABEL_WIDTH = 120

/** Renders the RFP for suppliers. The output is deterministic. */
export async function renderRfpPdf(
  { client, event }: Pick<HousingContext, 'client' | 'event'>,
  rfp: RfpRow,
  words: Translator,
): Promise<Attachment> {
  const title = `${words.say('supplier.title')} ${rfp.number}`
  const facts = listFacts(rfp, event, words)
  const table = listRoomRows(rfp, words)
  const sheet = await createPdfSheet({
    title,
    author: client.name,
    language: words.locale,
    createdAt: rfp.created_at,
    fonts: await loadFontsForText(
      JSON.stringify([
        title,
        client.name,
        event.name,
        rfp.title,
        facts,
        table,
        rfp.questions,
        words.say('rfp.questions'),
        pageOf(rfp, words)('0', '0'),
      ]),
    ),
    foot: (page, pages) => pageOf(rfp, words)(String(page), String(pages)),
  })
  sheet.text(cleanText(client.name), { bold: true, size: 11 })
  sheet.space(24)
  sheet.text(title, { bold: true, size: 20, as: 'H1' })
  sheet.text(cleanText(`${rfp.title} · ${event.name}`), { muted: true })
  sheet.space(14)
  for (const [label, lines] of facts) writeFact(sheet, label, lines)
  writeRooms(sheet, table, words)
  writeQuestions(sheet, rfp, words)
  return { name: `${rfp.number}.pdf`, mime: 'application/pdf', content: await sheet.end() }
}

const pageOf =
  ({ number }: RfpRow, { say }: Translator) =>
  (page: string, pages: string) =>
    say('invoice.page', { number, page, pages })

function listFacts(rfp: RfpRow, { timezone }: HousingContext['event'], words: Translator): [string, string[]][] {
  const { say, locale } = words
  return [
    [say('rfp.offersDue'), [formatInstantWithTimeZone(locale, rfp.response_due_at, timezone)]],
    [say('rfp.questionsDue'), [formatInstantWithTimeZone(locale, rfp.questions_due_at, timezone)]],
    [say('rfp.decision'), [formatDay(locale, rfp.decision_on)]],
    ...describeNeeds(rfp, words).map(({ label, lines }): [string, string[]] => [label, lines]),
  ]
}

function writeFact(sheet: PdfSheet, label: string, lines: readonly string[]): void {
  sheet.beside([
    { x: LEFT_EDGE_PT, width: LABEL_WIDTH - 10, text: label, muted: true },
    {
      x: LEFT_EDGE_PT + LABEL_WIDTH,
      width: RIGHT_EDGE_PT - LEFT_EDGE_PT - LABEL_WIDTH,
      text: lines.map((line) => cleanText(line)).join('\n'),
    },
  ])
  sheet.space(4)
}

/** Lists the header and the rows of the table of rooms; empty if no rooms are needed. */
function listRoomRows(rfp: RfpRow, { say, locale }: Translator): string[][] {
  const occupancies = listRequestedOccupancies(rfp)
  if (occupancies.length === 0) return []
  const number = (value: number) => formatNumber(locale, value)
  return [
    [say('rfp.night'), ...occupancies.map((one) => say(`rfp.${one}`)), say('rfp.rooms')],
    ...(rfp.requirements.roomsByNight ?? []).map((need) => [
      formatDay(locale, need.night),
      ...occupancies.map((one) => number(need[one] ?? 0)),
      number(countRoomsOfNight(need)),
    ]),
  ]
}

function writeRooms(sheet: PdfSheet, rows: readonly string[][], { say }: Translator): void {
  if (rows.length === 0) return
  sheet.space(10)
  sheet.text(say('rfp.byNight'), { bold: true, size: 12, as: 'H2' })
  sheet.space(4)
  const width = (RIGHT_EDGE_PT - LEFT_EDGE_PT - 200) / (rows[0]!.length - 1)
  const toCell = (text: string, index: number): PdfSheetCell =>
    index === 0
      ? { text, x: LEFT_EDGE_PT, width: 190 }
      : { text, x: LEFT_EDGE_PT + 200 + (index - 1) * width, width: width - 8, align: 'right' }
  sheet.table(() =>
    rows.forEach((row, index) => {
      sheet.row(
        row.map((text, column) => ({ ...toCell(text, column), bold: index === 0 })),
        index === 0,
      )
      if (index === 0) sheet.rule()
    }),
  )
}

function writeQuestions(sheet: PdfSheet, { questions }: RfpRow, { say }: Translator): void {
  if (questions.length === 0) return
  sheet.space(14)
  sheet.text(say('rfp.questions'), { bold: true, size: 12, as: 'H2' })
  sheet.space(4)
  questions.forEach(({ text, choices }, index) =>
    sheet.text(cleanText(`${index + 1}. ${text}${choices ? ` (${choices.join(' / ')})` : ''}`)),
  )
}
