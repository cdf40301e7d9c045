import { type EventContext } from '../../kernel/context.ts'
import { hashCanonicalJson } from '../../kernel/canonical.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { lockBriefRow, readRequiredQuestionSettings } from './briefs.ts'
import { findContradictions } from './checks.ts'
import { describeBrief } from './get.ts'
import { listUnansweredQuestions, pickApplicableAnswers } from './questions.ts'
import { BRIEF_STATES } from './states.ts'
import type { BriefRow } from './tables.ts'

interface Lock {
  briefId: string
  unlock: boolean
  reason?: string | undefined
}

/** Locks a brief as a numbered version, or unlocks it for changes. A call that changes nothing returns the brief unchanged. */
export async function lockOrUnlockBrief(ctx: EventContext, { briefId, unlock, reason }: Lock) {
  const before = await lockBriefRow(ctx, briefId)
  const row = unlock ? await unlockBrief(ctx, before, reason) : await lockBrief(ctx, before, reason)
  return { brief: await describeBrief(ctx, row), version: row.version, lockedHash: row.locked_hash }
}

async function lockBrief(ctx: EventContext, brief: BriefRow, reason?: string): Promise<BriefRow> {
  if (brief.status === 'locked') return brief
  BRIEF_STATES.move(brief.status, 'locked')
  await refuseUnfinished(ctx, brief)
  const answers = pickApplicableAnswers(brief.answers)
  const hash = hashCanonicalJson(answers).toString('hex')
  const isNew = hash !== brief.locked_hash
  const version = isNew ? brief.version + 1 : brief.version
  const columns = { version, locked_hash: hash }
  const audited = { ...columns, ...(reason === undefined ? {} : { reason }) }
  const locked = await changeRecordState(ctx, BRIEF_STATES, brief, 'locked', { columns, audited })
  if (isNew)
    await ctx.db
      .insertInto('brief_versions')
      .values({
        tenant_id: ctx.tenantId,
        event_id: ctx.event.id,
        brief_id: brief.id,
        version,
        title: brief.title,
        answers: JSON.stringify(answers),
        hash,
        locked_by: ctx.actor.name,
      })
      .execute()
  return locked
}

async function refuseUnfinished(ctx: EventContext, { id, title, answers }: BriefRow): Promise<void> {
  const missing = listUnansweredQuestions(answers, await readRequiredQuestionSettings(ctx))
  const contradictions = findContradictions(answers)
  if (missing.length === 0 && contradictions.length === 0) return
  const parts = [
    ...(missing.length === 0 ? [] : [`required answers are missing: ${missing.join(', ')}`]),
    ...contradictions.map(({ codes, message }) => `${codes.join(' and ')}: ${message}`),
  ]
  throw preconditionFailed(`Brief ${title} cannot be locked, because ${parts.join('; ')}`, {
    fix: { tool: 'start_or_advance_brief', arguments: { briefId: id }, here: true },
  })
}

/** The statuses of RFPs that suppliers can still respond to, or that can still be sent. */
const OPEN_RFP = ['draft', 'distributed'] as const

async function unlockBrief(ctx: EventContext, brief: BriefRow, reason?: string): Promise<BriefRow> {
  if (brief.status === 'open') return brief
  await refuseWhileUsed(ctx, brief, 'unlocked')
  return changeRecordState(ctx, BRIEF_STATES, brief, 'open', { audited: reason === undefined ? {} : { reason } })
}

/** Rejects a change of a brief from which an open RFP was made. */
async function refuseWhileUsed(ctx: EventContext, { id, title }: BriefRow, change: 'unlocked' | 'archived'): Promise<void> {
  const rfps = await eventDb(ctx)
    .selectFrom('rfps')
    .select('number')
    .where('brief_id', '=', id)
    .where('status', 'in', OPEN_RFP)
    .orderBy('number')
    .execute()
  if (rfps.length > 0)
    throw preconditionFailed(`Brief ${title} cannot be ${change} while an open RFP uses it: ${rfps.map(({ number }) => number).join(', ')}`)
}

/** Archives a brief that is no longer needed. Its answers and versions stay readable. */
export async function archiveBrief(ctx: EventContext, briefId: string): Promise<BriefRow> {
  const brief = await lockBriefRow(ctx, briefId)
  if (brief.status === 'archived') return brief
  await refuseWhileUsed(ctx, brief, 'archived')
  return changeRecordState(ctx, BRIEF_STATES, brief, 'archived')
}

/** Restores an archived brief, so that it can be changed again. */
export async function restoreBrief(ctx: EventContext, briefId: string): Promise<BriefRow> {
  const brief = await lockBriefRow(ctx, briefId)
  return brief.status === 'archived' ? changeRecordState(ctx, BRIEF_STATES, brief, 'open') : brief
}
