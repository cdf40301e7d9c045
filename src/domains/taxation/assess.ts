import { sql } from 'kysely'
import { z } from 'zod'
import { id } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { defineJob } from '../../kernel/jobs.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { TaxAssessmentData } from './basis.ts'
import { toFindingId, listFindings } from './findings.ts'
import { countAssessableOrderLines, readNextOrderLineBatch } from './order-lines.ts'
import { addLines, createEmptyAssessmentCounts, type AssessmentCounts, type TaxIssueKeysByInvoice } from './tally.ts'

interface AssessmentResult {
  findings: number
}

/** Checks the taxes on the order lines of an event in batches. After a restart it continues after the last committed batch. */
export const assessTaxesJob = defineJob({
  name: 'tax-assessment',
  scope: 'event',
  input: z.object({ assessmentId: id() }),
  async run(job, { assessmentId }): Promise<AssessmentResult> {
    const total = await job.step((ctx) => beginAssessment(ctx, assessmentId))
    for (;;) {
      const counted = await job.step((ctx) => countBatch(ctx, assessmentId))
      if (!counted) break
      await job.progress(counted.lines, Math.max(total, counted.lines))
    }
    return job.step((ctx) => finishAssessment(ctx, assessmentId))
  },
})

const readAssessmentRow = (ctx: EventContext, assessmentId: string) =>
  eventDb(ctx)
    .selectFrom('tax_assessments')
    .select(['basis', 'tally', 'last_order_id', 'rate_table_version', 'findings'])
    .where('id', '=', assessmentId)
    .executeTakeFirstOrThrow()

const updateAssessment = (ctx: EventContext, assessmentId: string) =>
  eventDb(ctx).updateTable('tax_assessments').where('id', '=', assessmentId)

/**
 * Starts or resumes a tax assessment and returns the number of order lines. If the rate table changed meanwhile, counting restarts, because
 * an assessment uses a single rate table.
 */
async function beginAssessment(ctx: EventContext, assessmentId: string): Promise<number> {
  const row = await readAssessmentRow(ctx, assessmentId)
  if (row.findings === null && row.rate_table_version !== ctx.taxRates.version) {
    await eventDb(ctx).deleteFrom('tax_assessment_invoices').where('assessment_id', '=', assessmentId).execute()
    await updateAssessment(ctx, assessmentId)
      .set({ rate_table_version: ctx.taxRates.version, tally: JSON.stringify(createEmptyAssessmentCounts()), last_order_id: null })
      .execute()
  }
  return row.basis.includeOrders ? countAssessableOrderLines(ctx, row.basis) : 0
}

/** Adds the next batch of order lines to the counts of the assessment and returns the counts; null if no lines are left. */
async function countBatch(ctx: EventContext, assessmentId: string): Promise<AssessmentCounts | null> {
  const { basis, tally, last_order_id: after, findings } = await readAssessmentRow(ctx, assessmentId)
  if (findings !== null || !tally || !basis.includeOrders) return null
  const { lines, lastOrderId } = await readNextOrderLineBatch(ctx, basis, after)
  if (lastOrderId === null) return null
  const products = new Map(basis.products.map((product) => [product.code, product]))
  const wrong = await runTaskCooperatively(addLines(tally, lines, { basis, rates: ctx.taxRates }, products))
  await saveWrongInvoices(ctx, assessmentId, wrong)
  await updateAssessment(ctx, assessmentId)
    .set({ tally: JSON.stringify(tally), last_order_id: lastOrderId })
    .execute()
  return tally
}

/** Saves the invoices with wrong taxes. An invoice belongs to one order and an order to one batch, so each invoice is inserted once. */
async function saveWrongInvoices(ctx: EventContext, assessmentId: string, wrong: TaxIssueKeysByInvoice): Promise<void> {
  if (wrong.size === 0) return
  const rows = [...wrong].map(([invoice, keys]) => ({ invoice, findings: [...keys].map((key) => toFindingId(assessmentId, key)) }))
  await sql`
    insert into tax_assessment_invoices (tenant_id, event_id, assessment_id, invoice_id, findings)
    select ${ctx.tenantId}, ${ctx.event.id}, ${assessmentId}, r.invoice, r.findings
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (invoice text, findings text[])`.execute(ctx.db)
}

async function finishAssessment(ctx: EventContext, assessmentId: string): Promise<AssessmentResult> {
  const { basis, tally, findings } = await readAssessmentRow(ctx, assessmentId)
  if (findings !== null) return { findings: findings.length }
  const found = listFindings(assessmentId, basis as TaxAssessmentData, ctx.taxRates, tally!)
  const { lines, orders, buyers } = tally!
  await updateAssessment(ctx, assessmentId)
    .set({ findings: JSON.stringify(found), outcome: JSON.stringify({ lines, orders, buyers }), tally: null })
    .execute()
  return { findings: found.length }
}
