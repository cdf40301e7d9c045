import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { newId } from '../../../kernel/ids.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { sendEventEmail } from '../../messages/event-mail/send.ts'
import { lockCompanies } from '../booths/lock.ts'
import type { CompanyRow } from '../companies.ts'
import { findCompanyEmailRecipient, formatBoothNumbers, listBoothNumbers } from '../company-facts.ts'
import { readLiveOrTestConfiguration } from '../context.ts'
import { createInvitationUrl } from '../staff/invitations.ts'
import { COMPANY_STATES } from '../states.ts'

/** The form with which exhibitors register: the first flow of kind exhibitor. */
export const findExhibitorFlow = ({ flows }: Pick<EventConfig, 'flows'>) => flows.find(({ kind }) => kind === 'exhibitor') ?? null

export function getExhibitorFlow(config: Pick<EventConfig, 'flows'>) {
  const flow = findExhibitorFlow(config)
  if (!flow) throw preconditionFailed('This event has no flow of kind exhibitor, so exhibitors cannot register. Add one and publish it')
  return flow
}

interface Invited {
  company: CompanyRow
  to: { email: string; name: string | null }
  boothNumbers: string
  message?: string | undefined
  /** Id of the tool call. Repeated calls have different ids, so that each sends its own email. */
  callId: string
}

/** Emails an invitation to register with a company, to its contact or to booth staff. */
export async function sendCompanyInvitation(
  ctx: EventContext,
  config: EventConfig,
  { company, to, boothNumbers, message, callId }: Invited,
) {
  await sendEventEmail(ctx, {
    trigger: 'company.invited',
    participant: null,
    to,
    values: {
      'company.name': company.name,
      'company.contactName': company.contact_name,
      'company.boothNumber': boothNumbers,
      'invite.inviter': ctx.actor.name,
      'invite.message': message ?? null,
      'links.invite': await createInvitationUrl(ctx, company, to.email, getExhibitorFlow(config).slug),
    },
    isTestData: company.is_test_data,
    sourceKind: 'companyInvite',
    sourceId: callId,
    recipientKey: `${company.id}:${to.email}`,
  })
}

/**
 * Invites the contacts of companies to register. Companies with the status prospect become invited; other companies get the email again.
 */
export async function inviteCompanies(
  ctx: EventContext,
  { companyIds, message }: { companyIds: readonly string[]; message?: string | undefined },
) {
  const companies = [...(await lockCompanies(ctx, companyIds)).values()]
  const numbers = await listBoothNumbers(
    ctx,
    companies.map(({ id }) => id),
  )
  const skipped = new Map<string, number>()
  const callId = newId()
  let queued = 0
  for (const company of companies) {
    const to = company.status === 'cancelled' ? null : await findCompanyEmailRecipient(ctx, company.id)
    if (to === null) {
      const reason = company.status === 'cancelled' ? 'cancelled' : 'no email address'
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
      continue
    }
    const { config } = await readLiveOrTestConfiguration(ctx, company.is_test_data)
    const boothNumbers = formatBoothNumbers(numbers, company.id)
    await sendCompanyInvitation(ctx, config, { company, to, boothNumbers, message, callId })
    recordChange(ctx, { kind: 'company', id: company.id, before: {}, after: { invited: to.email } })
    if (company.status === 'prospect') await changeRecordState(ctx, COMPANY_STATES, company, 'invited')
    queued++
  }
  return { queued, skipped: [...skipped].map(([reason, count]) => ({ reason, count })) }
}
