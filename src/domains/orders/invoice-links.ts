import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { Context } from '../../kernel/context.ts'
import { isId } from '../../kernel/ids.ts'
import type { Keys } from '../../kernel/secrets.ts'

const LABEL = 'invoice link'
const LIFETIME_SECONDS = 86_400

/** What a link opens, until when. Sealed as a whole: its address says nothing about anybody, not even that two are of one event. */
interface InvoiceLink {
  tenantId: number
  eventId: string
  invoiceId: string
  /** Seconds since 1970, by the clock of the database. */
  until: number
}

/** Makes links that open the PDF of an invoice for whoever has them, for 24 hours. One question for the time serves any number of them. */
export async function invoiceLinks({
  db,
  keys,
  baseUrl,
  tenantId,
  event,
}: Pick<Context, 'db' | 'keys' | 'baseUrl' | 'tenantId'> & { event: { id: string } }): Promise<(invoice: { id: string }) => string> {
  const until = Math.ceil(await secondsNow(db)) + LIFETIME_SECONDS
  return ({ id }) => {
    const link: InvoiceLink = { tenantId, eventId: event.id, invoiceId: id, until }
    return `${baseUrl}/invoices/${keys.seal(LABEL, JSON.stringify(link), '')}.pdf`
  }
}

export type OpenedInvoiceLink = { tenantId: number; event: { id: string }; invoiceId: string; secondsLeft: number } | 'expired' | null

/** Null for what we did not make. */
export async function openInvoiceLink({ db, keys }: { db: Db; keys: Keys }, sealed: string): Promise<OpenedInvoiceLink> {
  const opened = keys.open(LABEL, sealed, '')
  if (!opened) return null
  const { tenantId, eventId, invoiceId, until } = JSON.parse(opened.toString('utf8')) as InvoiceLink
  if (!isId(eventId) || !isId(invoiceId)) return null
  const secondsLeft = until - (await secondsNow(db))
  return secondsLeft > 0 ? { tenantId, event: { id: eventId }, invoiceId, secondsLeft } : 'expired'
}

async function secondsNow(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`select extract(epoch from lanyard_now())::float8 as now`.execute(db)
  return rows[0]!.now
}
