import type { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { type FieldError, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { enqueueJob, getJob } from '../../kernel/jobs.ts'
import { fitting } from '../authoring/told.ts'
import { readLive } from '../configuration/read.ts'
import { assessTaxes } from './assess.ts'
import { readBasis } from './basis.ts'
import { type AssessmentShape, inputsOf, NOTICE, toFinding, totalsOf } from './shapes.ts'
import type {} from './tables.ts'

type Assessment = z.input<z.ZodObject<typeof AssessmentShape>>

interface Request {
  productCodes?: readonly string[] | undefined
  asOf?: string | undefined
  includeOrders?: boolean | undefined
  assessmentId?: string | undefined
}

/** An assessment that exists is read; what one is to be made of belongs to a new one. */
export const faultsOfRequest = ({ assessmentId, ...others }: Record<string, unknown>): FieldError[] =>
  assessmentId === undefined
    ? []
    : ['productCodes', 'asOf', 'includeOrders']
        .filter((name) => others[name] !== undefined)
        .map((path) => ({ path, message: 'is not taken with assessmentId, which reads an assessment as it was made' }))

/** Begins an assessment, or with its id tells how it stands. */
export async function startAssessment(ctx: EventContext, { assessmentId, ...wish }: Request): Promise<Assessment> {
  if (assessmentId !== undefined) return readAssessment(ctx, assessmentId)
  const { basis, draft } = await readBasis(ctx, wish)
  const live = await readLive(ctx, draft)
  const id = newId()
  const { jobId, status } = await enqueueJob(ctx, assessTaxes, { assessmentId: id }, { eventId: ctx.event.id })
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
  const row = await ctx.db
    .selectFrom('tax_assessments')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', assessmentId)
    .executeTakeFirst()
  if (!row) throw notFound(`No tax assessment ${assessmentId} at this event — start one with start_tax_assessment`)
  return row
}

async function readAssessment(ctx: EventContext, assessmentId: string): Promise<Assessment> {
  const row = await getAssessment(ctx, assessmentId)
  const job = await getJob(ctx, { jobId: row.job_id, name: assessTaxes.name, eventId: ctx.event.id })
  const { currency } = ctx.event
  const standing = { assessmentId, jobId: row.job_id, progress: job.progress, asOf: row.as_of }
  if (!row.findings || !row.outcome) {
    // The last of its transactions keeps the findings; until then it is not done, whatever became of the row of the job.
    const status = job.status === 'done' ? 'running' : job.status
    return { ...standing, status, ...(job.error === null ? {} : { error: job.error }) }
  }
  return {
    ...standing,
    status: 'done',
    ...fitting(
      { findings: row.findings.map((finding) => toFinding(finding, currency)) },
      'start_tax_assessment takes productCodes, a part of them at a time',
    ),
    totals: totalsOf(row.findings, row.outcome, currency),
    inputs: inputsOf(row.basis, row.outcome),
    notice: NOTICE,
  }
}
