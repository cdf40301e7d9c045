import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { chooseLanguage } from '../../kernel/language/negotiation.ts'
import { LANGUAGES } from '../../kernel/language/translator.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { ClientBillingDetails, TaxRegistration } from '../tenancy/tables.ts'
import type { InvoiceRow } from './invoices.ts'
import type { OrderLineRow } from './lines.ts'
import type { Seller } from './tables.ts'

/** Everything printed on an invoice or credit note. */
export interface PrintedInvoiceData {
  invoice: InvoiceRow
  lines: OrderLineRow[]
  orderNumber: string
  currency: string
  eventName: string
  timezone: string
  /** The recipient's language if it is supported, otherwise the event's language. */
  locale: string
  /** The seller as of the day of issue. */
  issuer: Seller
  /** The seller's current bank details and footer, not those of the day of issue: a payment must reach the account that is used now. */
  billing: Pick<ClientBillingDetails, 'bankDetails' | 'invoiceFooter'>
  /** For a credit note: the numbers of the invoices that it corrects. */
  corrects: string[]
}

/** The part of the event context that is available when a public invoice link is opened, outside a tool call. */
export type InvoiceReadContext = Pick<EventContext, 'tenantId' | 'db'> & { event: { id: string } }

interface InvoiceContextRow {
  orderNumber: string
  currency: string
  eventName: string
  timezone: string
  language: string | null
  locale: string
  clientName: string
  billing: ClientBillingDetails
  establishedIn: string | null
  taxRegistrations: TaxRegistration[]
  issuedOn: string
}

export async function findPrintedInvoiceData(ctx: InvoiceReadContext, invoiceId: string): Promise<PrintedInvoiceData | null> {
  const { tenantId, db, event } = ctx
  const invoice = await eventDb({ db, tenantId, event }).selectFrom('invoices').selectAll().where('id', '=', invoiceId).executeTakeFirst()
  if (!invoice) return null
  return {
    invoice,
    lines: await listInvoiceLines(ctx, invoiceId),
    corrects: invoice.kind === 'credit_note' ? await listCorrectedInvoices(ctx, invoiceId) : [],
    ...(await readInvoiceHeaderData(ctx, { orderId: invoice.order_id, issuedAt: invoice.issued_at, seller: invoice.seller })),
  }
}

/** The data of the order, the event and the seller that invoices, credit notes and receipts have in common. */
export type InvoiceHeaderData = Pick<
  PrintedInvoiceData,
  'orderNumber' | 'currency' | 'eventName' | 'timezone' | 'locale' | 'issuer' | 'billing'
>

export async function readInvoiceHeaderData(
  { tenantId, db, event }: InvoiceReadContext,
  { orderId, issuedAt, seller = null }: { orderId: string; issuedAt: Date; seller?: Seller | null },
): Promise<InvoiceHeaderData> {
  const { rows } = await sql<InvoiceContextRow>`
    select o.number as "orderNumber", o.currency, e.name as "eventName", e.timezone, e.locale, p.language, c.name as "clientName", c.billing,
      c.established_in as "establishedIn", c.tax_registrations as "taxRegistrations",
      to_char(${issuedAt}::timestamptz at time zone e.timezone, 'YYYY-MM-DD') as "issuedOn"
    from orders o
    join events e on e.tenant_id = o.tenant_id and e.id = o.event_id
    join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id
    left join participants p on p.tenant_id = o.tenant_id and p.event_id = o.event_id and p.id = o.participant_id
    where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and o.id = ${orderId}`.execute(db)
  const around = rows[0]!
  return {
    orderNumber: around.orderNumber,
    currency: around.currency,
    eventName: around.eventName,
    timezone: around.timezone,
    locale: (around.language !== null && chooseLanguage([around.language], LANGUAGES) !== null ? around.language : null) ?? around.locale,
    issuer: seller ?? toCurrentSeller(around),
    billing: around.billing,
  }
}

const listInvoiceLines = (ctx: InvoiceReadContext, invoiceId: string): Promise<OrderLineRow[]> =>
  eventDb(ctx).selectFrom('order_lines').selectAll().where('invoice_id', '=', invoiceId).orderBy('position').execute()

async function listCorrectedInvoices({ db, tenantId, event }: InvoiceReadContext, noteId: string): Promise<string[]> {
  const { rows } = await sql<{ number: string }>`
    select distinct i.number from order_lines l
    join order_lines s on s.tenant_id = l.tenant_id and s.event_id = l.event_id and s.id = l.reverses_line_id
    join invoices i on i.tenant_id = s.tenant_id and i.event_id = s.event_id and i.id = s.invoice_id
    where l.tenant_id = ${tenantId} and l.event_id = ${event.id} and l.invoice_id = ${noteId} order by i.number`.execute(db)
  return rows.map(({ number }) => number)
}

/** Returns the current seller, for documents that were issued before the seller was stored with them. */
const toCurrentSeller = (around: InvoiceContextRow): Seller => ({
  name: around.billing.legalName ?? around.clientName,
  address: around.billing.address ?? null,
  taxNumber: findTaxNumber(around),
})

/** Returns the tax number valid on the day of issue, preferring the country of establishment. */
function findTaxNumber({ taxRegistrations, establishedIn, issuedOn }: InvoiceContextRow): string | null {
  const valid = taxRegistrations.filter(({ from, until }) => from <= issuedOn && (until === undefined || issuedOn <= until))
  return (valid.find(({ country }) => country === establishedIn) ?? valid[0])?.number ?? null
}
