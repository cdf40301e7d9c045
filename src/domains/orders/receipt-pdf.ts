import { sql } from 'kysely'
import type { Attachment } from '../../kernel/email-attachments.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { formatDateRange, formatMoney } from '../../kernel/language/format.ts'
import { type Translator, chooseTranslator } from '../../kernel/language/translator.ts'
import { sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { toDayInZone } from '../../kernel/time.ts'
import { buildEventCondition } from './event-scope.ts'
import { type InvoiceHeaderData, type InvoiceReadContext, readInvoiceHeaderData } from './invoice-facts.ts'
import { loadFontsForText } from '../fonts/font-parts.ts'
import { writePdfTitle } from './pdf/title.ts'
import { createPdfSheet, LEFT_EDGE_PT, RIGHT_EDGE_PT, type PdfSheet } from './pdf/sheet.ts'
import type { BillTo, PaymentMethod } from './tables.ts'

type ReceiptKind = 'payment' | 'refund' | 'reversal'

/** The part of a receipt that was applied to one invoice, or that became credit of an order. */
interface ReceiptPart {
  kind: ReceiptKind
  orderId: string
  orderNumber: string
  invoiceNumber: string | null
  billTo: BillTo
  isTestData: boolean
  method: PaymentMethod
  reference: string | null
  at: Date
  amount: number
}

/** Reads the parts of a payment, refund or reversal by its receipt number, which is unique across the three. */
async function listReceiptParts(ctx: InvoiceReadContext, number: string): Promise<ReceiptPart[]> {
  const { rows } = await sql<ReceiptPart>`
    select part.kind, part.order_id as "orderId", o.number as "orderNumber", i.number as "invoiceNumber", coalesce(i.bill_to, o.bill_to) as "billTo",
      o.is_test_data as "isTestData", part.method, part.reference, part.at, part.amount
    from (
      select 'payment' as kind, p.id, p.order_id, p.invoice_id, p.method, p.reference, p.received_at as at, p.amount
        from payments p where ${buildEventCondition(ctx, 'p')} and p.receipt_number = ${number}
      union all
      select 'refund', r.id, r.order_id, null, r.method, r.reference, r.refunded_at, r.amount
        from refunds r where ${buildEventCondition(ctx, 'r')} and r.receipt_number = ${number}
      union all
      select 'reversal', v.id, v.order_id, p.invoice_id, p.method, p.reference, v.created_at, v.amount
        from payment_reversals v join payments p on ${buildEventCondition(ctx, 'p')} and p.id = v.payment_id where ${buildEventCondition(ctx, 'v')} and v.receipt_number = ${number}) part
    join orders o on ${buildEventCondition(ctx, 'o')} and o.id = part.order_id
    left join invoices i on ${buildEventCondition(ctx, 'i')} and i.id = part.invoice_id
    order by part.id`.execute(ctx.db)
  return rows
}

const DATE_LABELS = { payment: 'receipt.receivedOn', refund: 'receipt.refundedOn', reversal: 'receipt.reversedOn' } as const

/** Renders the PDF of a receipt; null if no receipt has this number. The output is deterministic. */
export async function renderReceiptPdf(ctx: InvoiceReadContext, receiptNumber: string): Promise<Attachment | null> {
  const number = receiptNumber.toUpperCase()
  const parts = await listReceiptParts(ctx, number)
  const [first] = parts
  if (!first) return null
  const frame = await readInvoiceHeaderData(ctx, { orderId: first.orderId, issuedAt: first.at })
  const words = chooseTranslator(frame.locale)
  const money = (minor: number) => formatMoney(words.locale, toMoney(minor, frame.currency))
  const title = `${words.say(`receipt.${first.kind}`)} ${number}`
  const day = toDayInZone(frame.timezone, first.at)
  const date = formatDateRange(words.locale, day, day)
  const fixed = [money(-first.amount), date, words.say('invoice.page', { number: '', page: '', pages: '' })]
  const sheet = await createPdfSheet({
    title,
    author: frame.issuer.name,
    language: words.locale,
    createdAt: first.at,
    fonts: await loadFontsForText(JSON.stringify([parts, frame, title, ...fixed])),
    foot: (page, pages) => words.say('invoice.page', { number, page: String(page), pages: String(pages) }),
  })
  writeHead(sheet, { frame, first, words, title, date })
  writeParts(sheet, parts, words, money)
  if (frame.billing.invoiceFooter) {
    sheet.space(16)
    sheet.text(cleanText(frame.billing.invoiceFooter), { size: 8, muted: true })
  }
  return { name: `${number}.pdf`, mime: 'application/pdf', content: await sheet.end() }
}

interface ReceiptHead {
  frame: InvoiceHeaderData
  first: ReceiptPart
  words: Translator
  title: string
  date: string
}

function writeHead(sheet: PdfSheet, { frame, first, words, title, date }: ReceiptHead): void {
  const { issuer, eventName } = frame
  writePdfTitle(sheet, { issuer, words, title, isTestData: first.isTestData })
  const { company, name, address1, address2, city, postalCode } = first.billTo
  const address = [company, name, address1, address2, [postalCode, city].filter(Boolean).join(' ')]
  const facts = [
    [words.say(DATE_LABELS[first.kind]), date],
    [words.say('receipt.method'), words.say(`receipt.method.${first.method}`)],
    ...(first.reference ? [[words.say('receipt.reference'), cleanText(first.reference)]] : []),
    [words.say('invoice.event'), cleanText(eventName)],
  ]
  const middle = 310
  sheet.beside([
    {
      x: LEFT_EDGE_PT,
      width: middle - LEFT_EDGE_PT - 20,
      text: [
        words.say(first.kind === 'refund' ? 'receipt.refundedTo' : 'receipt.receivedFrom'),
        ...address.flatMap((line) => (line ? [cleanText(line).replace(/\s+/g, ' ')] : [])),
      ].join('\n'),
    },
    { x: middle, width: RIGHT_EDGE_PT - middle, text: facts.map(([label, value]) => `${label}: ${value}`).join('\n') },
  ])
  sheet.space(20)
}

function writeParts(sheet: PdfSheet, parts: readonly ReceiptPart[], words: Translator, money: (minor: number) => string): void {
  const row = (label: string, amount: string, bold = false, heading = false) =>
    sheet.row(
      [
        { text: label, x: LEFT_EDGE_PT, width: 340, bold },
        { text: amount, x: 411, width: RIGHT_EDGE_PT - 411, align: 'right', bold },
      ],
      heading,
    )
  sheet.table(() => {
    row(words.say('receipt.for'), words.say('receipt.amount'), true, true)
    sheet.rule()
    for (const { invoiceNumber, orderNumber, amount } of parts) {
      const label =
        invoiceNumber === null
          ? words.say('receipt.credit', { order: orderNumber })
          : words.say('receipt.invoice', { number: invoiceNumber, order: orderNumber })
      row(label, money(amount))
    }
    sheet.rule()
    row(words.say('invoice.total'), money(sumMinorUnits(parts.map(({ amount }) => amount))), true)
  })
}
