import type { EventContext } from '../../../kernel/context.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import { findUserPermissions } from '../../access/event-people.ts'
import { readReportSettings } from '../../tenancy/report-settings.ts'

/** An address that may receive the file: an organizer, or an external address from the client's settings (`userId` is null). */
export interface RunRecipient {
  email: string
  userId: string | null
}

export interface CheckedRecipients {
  allowed: RunRecipient[]
  skipped: { reason: 'not_allowed' | 'duplicate'; count: number }[]
  /** Each distinct address, and whether it may receive the file. */
  addresses: { email: string; known: boolean }[]
}

/** Decides which addresses may receive a file: organizers who may open it themselves, and external addresses in the client's settings. */
export async function checkRecipients(
  ctx: EventContext,
  emails: readonly string[],
  needs: readonly Permission[],
): Promise<CheckedRecipients> {
  const { reportRecipients } = await readReportSettings(ctx)
  const listed = new Set(reportRecipients.map(foldEmailCase))
  const different = [...new Map(emails.map((email) => [foldEmailCase(email), email])).values()]
  const allowed: RunRecipient[] = []
  const addresses: CheckedRecipients['addresses'] = []
  for (const email of different) {
    const person = await findUserPermissions(ctx, { email })
    const isOrganizer = person !== null && needs.every((permission) => person.permissions.has(permission))
    const known = isOrganizer || (person === null && listed.has(foldEmailCase(email)))
    if (known) allowed.push({ email, userId: person?.userId ?? null })
    addresses.push({ email, known })
  }
  const skipped = [
    { reason: 'not_allowed' as const, count: different.length - allowed.length },
    { reason: 'duplicate' as const, count: emails.length - different.length },
  ].filter(({ count }) => count > 0)
  return { allowed, skipped, addresses }
}
