import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PrivatePostgres, startPostgres } from '../../scripts/postgres.ts'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import type { Db } from '../../src/kernel/columns.ts'
import { newAttendee, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { openServedSale, type ServedSale } from '../support/served-sale.ts'
import { chooseForSoak } from '../support/soak.ts'

const REGISTRATIONS = chooseForSoak(5000, 60)
/** How often the service is killed, and how often the database is killed. */
const KILLS = chooseForSoak(20, 1)
const CALLERS = 8
/** Starts are slow on a busy machine. */
const LIMIT = 900_000 + KILLS * 150_000

/** The acknowledged state of one participant. */
interface Acknowledged {
  id: string
  confirmationNumber: string
  order: string
  invoice: string
  receipt: string | null
}

/** All results that the service acknowledged, by the participant's email. */
interface Ledger {
  acknowledged: Map<string, Acknowledged>
  refusals: string[]
  /** When the latest acknowledged call was sent. */
  latest: number
}

/**
 * Repeatedly kills the service and the database while participants register and pay over HTTP. Requires PostgreSQL's programs on this
 * machine.
 */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('kill -9 during registrations', () => {
  let postgres: PrivatePostgres
  let sale: ServedSale
  let over = false
  beforeAll(async () => {
    postgres = await startPostgres({ durable: true })
    sale = await openServedSale(WORKED_EXAMPLE, { processes: 1, server: postgres.url })
    await sale.start(0)
  }, LIMIT)
  afterAll(async () => {
    over = true
    await sale.end()
    await postgres.stop()
  }, LIMIT)

  const emptyLedger = (): Ledger => ({ acknowledged: new Map(), refusals: [], latest: 0 })

  /** Repeats the call with the same idempotency key until there is a response. */
  async function untilAnswered(ledger: Ledger, tool: string, args: Record<string, unknown>): Promise<any> {
    while (!over) {
      const sent = performance.now()
      const answer = await sale.tryCall(0, tool, args)
      if (answer) {
        ledger.latest = Math.max(ledger.latest, sent)
        if (answer.isError) ledger.refusals.push(`${tool}: ${answer.content[0]?.text}`)
        return answer.isError ? null : answer.structuredContent
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async function register(ledger: Ledger, number: number): Promise<void> {
    const data = { ...newAttendee(), '@product.pass': 1, '@product.dinner': 1 + (number % 2) }
    const email = data['@participant.email']
    const added = await untilAnswered(ledger, 'add_participant', { flowSlug: 'attendee', data, idempotencyKey: `add ${email}` })
    if (!added) return
    const { participant, order, invoice } = added
    const result: Acknowledged = {
      id: participant.id,
      confirmationNumber: participant.confirmationNumber,
      order: order.number,
      invoice: invoice.number,
      receipt: null,
    }
    ledger.acknowledged.set(email, result)
    if (number % 3 > 0) return
    const payment = { kind: 'payment', method: 'cash', amount: order.balance, orderNumber: order.number, idempotencyKey: `pay ${email}` }
    result.receipt = (await untilAnswered(ledger, 'record_manual_payment', payment))?.receiptNumber ?? null
  }

  const callersOf = (ledger: Ledger, many: number) => {
    let next = 0
    return Array.from({ length: CALLERS }, async () => {
      while (next < many && !over) await register(ledger, next++)
    })
  }

  /** Kills the process and restarts it. Returns the time until a call sent after the kill was answered. */
  async function killAndRecover(ledger: Ledger, what: 'service' | 'database'): Promise<number> {
    const at = performance.now()
    if (what === 'database') await postgres.crash()
    else {
      await sale.kill(0)
      await sale.start(0)
    }
    await expect.poll(() => ledger.latest, { interval: 5, timeout: LIMIT }).toBeGreaterThan(at)
    return performance.now() - at
  }

  it(
    `loses none of ${REGISTRATIONS} registrations after ${KILLS} kills of the service and ${KILLS} of the database`,
    { timeout: LIMIT },
    async (test) => {
      const ledger = emptyLedger()
      const callers = callersOf(ledger, REGISTRATIONS)
      const slowest = { service: 0, database: 0 }
      for (let kill = 0; kill < 2 * KILLS; kill++) {
        // Kills are spread evenly over the run at random moments.
        const enough = Math.floor((REGISTRATIONS * (kill + Math.random())) / (2 * KILLS + 1))
        await expect.poll(() => ledger.acknowledged.size, { interval: 1, timeout: LIMIT }).toBeGreaterThanOrEqual(enough)
        const what = kill < KILLS ? 'service' : 'database'
        slowest[what] = Math.max(slowest[what], await killAndRecover(ledger, what))
      }
      await Promise.all(callers)
      expect(ledger.refusals, 'a repeated call did not return the first response').toEqual([])
      await judge(ledger)
      const seconds = (ms: number) => (ms / 1000).toFixed(1)
      await test.annotate(`slowest recovery: service ${seconds(slowest.service)} s, database ${seconds(slowest.database)} s`)
    },
  )

  it('control: detects a loss when the database acknowledges commits before they are on disk', { timeout: LIMIT }, async () => {
    const { pool } = sale.sales.world.database
    // Configures the running PostgreSQL server to acknowledge commits before they are on disk.
    for (const careless of [`synchronous_commit = 'off'`, `wal_writer_delay = '10s'`, `wal_writer_flush_after = '1GB'`])
      await pool.query(`alter system set ${careless}`)
    await pool.query('select pg_reload_conf()')
    const ledger = emptyLedger()
    const callers = callersOf(ledger, Infinity)
    // An acknowledged commit may have reached the disk by chance.
    for (let kill = 0; kill < 20 && (await within((db) => findLost(db, ledger))).length === 0; kill++) {
      const before = ledger.acknowledged.size
      await expect.poll(() => ledger.acknowledged.size, { interval: 0, timeout: LIMIT }).toBeGreaterThan(before + 5)
      await killAndRecover(ledger, 'database')
    }
    over = true
    await Promise.all(callers)
    await expect(judge(ledger), 'control: the check detects a loss').rejects.toThrow('acknowledged results')
  })

  /** Runs queries in one snapshot of the database. */
  const within = <T>(run: (db: Db) => Promise<T>) =>
    sale.sales.world.database.transact(async (db) => {
      await sql`set transaction isolation level repeatable read`.execute(db)
      return run(db)
    })

  const peopleIn = async (db: Db) => {
    const { rows } = await sql<Acknowledged & { email: string; audits: number }>`
      select p.email, p.id, p.confirmation_number as "confirmationNumber", o.number as "order", i.number as invoice,
        (select y.receipt_number from payments y where y.order_id = o.id) as receipt, coalesce(a.audits, 0) as audits
      from participants p left join orders o on o.participant_id = p.id left join invoices i on i.order_id = o.id
      left join (select targets->0->>'id' as id, count(*)::int as audits from audit_entries where tool = 'add_participant' group by 1) a
        on a.id = p.id`.execute(db)
    return rows
  }

  /** Participants whose acknowledged result is missing. A payment without an acknowledgement may exist. */
  async function findLost(db: Db, { acknowledged }: Ledger): Promise<string[]> {
    // Callers continue while the rows are read: only results acknowledged before the snapshot must be in it.
    const expected = [...acknowledged].map(([email, result]): [string, Acknowledged] => [email, { ...result }])
    const kept = new Map(
      (await peopleIn(db)).map(({ email, id, confirmationNumber, order, invoice, receipt }) => [
        email,
        { id, confirmationNumber, order, invoice, receipt },
      ]),
    )
    const isKept = ([email, { receipt, ...one }]: [string, Acknowledged]) => {
      const row = kept.get(email)
      return isDeepStrictEqual({ ...row, receipt: receipt === null ? null : row?.receipt }, { ...one, receipt })
    }
    return expected.filter((entry) => !isKept(entry)).map(([email]) => email)
  }

  const judge = (ledger: Ledger) => within((db) => judgeIn(db, ledger))

  async function judgeIn(db: Db, ledger: Ledger): Promise<void> {
    expect(await findLost(db, ledger), 'acknowledged results').toEqual([])
    const kept = await peopleIn(db)
    expect(new Set(kept.map(({ email }) => email)).size, 'every participant exists once').toBe(REGISTRATIONS)
    expect(kept).toHaveLength(REGISTRATIONS)
    expect(kept.filter(({ audits }) => audits !== 1)).toEqual([])

    const numbers = (prefix: string, many: number) => Array.from({ length: many }, (_, n) => `${prefix}${String(n + 1).padStart(6, '0')}`)
    expect(kept.map(({ order }) => order).toSorted()).toEqual(numbers('R-', REGISTRATIONS))
    expect(kept.map(({ invoice }) => invoice).toSorted()).toEqual(numbers('INV-2026-', REGISTRATIONS))
    const receipts = kept.flatMap(({ receipt }) => (receipt === null ? [] : [receipt]))
    expect(receipts.toSorted()).toEqual(numbers('RC-', receipts.length))

    const { rows: stock } = await sql<{ key: string; sold: number; held: number }>`
      select key, sold, held from inventory where key in ('event', 'flow:attendee', 'product:pass', 'product:dinner') order by key`.execute(
      db,
    )
    const dinners = Array.from({ length: REGISTRATIONS }, (_, n) => 1 + (n % 2)).reduce((sum, many) => sum + many, 0)
    expect(stock.map(({ key, sold, held }) => [key, sold, held])).toEqual([
      ['event', REGISTRATIONS, 0],
      ['flow:attendee', REGISTRATIONS, 0],
      ['product:dinner', dinners, 0],
      ['product:pass', REGISTRATIONS, 0],
    ])
    const { tenantId, eventId } = sale.sales.event
    expect((await checkIntegrity(db, tenantId, eventId)).filter(({ ok }) => !ok)).toEqual([])
  }
})
