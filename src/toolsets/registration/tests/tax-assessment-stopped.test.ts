import { describe, expect, it } from 'vitest'
import { assessTaxesJob } from '../../../domains/taxation/assess.ts'
import { parseRatesFile } from '../../../domains/taxation/rates.ts'
import type { Job } from '../../../kernel/jobs.ts'
import type { AppServices } from '../../../surfaces/services.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { summarize, taxScenario } from './tax-scenario.ts'

const { story: scenario, call, run, wrongTax } = taxScenario()

describe('an interrupted tax assessment', () => {
  /** Inserts more orders of one pass at 19 % than fit into one batch. */
  const many = async (orders: number) => {
    const { tenantId, eventId } = scenario.event
    const connection = await scenario.world.database.pool.connect()
    const into = (text: string) => connection.query(text, [tenantId, eventId, orders])
    const id = `lpad(to_hex(n), 24, '0')`
    // Disables foreign keys and triggers, which are irrelevant here and would take most of the time.
    await connection.query('set session_replication_role = replica')
    await into(`insert into participants (tenant_id, event_id, id) select $1, $2, ${id} from generate_series(1, $3::int) n`)
    await into(
      `insert into orders (tenant_id, event_id, id, number, participant_id, currency, bill_to)
       select $1, $2, ${id}, 'M-' || n, ${id}, 'EUR', '{"country": "FR"}' from generate_series(1, $3::int) n`,
    )
    await into(
      `insert into invoices (tenant_id, event_id, id, number, kind, order_id, is_test_data, due_on, bill_to, net, tax, total)
       select $1, $2, ${id}, 'M-' || n, 'invoice', ${id}, false, '2027-01-31', '{}', 60000, 11400, 71400 from generate_series(1, $3::int) n`,
    )
    await into(
      `insert into order_lines (tenant_id, event_id, id, order_id, position, is_test_data, kind, product_code, description, quantity, unit_price,
         list_amount, discount, net, tax, total, tax_code, tax_rate, priced_at, invoice_id)
       select $1, $2, ${id}, ${id}, 1, false, 'sale', 'pass', 'Pass', 1, 60000, 60000, 0, 60000, 11400, 71400, 'vat-de', 19, '2026-06-01', ${id}
       from generate_series(1, $3::int) n`,
    )
    await connection.query('reset session_replication_role')
    // Updates the planner statistics, as autovacuum would do after so many inserts.
    await connection.query('analyze participants, orders, invoices, order_lines')
    connection.release()
  }

  /** Services whose transaction with this number fails, as if the process had died. */
  function dyingAt(transaction: number): AppServices {
    let begun = 0
    const { database } = scenario.world.services
    const transact: typeof database.transact = (within) =>
      ++begun === transaction ? Promise.reject(new Error('the machine went away')) : database.transact(within)
    return { ...scenario.world.services, database: { ...database, transact } }
  }

  it('resumes an interrupted tax assessment after its last batch, and counts no order line twice', async () => {
    await wrongTax()
    await many(2050)
    const { assessmentId, jobId } = await call('start_tax_assessment')
    const at = { tenantId: scenario.event.tenantId, jobId }
    // When the process dies, the job is started, the lines are counted, and two of three batches are done.
    await expect(createJobRunner(dyingAt(5))(assessTaxesJob as Job, at)).rejects.toThrow('the machine went away')
    const halfway = await call('start_tax_assessment', { assessmentId })
    expect(halfway).toMatchObject({ status: 'queued', progress: { done: 2000, total: 2050 } })
    expect(halfway).not.toHaveProperty('findings')
    const { rows } = await scenario.world.database.pool.query(`select tally from tax_assessments where id = $1`, [assessmentId])
    expect(rows[0]).toMatchObject({ tally: { lines: 2000 } })

    await run(jobId)
    const whole = await call('start_tax_assessment', { assessmentId })
    expect(summarize(whole)).toMatchObject([{ productCode: 'pass', lines: 2050, under: '12300.00' }, { productCode: 'booth' }])
    const applied = await call('apply_tax_recommendations', { assessmentId, all: true, dryRun: true })
    expect(applied.affectedInvoices.count).toBe(2050)
  })

  it('restarts an interrupted tax assessment if the tax rates have changed', async () => {
    await wrongTax()
    await many(1050)
    const { assessmentId, jobId } = await call('start_tax_assessment')
    const at = { tenantId: scenario.event.tenantId, jobId }
    await expect(createJobRunner(dyingAt(4))(assessTaxesJob as Job, at)).rejects.toThrow('the machine went away')
    const row = { country: 'FR', rate: '19.5', from: '2010-01-01', source: 'A plan' }
    const taxRates = parseRatesFile(JSON.stringify({ version: 'plan', rates: [row] }))
    await createJobRunner({ ...scenario.world.services, taxRates })(assessTaxesJob as Job, at)
    const whole = await call('start_tax_assessment', { assessmentId })
    expect(summarize(whole)).toMatchObject([
      { productCode: 'pass', lines: 1050, under: '3150.00' },
      { kind: 'reverse_charge_missing' },
      { kind: 'wrong_rate' },
    ])
    expect(whole.findings[0].rateTableVersion).toBe('plan over 2026-01')
  })
})
