import { recordChange } from '../../kernel/audit.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import type { HousingContext } from '../housing/context.ts'
import type { SupplierRow } from '../suppliers/tables.ts'
import { describeWhyRfpClosed, isOpenForSuppliers, listRecipients, lockRfp } from './rfps.ts'
import type { RecipientRow } from './tables.ts'

export interface NewRecipient {
  supplierId: string
  contactEmail?: string | undefined
}

export const ADD_RECIPIENT_SKIP_REASONS = ['blocked', 'no_email', 'already'] as const
type SkipReason = (typeof ADD_RECIPIENT_SKIP_REASONS)[number]

export interface SkippedSupplier {
  supplierId: string
  reason: SkipReason
}

type Candidate = Pick<SupplierRow, 'id' | 'name' | 'status' | 'contacts'>

/** Adds suppliers to an RFP. They receive the RFP with the next distribution. */
export async function addRecipients(ctx: HousingContext, { rfpId, recipients }: { rfpId: string; recipients: readonly NewRecipient[] }) {
  const rfp = await lockRfp(ctx, rfpId)
  const now = await getDatabaseTime(ctx)
  if (!isOpenForSuppliers({ ...rfp, status: rfp.status === 'draft' ? 'distributed' : rfp.status }, now))
    throw preconditionFailed(`${rfp.number} takes no more recipients: it is ${describeWhyRfpClosed(rfp, now)}`)
  const suppliers = await readSuppliers(ctx, recipients)
  const taken = new Set((await listRecipients(ctx, rfpId)).map(({ supplier_id }) => supplier_id))
  const skipped: SkippedSupplier[] = []
  const added: RecipientRow[] = []
  for (const { supplierId, contactEmail } of recipients) {
    const supplier = suppliers.get(supplierId)!
    const contact = findContact(supplier, contactEmail)
    const reason = findSkipReason(supplier, contact, taken)
    if (reason !== null) skipped.push({ supplierId, reason })
    else added.push(await insertRecipient(ctx, rfpId, supplierId, contact!))
    taken.add(supplierId)
  }
  if (added.length === 0)
    throw preconditionFailed(
      `None of these suppliers can be added to ${rfp.number}: ${skipped.map(({ supplierId, reason }) => `${supplierId} ${reason}`).join(', ')}`,
    )
  return { rfp, added, skipped }
}

async function readSuppliers(ctx: HousingContext, recipients: readonly NewRecipient[]): Promise<Map<string, Candidate>> {
  const ids = [...new Set(recipients.map(({ supplierId }) => supplierId))]
  const rows = await tenantDb(ctx)
    .selectFrom('suppliers')
    .select(['id', 'name', 'status', 'contacts'])
    .where('client_id', '=', ctx.client.id)
    .where('id', 'in', ids)
    .execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  const missing = ids.find((id) => !found.has(id))
  if (missing !== undefined) throw notFound(`No supplier ${missing}. Use search_suppliers to see all suppliers.`)
  return found
}

interface Contact {
  name: string | null
  email: string
}

/**
 * Returns the contact with the given email address, even if it is new to the supplier. Without an address, the supplier's first contact.
 */
function findContact({ contacts }: Candidate, contactEmail: string | undefined): Contact | null {
  const contact = contacts.find(
    ({ email }) => email && (contactEmail === undefined || foldEmailCase(email) === foldEmailCase(contactEmail)),
  )
  const email = contactEmail ?? contact?.email
  return email === undefined ? null : { email, name: contact?.name ?? null }
}

function findSkipReason({ id, status }: Candidate, contact: Contact | null, taken: ReadonlySet<string>): SkipReason | null {
  if (taken.has(id)) return 'already'
  if (status === 'blocked') return 'blocked'
  return contact === null ? 'no_email' : null
}

async function insertRecipient(ctx: HousingContext, rfpId: string, supplierId: string, { name, email }: Contact): Promise<RecipientRow> {
  const row = await ctx.db
    .insertInto('rfp_recipients')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      rfp_id: rfpId,
      client_id: ctx.client.id,
      supplier_id: supplierId,
      contact_name: name,
      contact_email: email,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'rfpRecipient', id: row.id, after: { rfpId, supplierId, status: row.status } })
  return row
}
