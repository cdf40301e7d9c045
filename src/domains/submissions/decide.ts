import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { sendDecisionEmail } from './emails.ts'
import { type Decision, isOpenSubmission, SUBMISSION_STATES } from './states.ts'
import { announceSubmissionChange, validateSubmissionFields, lockSubmissions, readSubmissionConfig } from './submissions.ts'
import type { SubmissionRow } from './tables.ts'

export interface DecisionInput {
  number: string
  decision: Decision | 'none'
  trackCode?: string | undefined
  formatCode?: string | undefined
  note?: string | undefined
}

/** Stores the committee's decisions. Submitters cannot see a decision until they are informed. */
export async function decideSubmissions(ctx: EventContext, decisions: readonly DecisionInput[], force: boolean): Promise<SubmissionRow[]> {
  const byNumber = new Map(decisions.map((one) => [one.number.toUpperCase(), one]))
  if (byNumber.size < decisions.length) throw invalidArguments([{ path: 'decisions', message: 'contains one number twice' }])
  const { config } = await readSubmissionConfig(ctx)
  for (const decision of decisions) validateSubmissionFields(config, decision)
  const rows = await lockSubmissions(ctx, [...byNumber.keys()])
  const closed = rows.filter(({ status }) => !isOpenSubmission(status))
  if (closed.length > 0)
    throw preconditionFailed(
      `Cannot decide ${closed.map(({ number, status }) => `${number} (${status})`).join(', ')}: only submitted, under_review and backup submissions can be decided.`,
    )
  if (!force) {
    const wanted = config.sessions.reviewsPerSubmission
    const counted = await countReviews(ctx, rows)
    const early = rows.filter(({ id, number }) => byNumber.get(number)!.decision !== 'none' && (counted.get(id) ?? 0) < wanted)
    if (early.length > 0)
      throw preconditionFailed(
        `${early.map(({ number, id }) => `${number} (${counted.get(id) ?? 0})`).join(', ')}: fewer than ${wanted} reviews. Pass force to decide anyway.`,
      )
  }
  const decided: SubmissionRow[] = []
  for (const row of rows) decided.push(await storeDecision(ctx, row, byNumber.get(row.number)!))
  return decided
}

async function countReviews(ctx: EventContext, rows: readonly SubmissionRow[]): Promise<Map<string, number>> {
  if (rows.length === 0) return new Map()
  const counted = await eventDb(ctx)
    .selectFrom('submission_reviews')
    .select(['submission_id', sql<number>`count(*)::int`.as('count')])
    .where(
      'submission_id',
      'in',
      rows.map(({ id }) => id),
    )
    .where('recused', '=', false)
    .groupBy('submission_id')
    .execute()
  return new Map(counted.map(({ submission_id, count }) => [submission_id, count]))
}

async function storeDecision(
  ctx: EventContext,
  row: SubmissionRow,
  { decision, trackCode, formatCode, note }: DecisionInput,
): Promise<SubmissionRow> {
  const columns = {
    pending: decision === 'none' ? null : decision,
    decided_by: decision === 'none' ? null : ctx.actor.id,
    ...(trackCode === undefined ? {} : { decided_track_code: trackCode }),
    ...(formatCode === undefined ? {} : { decided_format_code: formatCode }),
    ...(note === undefined ? {} : { decision_note: note }),
  }
  const after = await eventDb(ctx).updateTable('submissions').set(columns).where('id', '=', row.id).returningAll().executeTakeFirstOrThrow()
  const shown = (one: SubmissionRow) => ({
    pending: one.pending,
    trackCode: one.decided_track_code,
    formatCode: one.decided_format_code,
    note: one.decision_note,
  })
  recordChange(ctx, { kind: 'submission', id: row.id, before: shown(row), after: shown(after) })
  return after
}

export const INFORM_SKIP_REASONS = ['already_informed', 'not_decided'] as const
type SkipReason = (typeof INFORM_SKIP_REASONS)[number]

/**
 * Informs submitters of decisions: the status is set to the decision, and one email per submission is queued. Without arguments, the
 * submitters of all decided submissions are informed. Submitters who already know the decision are skipped.
 */
export async function informSubmittersOfDecision(
  ctx: EventContext,
  { numbers, decision }: { numbers?: readonly string[] | undefined; decision?: Decision | undefined },
) {
  const rows = await lockSubmissions(ctx, numbers ?? (await listDecidedNumbers(ctx, decision)))
  const { config } = await readSubmissionConfig(ctx)
  const skipped = new Map<SkipReason, number>()
  const informed: SubmissionRow[] = []
  for (const row of rows) {
    const reason = await findSkipReason(ctx, row)
    if (reason === null) informed.push(await inform(ctx, row, config.sessions.confirmDays))
    else skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
  }
  return { queued: informed.length, skipped: [...skipped].map(([reason, count]) => ({ reason, count })), informed }
}

/** Lists the numbers of submissions with a decision, whether or not their submitters were informed. */
async function listDecidedNumbers(ctx: EventContext, decision: Decision | undefined): Promise<string[]> {
  const rows = await eventDb(ctx)
    .selectFrom('submissions')
    .select('number')
    .where((eb) => {
      const isDecided = eb.or([
        eb('pending', 'is not', null),
        eb.and([eb('informed_at', 'is not', null), eb('status', 'in', ['accepted', 'backup', 'rejected'])]),
      ])
      return decision === undefined ? isDecided : eb.and([isDecided, eb(sql<string>`coalesce(pending, status)`, '=', decision)])
    })
    .execute()
  return rows.map(({ number }) => number)
}

async function findSkipReason(ctx: EventContext, row: SubmissionRow): Promise<SkipReason | null> {
  if (row.pending === null) return row.informed_at === null ? 'not_decided' : 'already_informed'
  if (row.pending !== row.status) return null
  // The committee confirmed the status that the submitter already knows, so there is no new decision to inform about.
  await eventDb(ctx).updateTable('submissions').set({ pending: null }).where('id', '=', row.id).execute()
  return 'already_informed'
}

async function inform(ctx: EventContext, row: SubmissionRow, confirmDays: number): Promise<SubmissionRow> {
  const decision = row.pending!
  const moved = await changeRecordState(ctx, SUBMISSION_STATES, row, decision, {
    columns: {
      pending: null,
      informed_at: sql`lanyard_now()`,
      confirm_by: decision === 'accepted' ? sql`lanyard_now() + make_interval(days => ${confirmDays})` : null,
    },
  })
  await sendDecisionEmail(ctx, moved, decision)
  announceSubmissionChange(ctx, row.id, ['status', 'decided'])
  return moved
}
