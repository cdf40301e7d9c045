import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { toMoney } from '../../../kernel/money.ts'
import { sendEventEmail } from '../../messages/event-mail/send.ts'
import { compareBoothNumbers, findCompanyEmailRecipient } from '../company-facts.ts'
import type { ExhibitorContext } from '../context.ts'
import { buildOfferPageUrl } from './offer-link.ts'
import { describeApplications, type LockedApplication, lockApplications } from './read.ts'

export interface EmailSendResult {
  queued: number
  skipped: { reason: string; count: number }[]
}

/** Emails the booth offer with its signed link to the company's contact. */
export async function sendOfferEmail(ctx: ExhibitorContext, { row, company }: LockedApplication): Promise<EmailSendResult> {
  const contact = await findCompanyEmailRecipient(ctx, company.id)
  if (!contact) return { queued: 0, skipped: [{ reason: 'no contact email', count: 1 }] }
  const booths = await readNumbers(ctx, row.offer_booth_ids)
  const sent = await sendEventEmail(ctx, {
    trigger: 'booth.application',
    participant: null,
    to: contact,
    values: {
      ...companyValues(company.name, contact.name, booths),
      'application.number': row.number,
      'application.amount': toMoney(row.offer_amount ?? 0, ctx.event.currency),
      'application.until': { instant: row.offer_until!, zone: ctx.event.timezone },
      'links.offer': buildOfferPageUrl(ctx, row),
    },
    isTestData: row.is_test_data,
    sourceKind: 'boothApplication',
    sourceId: row.id,
    recipientKey: `booth.application:${row.offer_number}:${foldEmailCase(contact.email)}`,
  })
  if (sent === null) return { queued: 0, skipped: [{ reason: 'turned off in the event', count: 1 }] }
  await eventDb(ctx)
    .updateTable('booth_applications')
    .set({ offer_sent_at: sql<Date>`lanyard_now()` })
    .where('id', '=', row.id)
    .execute()
  return { queued: 1, skipped: [] }
}

const companyValues = (name: string, contactName: string | null, booths: readonly string[]) => ({
  'company.name': name,
  'company.contactName': contactName,
  'company.boothNumber': booths.join(', '),
})

async function readNumbers(ctx: ExhibitorContext, boothIds: readonly string[]): Promise<string[]> {
  if (boothIds.length === 0) return []
  const rows = await eventDb(ctx)
    .selectFrom('booths')
    .select('number')
    .where('id', '=', sql<string>`any(${boothIds})`)
    .execute()
  return rows.map(({ number }) => number).toSorted(compareBoothNumbers)
}

interface AssignmentLetters {
  applicationNumbers?: readonly string[] | undefined
  all?: boolean | undefined
  message?: string | undefined
}

const MAX_LISTED = 50

/** Emails companies the numbers of their assigned booths. A company gets the email again only if its booths have changed. */
export async function sendAssignmentEmails(ctx: ExhibitorContext, { applicationNumbers, all, message }: AssignmentLetters) {
  if ((applicationNumbers === undefined) === (all !== true))
    throw invalidArguments([{ path: 'applicationNumbers', message: 'pass either applicationNumbers or all: true' }])
  const locked = await lockApplications(ctx, applicationNumbers ?? (await listAcceptedNumbers(ctx)))
  const assigned = await readAssigned(ctx, locked)
  const skipped = new Map<string, number>()
  let queued = 0
  for (const one of locked) {
    const reason = await sendAssignment(ctx, one, assigned.get(one.row.id) ?? [], message)
    if (reason === null) queued++
    else skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
  }
  const listed = locked.slice(0, MAX_LISTED).map(({ row }) => row.number!)
  return {
    ...(await describeApplications(ctx, listed)),
    queued,
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
  }
}

async function listAcceptedNumbers(ctx: ExhibitorContext): Promise<string[]> {
  const rows = await eventDb(ctx)
    .selectFrom('booth_applications')
    .select('number')
    .where('status', '=', 'accepted')
    .where('is_test_data', '=', false)
    .orderBy('number')
    .execute()
  return rows.map(({ number }) => number!)
}

async function readAssigned(
  ctx: ExhibitorContext,
  locked: readonly LockedApplication[],
): Promise<Map<string, { id: string; number: string }[]>> {
  const { rows } = await sql<{ applicationId: string; id: string; number: string }>`
    select a.application_id as "applicationId", b.id, b.number from booth_assignments a
    join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.until is null
      and a.application_id = any(${locked.map(({ row }) => row.id)}) order by b.id`.execute(ctx.db)
  return Map.groupBy(rows, ({ applicationId }) => applicationId)
}

/** Sends one email about assigned booths. Returns the reason if it is not sent, otherwise null. */
async function sendAssignment(
  ctx: ExhibitorContext,
  { row, company }: LockedApplication,
  booths: readonly { id: string; number: string }[],
  message: string | undefined,
): Promise<string | null> {
  if (booths.length === 0) return 'no booth assigned'
  const boothIds = booths.map(({ id }) => id)
  if (row.letters_sent > 0 && row.letter_booth_ids.join() === boothIds.join()) return 'already sent'
  const contact = await findCompanyEmailRecipient(ctx, company.id)
  if (!contact) return 'no contact email'
  const numbers = booths.map(({ number }) => number).toSorted(compareBoothNumbers)
  const sent = await sendEventEmail(ctx, {
    trigger: 'booth.assigned',
    participant: null,
    to: contact,
    values: {
      ...companyValues(company.name, contact.name, numbers),
      'application.number': row.number,
      'invite.message': message,
    },
    isTestData: row.is_test_data,
    sourceKind: 'boothApplication',
    sourceId: row.id,
    recipientKey: `booth.assigned:${row.letters_sent + 1}:${foldEmailCase(contact.email)}`,
  })
  if (sent === null) return 'turned off in the event'
  await eventDb(ctx)
    .updateTable('booth_applications')
    .set({ letter_booth_ids: boothIds, letters_sent: row.letters_sent + 1 })
    .where('id', '=', row.id)
    .execute()
  recordChange(ctx, { kind: 'application', id: row.id, after: { lettersSent: row.letters_sent + 1, booths: numbers } })
  return null
}
