import { sql } from 'kysely'
import { AppError } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { readRfpSnapshot, type ResponseReadContext } from './responses.ts'
import { scoreComparableResponses } from './scores.ts'

/**
 * Reads the scores of all responses of the event that can be compared, by response id. RFPs without a rubric, sealed RFPs and RFPs with a
 * missing exchange rate have none.
 */
export async function readResponseScores(ctx: ResponseReadContext): Promise<Map<string, number>> {
  const rfps = await eventDb(ctx)
    .selectFrom('rfps')
    .select('id')
    .where('rubric', 'is not', null)
    .where(
      sql<boolean>`exists (select from rfp_responses o where o.tenant_id = rfps.tenant_id and o.event_id = rfps.event_id and o.rfp_id = rfps.id)`,
    )
    .orderBy('id')
    .execute()
  const scores = new Map<string, number>()
  for (const { id } of rfps) {
    const scored = await scoreComparableResponses(ctx, await readRfpSnapshot(ctx, id)).catch(ignoreUnreadable)
    for (const { responseId, total } of scored ?? []) scores.set(responseId, total)
  }
  return scores
}

/** Returns null for errors which mean that the responses of an RFP cannot be compared yet; throws all others. */
function ignoreUnreadable(error: unknown): null {
  if (error instanceof AppError && (error.code === 'precondition_failed' || error.code === 'unavailable')) return null
  throw error
}
