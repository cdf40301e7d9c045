import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { Context } from '../../kernel/context.ts'
import { isId } from '../../kernel/ids.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'

const LINK_KEY_LABEL = 'invoice link'
const LIFETIME_SECONDS = 86_400

/** The content of a link to an invoice PDF. It is encrypted as a whole, so the URL reveals nothing, not even the event. */
interface InvoiceLink {
  tenantId: number
  eventId: string
  invoiceId: string
  /** Expiry as Unix time in seconds, by the database clock. */
  until: number
}

/** Returns a function that builds links to invoice PDFs, valid for 24 hours. Reads the database time once for all links. */
export async function createInvoiceLinkBuilder({
  db,
  keys,
  baseUrl,
  tenantId,
  event,
}: Pick<Context, 'db' | 'keys' | 'baseUrl' | 'tenantId'> & { event: { id: string } }): Promise<(invoice: { id: string }) => string> {
  const until = Math.ceil(await readUnixSeconds(db)) + LIFETIME_SECONDS
  return ({ id }) => {
    const link: InvoiceLink = { tenantId, eventId: event.id, invoiceId: id, until }
    return `${baseUrl}/invoices/${keys.seal(LINK_KEY_LABEL, JSON.stringify(link), '')}.pdf`
  }
}

export type DecryptedInvoiceLink = { tenantId: number; event: { id: string }; invoiceId: string; secondsLeft: number } | 'expired' | null

/** Decrypts a link to an invoice. Returns null for links that this server did not create. */
export async function decryptInvoiceLink({ db, keys }: { db: Db; keys: DerivedKeys }, sealed: string): Promise<DecryptedInvoiceLink> {
  const opened = keys.open(LINK_KEY_LABEL, sealed, '')
  if (!opened) return null
  const { tenantId, eventId, invoiceId, until } = JSON.parse(opened.toString('utf8')) as InvoiceLink
  if (!isId(eventId) || !isId(invoiceId)) return null
  const secondsLeft = until - (await readUnixSeconds(db))
  return secondsLeft > 0 ? { tenantId, event: { id: eventId }, invoiceId, secondsLeft } : 'expired'
}

async function readUnixSeconds(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`select extract(epoch from lanyard_now())::float8 as now`.execute(db)
  return rows[0]!.now
}
