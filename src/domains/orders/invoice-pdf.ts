import { formatCountryName, formatDateRange, formatMoney } from '../../kernel/language/format.ts'
import { type Translator, chooseTranslator } from '../../kernel/language/translator.ts'
import type { Attachment } from '../../kernel/email-attachments.ts'
import { sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { toDayInZone } from '../../kernel/time.ts'
import { type InvoiceReadContext, type PrintedInvoiceData, findPrintedInvoiceData } from './invoice-facts.ts'
import type { OrderLineRow } from './lines.ts'
import { LEFT_EDGE_PT, createPdfSheet, RIGHT_EDGE_PT, type PdfSheet } from './pdf/sheet.ts'
import { loadFontsForText } from '../fonts/font-parts.ts'
import { writePdfTitle } from './pdf/title.ts'
import type { BillTo } from './tables.ts'

/** The data of an invoice with its wording and formats in the document's language. */
interface InvoiceDocument extends PrintedInvoiceData {
  words: Translator
  money: (minor: number) => string
  day: (day: string) => string
  /** Credit note lines are stored with negative amounts but printed as positive. */
  sign: 1 | -1
}

/** Renders the PDF of an invoice or credit note; null if it does not exist. The output is deterministic for the same invoice state. */
export async function renderInvoicePdf(ctx: InvoiceReadContext, invoiceId: string): Promise<Attachment | null> {
  const facts = await findPrintedInvoiceData(ctx, invoiceId)
  if (!facts) return null
  const words = chooseTranslator(facts.locale)
  const { number, kind, issued_at } = facts.invoice
  const document: InvoiceDocument = {
    ...facts,
    words,
    money: (minor) => formatMoney(words.locale, toMoney(minor, facts.currency)),
    day: (day) => formatDateRange(words.locale, day, day),
    sign: kind === 'credit_note' ? -1 : 1,
  }
  const title = `${words.say(kind === 'invoice' ? 'invoice.invoice' : 'invoice.creditNote')} ${number}`
  const sheet = await createPdfSheet({
    title,
    author: facts.issuer.name,
    language: words.locale,
    createdAt: issued_at,
    // Characters that are missing in the first font are printed in the next font that has them.
    fonts: await loadFontsForText(JSON.stringify([facts, ...listFixedTexts(document)])),
    foot: (page, pages) => words.say('invoice.page', { number, page: String(page), pages: String(pages) }),
  })
  writeHead(sheet, document, title)
  writeLines(sheet, document)
  writeTotals(sheet, document)
  writeFoot(sheet, document)
  return { name: `${number}.pdf`, mime: 'application/pdf', content: await sheet.end() }
}

/** Lists the built-in texts of an invoice, such as labels and currency symbols, that the fonts must cover. */
const listFixedTexts = ({ words, money, day, invoice }: InvoiceDocument): string[] => [
  money(-invoice.total),
  day(invoice.due_on),
  words.say('invoice.reverseCharge'),
  words.say('invoice.page', { number: '', page: '', pages: '' }),
]

const MIDDLE_X = 310
const leftHalf = { x: LEFT_EDGE_PT, width: MIDDLE_X - LEFT_EDGE_PT - 20 }
const rightHalf = { x: MIDDLE_X, width: RIGHT_EDGE_PT - MIDDLE_X }

function writeHead(sheet: PdfSheet, writing: InvoiceDocument, title: string): void {
  const { words, invoice, issuer, orderNumber, eventName, timezone, corrects, day } = writing
  writePdfTitle(sheet, { issuer, words, title, isTestData: invoice.is_test_data })
  const facts = [
    [words.say('invoice.issuedOn'), day(toDayInZone(timezone, invoice.issued_at))],
    ...(invoice.kind === 'invoice' ? [[words.say('invoice.dueOn'), day(invoice.due_on)]] : []),
    ...(corrects.length > 0 ? [[words.say('invoice.corrects'), corrects.join(', ')]] : []),
    [words.say('invoice.order'), orderNumber],
    [words.say('invoice.event'), cleanText(eventName)],
  ]
  sheet.beside([
    { ...leftHalf, text: [words.say('invoice.billTo'), ...toAddressLines(invoice.bill_to, writing)].join('\n') },
    { ...rightHalf, text: facts.map(([label, value]) => words.say('label.value', { label: label!, value: value! })).join('\n') },
  ])
  sheet.space(20)
}

function toAddressLines(billTo: BillTo, { words }: InvoiceDocument): string[] {
  const { company, name, address1, address2, city, region, postalCode, country, taxId } = billTo
  const named = country && formatCountryName(words.locale, country)
  const lines = [company, name, address1, address2, [postalCode, city].filter(Boolean).join(' '), region, named]
  const tax = taxId ? words.say('invoice.yourTaxNumber', { number: taxId }) : ''
  return [...lines, tax].flatMap((line) => (line ? [cleanText(line).replace(/\s+/g, ' ')] : []))
}

const toColumns = (texts: readonly [string, string, string, string], bold = false) => [
  { text: texts[0], x: LEFT_EDGE_PT, width: 240, bold },
  { text: texts[1], x: 304, width: 50, align: 'right' as const, bold },
  { text: texts[2], x: 360, width: 85, align: 'right' as const, bold },
  { text: texts[3], x: 451, width: RIGHT_EDGE_PT - 451, align: 'right' as const, bold },
]

function writeLines(sheet: PdfSheet, writing: InvoiceDocument): void {
  const { words, lines, money, sign } = writing
  sheet.table(() => {
    const heads = ['description', 'quantity', 'unitPrice', 'amount'] as const
    sheet.row(toColumns(heads.map((head) => words.say(`invoice.${head}`)) as [string, string, string, string], true), true)
    sheet.rule()
    for (const line of lines) {
      const notes = [
        ...(line.discount === 0 ? [] : [words.say('invoice.discount', { amount: money(-sign * line.discount) })]),
        ...(line.tax_inclusive ? [words.say('invoice.inclusive')] : []),
        formatTaxRate(line, words),
      ]
      const description = `${cleanText(line.description).replace(/\s+/g, ' ')}\n${notes.join(', ')}`
      sheet.row(toColumns([description, String(sign * line.quantity), money(line.unit_price), money(sign * line.net)]))
      sheet.space(4)
    }
    sheet.rule()
  })
}

const formatTaxRate = ({ tax_rate }: OrderLineRow, words: Translator) => words.say('invoice.tax', { percent: Number(tax_rate) })

/** Returns one row per tax rate with its base and amount; for a compound tax one row per component. */
function taxRows({ lines, words, money, sign }: InvoiceDocument): [string, string][] {
  const rates = [...Map.groupBy(lines, ({ tax_code, tax_rate }) => `${Number(tax_rate)} ${tax_code}`).values()]
  return rates.flatMap((same) => {
    const first = same[0]!
    const base = money(sign * sumMinorUnits(same.map(({ net }) => net)))
    const parts = Map.groupBy(
      same.flatMap(({ tax_components }) => tax_components),
      ({ code }) => code,
    )
    const shares = [...parts.values()].map((shared): [string, number] => [
      words.say('invoice.component', { name: cleanText(shared[0]!.name), percent: Number(shared[0]!.rate) }),
      sumMinorUnits(shared.map(({ amount }) => amount)),
    ])
    const whole: [string, number][] = [[formatTaxRate(first, words), sign * sumMinorUnits(same.map(({ tax }) => tax))]]
    return (shares.length > 0 ? shares : whole).map(([tax, amount]): [string, string] => [
      words.say('invoice.taxOn', { tax, amount: base }),
      money(amount),
    ])
  })
}

function writeTotals(sheet: PdfSheet, writing: InvoiceDocument): void {
  const { invoice, words, money, lines } = writing
  const { net, total, paid, credited, written_off, balance, kind } = invoice
  const figure = (label: string, amount: string, bold = false) =>
    sheet.row([
      { text: label, x: 230, width: 215, align: 'right', bold },
      { text: amount, x: 451, width: RIGHT_EDGE_PT - 451, align: 'right', bold },
    ])
  sheet.table(() => {
    figure(words.say('invoice.net'), money(net))
    for (const [label, amount] of taxRows(writing)) figure(label, amount)
    figure(words.say('invoice.total'), money(total), true)
    if (kind === 'credit_note') return
    if (paid !== 0) figure(words.say('invoice.paid'), money(-paid))
    if (credited !== 0) figure(words.say('invoice.credited'), money(-credited))
    if (written_off !== 0) figure(words.say('invoice.writtenOff'), money(-written_off))
    figure(words.say('invoice.balance'), money(balance), true)
  })
  sheet.space(16)
  if (lines.some(({ tax_note }) => tax_note === 'reverse_charge')) sheet.text(words.say('invoice.reverseCharge'))
}

function writeFoot(sheet: PdfSheet, { billing, invoice, words }: InvoiceDocument): void {
  const { bankDetails, invoiceFooter } = billing
  if (bankDetails && invoice.kind === 'invoice' && invoice.balance > 0) {
    sheet.space(8)
    sheet.text(words.say('invoice.payment'), { bold: true, as: 'H2' })
    sheet.text(cleanText(bankDetails))
    sheet.text(words.say('invoice.reference', { number: invoice.number }))
  }
  if (!invoiceFooter) return
  sheet.space(16)
  sheet.text(cleanText(invoiceFooter), { size: 8, muted: true })
}
