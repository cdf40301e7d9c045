import { invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { lockRecord } from '../../kernel/records.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingQueryContext } from '../housing/context.ts'
import { readSourcingSettings } from '../tenancy/sourcing-settings.ts'
import type { BriefAnswers } from './answers.ts'
import { BRIEF_RECORD } from './brief-record.ts'
import type { RequiredQuestionSettings } from './questions.ts'
import type { BriefRow, BriefVersionRow } from './tables.ts'

const unknownBrief = (id: string) => notFound(`No brief ${id} at this event. Use get_brief without a briefId to list briefs`)

export async function getBrief(ctx: HousingQueryContext, briefId: string): Promise<BriefRow> {
  const row = await eventDb(ctx).selectFrom('briefs').selectAll().where('id', '=', briefId).executeTakeFirst()
  if (!row) throw unknownBrief(briefId)
  return row
}

/** Locks the row of a brief. Changes of a brief, and the creation of RFPs from it, hold this lock. */
export async function lockBriefRow(ctx: HousingQueryContext, briefId: string): Promise<BriefRow> {
  const row = await lockRecord(ctx, BRIEF_RECORD, { tenant_id: ctx.tenantId, event_id: ctx.event.id, id: briefId })
  if (!row) throw unknownBrief(briefId)
  return row
}

/** Reads the answers from which an RFP is made: those of the latest locked version. Rejects a brief that is not locked. */
export async function readLockedBriefForRfp(
  ctx: HousingQueryContext,
  briefId: string,
): Promise<{ brief: BriefRow; answers: BriefAnswers }> {
  const brief = await lockBriefRow(ctx, briefId)
  if (brief.status !== 'locked')
    throw preconditionFailed(`Brief ${brief.title} is ${brief.status}, not locked. Lock it with lock_brief`, {
      fix: { tool: 'lock_brief', arguments: { briefId }, here: true },
    })
  return { brief, answers: (await getBriefVersion(ctx, brief, brief.version)).answers }
}

export async function getBriefVersion(
  ctx: HousingQueryContext,
  brief: Pick<BriefRow, 'id' | 'title' | 'version'>,
  version: number,
): Promise<BriefVersionRow> {
  const row = await eventDb(ctx)
    .selectFrom('brief_versions')
    .selectAll()
    .where('brief_id', '=', brief.id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (row) return row
  throw notFound(
    `Brief ${brief.title} has no version ${version}. ${brief.version === 0 ? 'It was never locked' : `The latest version is ${brief.version}`}`,
  )
}

/** Refuses changes of a brief that is locked or archived. */
export function requireOpenBrief({ id, title, status }: BriefRow): void {
  if (status === 'open') return
  if (status === 'archived') throw preconditionFailed(`Brief ${title} is archived`)
  throw preconditionFailed(`Brief ${title} is locked: unlock with lock_brief`, {
    fix: { tool: 'lock_brief', arguments: { briefId: id, unlock: true }, here: true },
  })
}

export const readRequiredQuestionSettings = async (ctx: Parameters<typeof readSourcingSettings>[0]): Promise<RequiredQuestionSettings> => ({
  hasApprovalLimit: (await readSourcingSettings(ctx)).approvalLimit !== undefined,
})

/** Rejects a call if any of its answers is invalid. */
export const refuseWrongAnswers = (errors: readonly { code: string; message: string }[]): void => {
  if (errors.length > 0) throw invalidArguments(errors.map(({ code, message }) => ({ path: `answers.${code}`, message })))
}
