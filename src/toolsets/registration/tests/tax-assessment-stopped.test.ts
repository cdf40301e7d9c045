import { describe, expect, it } from 'vitest'
import { assessTaxes } from '../../../domains/taxation/assess.ts'
import { ratesWithFile } from '../../../domains/taxation/rates.ts'
import type { Job } from '../../../kernel/jobs.ts'
import type { Road } from '../../../surfaces/road.ts'
import { jobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { brief, taxStory } from './tax-story.ts'

const { story, call, run, wrongTax } = taxStory()

describe('an assessment that is stopped', () => {
  /** So many orders of one pass at 19 % that one batch does not hold them. */
  const many = async (orders: number) => {
    const { tenantId, eventId } = story.event
    const connection = await story.world.database.pool.connect()
    const into = (text: string) => connection.query(text, [tenantId, eventId, orders])
    const id = `lpad(to_hex(n), 24, '0')`
    // Keys and figures are not what this is about, and looked after they take most of the time.
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
    // As every database does by itself when so much has come.
    await connection.query('analyze participants, orders, invoices, order_lines')
    connection.release()
  }

  /** The machine goes away in the transaction of that number. */
  function dyingAt(transaction: number): Road {
    let begun = 0
    const { database } = story.world.road
    const transact: typeof database.transact = (within) =>
      ++begun === transaction ? Promise.reject(new Error('the machine went away')) : database.transact(within)
    return { ...story.world.road, database: { ...database, transact } }
  }

  it('goes on after its last batch, and counts no line twice', async () => {
    await wrongTax()
    await many(2050)
    const { assessmentId, jobId } = await call('start_tax_assessment')
    const at = { tenantId: story.event.tenantId, jobId }
    // Begun, counted, and two batches of three.
    await expect(jobRunner(dyingAt(5))(assessTaxes as Job, at)).rejects.toThrow('the machine went away')
    const halfway = await call('start_tax_assessment', { assessmentId })
    expect(halfway).toMatchObject({ status: 'queued', progress: { done: 2000, total: 2050 } })
    expect(halfway).not.toHaveProperty('findings')
    const { rows } = await story.world.database.pool.query(`select tally from tax_assessments where id = $1`, [assessmentId])
    expect(rows[0]).toMatchObject({ tally: { lines: 2000 } })

    await run(jobId)
    const whole = await call('start_tax_assessment', { assessmentId })
    expect(brief(whole)).toMatchObject([{ productCode: 'pass', lines: 2050, under: '12300.00' }, { productCode: 'booth' }])
    const applied = await call('apply_tax_recommendations', { assessmentId, all: true, dryRun: true })
    expect(applied.affectedInvoices.count).toBe(2050)
  })

  it('begins anew when the rates are others than before', async () => {
    await wrongTax()
    await many(1050)
    const { assessmentId, jobId } = await call('start_tax_assessment')
    const at = { tenantId: story.event.tenantId, jobId }
    await expect(jobRunner(dyingAt(4))(assessTaxes as Job, at)).rejects.toThrow('the machine went away')
    const row = { country: 'FR', rate: '19.5', from: '2010-01-01', source: 'A plan' }
    const taxRates = ratesWithFile(JSON.stringify({ version: 'plan', rates: [row] }))
    await jobRunner({ ...story.world.road, taxRates })(assessTaxes as Job, at)
    const whole = await call('start_tax_assessment', { assessmentId })
    expect(brief(whole)).toMatchObject([
      { productCode: 'pass', lines: 1050, under: '3150.00' },
      { kind: 'reverse_charge_missing' },
      { kind: 'wrong_rate' },
    ])
    expect(whole.findings[0].rateTableVersion).toBe('plan over 2026-01')
  })
})
