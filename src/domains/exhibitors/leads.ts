import { announceToWebhooks } from '../../kernel/announce.ts'
import { newId } from '../../kernel/ids.ts'
import type { ExhibitorContext, ExhibitorQueryContext } from './context.ts'
import type { LeadCaptureType } from './tables.ts'
import { RESTORED_LEAD_STATUS } from './states.ts'

interface LeadCapture {
  companyId: string
  participantId: string
  isTestData: boolean
  type: LeadCaptureType
  at: Date
}

/**
 * Records that a company captured a participant's contact data. There is one lead per company and participant; a deleted lead is
 * restored.
 */
export async function recordLeadCapture(
  ctx: ExhibitorQueryContext & Pick<ExhibitorContext, 'announced'>,
  { companyId, participantId, isTestData, type, at }: LeadCapture,
): Promise<string> {
  const place = { tenant_id: ctx.tenantId, event_id: ctx.event.id }
  const { id } = await ctx.db
    .insertInto('leads')
    .values({ ...place, id: newId(), company_id: companyId, participant_id: participantId, is_test_data: isTestData, source: type })
    .onConflict((c) => c.constraint('leads_once').doUpdateSet({ status: RESTORED_LEAD_STATUS }))
    .returning('id')
    .executeTakeFirstOrThrow()
  const captureId = newId()
  await ctx.db
    .insertInto('lead_captures')
    .values({ ...place, id: captureId, lead_id: id, company_id: companyId, type, at })
    .execute()
  const changed = ['captures', 'lastCapturedAt']
  announceToWebhooks(ctx, { kind: 'lead.captured', entity: 'lead', id, occurrence: captureId, changed, isTestData })
  return id
}
