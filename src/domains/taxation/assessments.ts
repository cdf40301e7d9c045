import type { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { type FieldError, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { enqueueJob, getJob } from '../../kernel/jobs.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { truncateLists } from '../authoring/truncate-lists.ts'
import { readLiveConfiguration } from '../configuration/read.ts'
import { assessTaxesJob } from './assess.ts'
import { readTaxAssessmentData } from './basis.ts'
import { type AssessmentShape, toTaxAssessmentInputs, NOT_LEGAL_ADVICE_NOTICE, toTaxFindingResult, toAssessmentTotals } from './shapes.ts'

type Assessment = z.input<z.ZodObject<typeof AssessmentShape>>

interface AssessmentRequest {
  productCodes?: readonly string[] | undefined
  asOf?: string | undefined
  includeOrders?: boolean | undefined
  assessmentId?: string | undefined
}

/** Rejects options together with an assessment id, because options are only allowed for a new assessment. */
export const checkAssessmentArguments = ({ assessmentId, ...others }: Record<string, unknown>): FieldError[] =>
  assessmentId === undefined
    ? []
    : ['productCodes', 'asOf', 'includeOrders']
        .filter((name) => others[name] !== undefined)
        .map((path) => ({ path, message: 'is not allowed with assessmentId, which reads an existing assessment' }))

/** Starts a tax assessment, or reads an existing one by id. */
export async function startAssessment(ctx: EventContext, { assessmentId, ...options }: AssessmentRequest): Promise<Assessment> {
  if (assessmentId !== undefined) return readAssessment(ctx, assessmentId)
  const { basis, draft } = await readTaxAssessmentData(ctx, options)
  const live = await readLiveConfiguration(ctx, draft)
  const id = newId()
  const { jobId, status } = await enqueueJob(ctx, assessTaxesJob, { assessmentId: id }, { eventId: ctx.event.id })
  await ctx.db
    .insertInto('tax_assessments')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      job_id: jobId,
      draft_revision: draft.facts.draftRevision,
      version_id: live?.versionId ?? null,
      as_of: basis.asOf,
      basis: JSON.stringify(basis),
    })
    .execute()
  recordChange(ctx, { kind: 'taxAssessment', id, after: { asOf: basis.asOf, draftRevision: draft.facts.draftRevision } })
  return { assessmentId: id, jobId, status, progress: { done: 0, total: null }, asOf: basis.asOf }
}

export async function getAssessment(ctx: EventContext, assessmentId: string) {
  const row = await eventDb(ctx).selectFrom('tax_assessments').selectAll().where('id', '=', assessmentId).executeTakeFirst()
  if (!row) throw notFound(`No tax assessment ${assessmentId} at this event — start one with start_tax_assessment`)
  return row
}

async function readAssessment(ctx: EventContext, assessmentId: string): Promise<Assessment> {
  const row = await getAssessment(ctx, assessmentId)
  const job = await getJob(ctx, { jobId: row.job_id, name: assessTaxesJob.name, eventId: ctx.event.id })
  const { currency } = ctx.event
  const state = { assessmentId, jobId: row.job_id, progress: job.progress, asOf: row.as_of }
  if (!row.findings || !row.outcome) {
    // The last transaction of the job saves the findings. Until then the assessment is running, even if the status of the job is `done`.
    const status = job.status === 'done' ? 'running' : job.status
    return { ...state, status, ...(job.error === null ? {} : { error: job.error }) }
  }
  return {
    ...state,
    status: 'done',
    ...truncateLists(
      { findings: row.findings.map((finding) => toTaxFindingResult(finding, currency)) },
      'pass productCodes to start_tax_assessment to assess fewer products at a time',
    ),
    totals: toAssessmentTotals(row.findings, row.outcome, currency),
    inputs: toTaxAssessmentInputs(row.basis, row.outcome),
    notice: NOT_LEGAL_ADVICE_NOTICE,
  }
}
