import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, conflict, type FieldError, invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { hasRoleAtEvent } from '../access/event-people.ts'
import type { AttachedRubric } from '../rfps/tables.ts'
import { readComparableResponses, readRfpSnapshot } from './responses.ts'
import { listManualScores, scoreComparableResponses } from './scores.ts'

export interface ScoreEntry {
  responseId: string
  criterion: string
  score: number
  note?: string | undefined
}

interface ScoresRequest {
  rfpId: string
  scores: readonly ScoreEntry[]
  evaluator?: string | undefined
}

/** Saves the scores of one evaluator. A score that the evaluator gave before is replaced; the same score again changes nothing. */
export async function recordManualScores(ctx: EventContext, { rfpId, scores, evaluator = ctx.actor.id }: ScoresRequest) {
  await checkEvaluator(ctx, evaluator)
  const rfp = await readRfpSnapshot(ctx, rfpId, { forChange: true })
  if (rfp.status === 'awarded' || rfp.status === 'cancelled') throw conflict(`${rfp.number} is ${rfp.status}: its scores cannot change`)
  const ids = [...new Set(scores.map(({ responseId }) => responseId))]
  await readComparableResponses(ctx, rfp, { responseIds: ids })
  if (!rfp.rubric) throw preconditionFailed(`${rfp.number} has no rubric. Attach one with create_scoring_rubric`)
  checkScores(rfp.rubric, scores)
  const before = (await listManualScores(ctx, ids)).filter((one) => one.evaluator === evaluator)
  const changed = new Set<string>()
  let replaced = 0
  for (const entry of scores) {
    const earlier = before.find((one) => one.responseId === entry.responseId && one.criterion === entry.criterion)
    if (earlier) replaced += 1
    if (earlier?.score === entry.score && earlier.note === (entry.note ?? null)) continue
    changed.add(entry.responseId)
    await saveScore(ctx, evaluator, entry)
    recordChange(ctx, {
      kind: 'responseScore',
      id: entry.responseId,
      ...(earlier ? { before: { criterion: entry.criterion, evaluator, score: earlier.score, note: earlier.note } } : {}),
      after: { criterion: entry.criterion, evaluator, score: entry.score, note: entry.note ?? null },
    })
  }
  for (const id of changed) ctx.effects.add('changes', id)
  return { saved: scores.length - replaced, replaced, totals: (await scoreComparableResponses(ctx, rfp)) ?? [] }
}

/** Rejects scores for another evaluator, unless the caller is an administrator of the client who enters them for that user. */
async function checkEvaluator(ctx: EventContext, evaluator: string): Promise<void> {
  if (evaluator === ctx.actor.id) return
  if (!ctx.permissions.has('clients.admin'))
    throw new AppError(
      'forbidden',
      'Recording scores for another user needs the permission clients.admin. Leave out evaluator to score yourself',
    )
  if (!(await hasRoleAtEvent(ctx, evaluator))) throw notFound(`No user ${evaluator} at this event. List users with list_event_staff`)
}

function checkScores({ criteria }: AttachedRubric, scores: readonly ScoreEntry[]): void {
  const manual = criteria.filter(({ scorer }) => scorer === 'manual').map(({ code }) => code)
  const errors = scores.flatMap(({ responseId, criterion }, index): FieldError[] => {
    const path = `scores.${index}.criterion`
    const found = criteria.find(({ code }) => code === criterion)
    if (!found) return [{ path, message: `the rubric has no criterion ${criterion}`, allowed: manual }]
    if (found.scorer === 'formula') return [{ path, message: `${criterion} is calculated by a formula`, allowed: manual }]
    const first = scores.findIndex((one) => one.responseId === responseId && one.criterion === criterion)
    return first < index ? [{ path, message: 'scored twice in this call' }] : []
  })
  if (errors.length > 0) throw invalidArguments(errors)
}

const saveScore = ({ db, tenantId, event }: EventContext, evaluator: string, { responseId, criterion, score, note }: ScoreEntry) =>
  db
    .insertInto('response_scores')
    .values({
      tenant_id: tenantId,
      event_id: event.id,
      response_id: responseId,
      criterion,
      evaluator,
      score: String(score),
      note: note ?? null,
    })
    .onConflict((on) =>
      on
        .columns(['tenant_id', 'event_id', 'response_id', 'criterion', 'evaluator'])
        .doUpdateSet({ score: String(score), note: note ?? null, updated_at: sql`lanyard_now()` }),
    )
    .execute()
