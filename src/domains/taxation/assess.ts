import { sql } from 'kysely'
import { z } from 'zod'
import { id } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { defineJob } from '../../kernel/jobs.ts'
import { inTurns } from '../../kernel/turns.ts'
import type { Basis } from './basis.ts'
import { findingId, findingsOf } from './findings.ts'
import { countLines, nextLines } from './order-lines.ts'
import type {} from './tables.ts'
import { addLines, newTally, type Tally, type WrongInvoices } from './tally.ts'

interface Assessed {
  findings: number
}

/** Goes through the order lines of an event batch by batch; stopped, it goes on after the last batch. */
export const assessTaxes = defineJob({
  name: 'tax-assessment',
  scope: 'event',
  input: z.object({ assessmentId: id() }),
  async run(job, { assessmentId }): Promise<Assessed> {
    const total = await job.step((ctx) => begin(ctx, assessmentId))
    for (;;) {
      const counted = await job.step((ctx) => countBatch(ctx, assessmentId))
      if (!counted) break
      await job.progress(counted.lines, Math.max(total, counted.lines))
    }
    return job.step((ctx) => conclude(ctx, assessmentId))
  },
})

const rowOf = (ctx: EventContext, assessmentId: string) =>
  ctx.db
    .selectFrom('tax_assessments')
    .select(['basis', 'tally', 'last_order_id', 'rate_table_version', 'findings'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', assessmentId)
    .executeTakeFirstOrThrow()

const update = (ctx: EventContext, assessmentId: string) =>
  ctx.db
    .updateTable('tax_assessments')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', assessmentId)

/** How many lines there are. What was counted with other rates is counted anew: one assessment is made with one table. */
async function begin(ctx: EventContext, assessmentId: string): Promise<number> {
  const row = await rowOf(ctx, assessmentId)
  if (row.findings === null && row.rate_table_version !== ctx.taxRates.version) {
    await ctx.db
      .deleteFrom('tax_assessment_invoices')
      .where('tenant_id', '=', ctx.tenantId)
      .where('event_id', '=', ctx.event.id)
      .where('assessment_id', '=', assessmentId)
      .execute()
    await update(ctx, assessmentId)
      .set({ rate_table_version: ctx.taxRates.version, tally: JSON.stringify(newTally()), last_order_id: null })
      .execute()
  }
  return row.basis.includeOrders ? countLines(ctx, row.basis) : 0
}

/** What was counted after one batch more; null when there is none left. */
async function countBatch(ctx: EventContext, assessmentId: string): Promise<Tally | null> {
  const { basis, tally, last_order_id: after, findings } = await rowOf(ctx, assessmentId)
  if (findings !== null || !tally || !basis.includeOrders) return null
  const { lines, lastOrderId } = await nextLines(ctx, basis, after)
  if (lastOrderId === null) return null
  const products = new Map(basis.products.map((product) => [product.code, product]))
  const wrong = await inTurns(addLines(tally, lines, { basis, rates: ctx.taxRates }, products))
  await noteInvoices(ctx, assessmentId, wrong)
  await update(ctx, assessmentId)
    .set({ tally: JSON.stringify(tally), last_order_id: lastOrderId })
    .execute()
  return tally
}

/** An invoice is of one order, and an order in one batch: each comes once. */
async function noteInvoices(ctx: EventContext, assessmentId: string, wrong: WrongInvoices): Promise<void> {
  if (wrong.size === 0) return
  const rows = [...wrong].map(([invoice, keys]) => ({ invoice, findings: [...keys].map((key) => findingId(assessmentId, key)) }))
  await sql`
    insert into tax_assessment_invoices (tenant_id, event_id, assessment_id, invoice_id, findings)
    select ${ctx.tenantId}, ${ctx.event.id}, ${assessmentId}, r.invoice, r.findings
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (invoice text, findings text[])`.execute(ctx.db)
}

async function conclude(ctx: EventContext, assessmentId: string): Promise<Assessed> {
  const { basis, tally, findings } = await rowOf(ctx, assessmentId)
  if (findings !== null) return { findings: findings.length }
  const found = findingsOf(assessmentId, basis as Basis, ctx.taxRates, tally!)
  const { lines, orders, buyers } = tally!
  await update(ctx, assessmentId)
    .set({ findings: JSON.stringify(found), outcome: JSON.stringify({ lines, orders, buyers }), tally: null })
    .execute()
  return { findings: found.length }
}
