import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EventLedger, openEventLedger } from '../../../../../test/support/event-ledger.ts'
import { LedgerModel } from '../../../../../test/support/ledger-model.ts'
import { applyHistoryStep, randomOrderHistory } from '../../../../../test/support/order-histories.ts'
import { chooseForSoak, soakSeed } from '../../../../../test/support/soak.ts'
import { runStandardReport } from '../../../../../test/support/standard-reports.ts'
import { type EventHandle, newWorld, type World } from '../../../../../test/support/world.ts'
import { toSummableNumber } from '../open-table.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

/** The number of generated order histories per event, which share one run of the report. */
const AT_ONE_EVENT = 10

describe('accounting-ledger', () => {
  it('lists equal debits and credits in every journal entry and on every day after any order history', { timeout: 7_200_000 }, async () => {
    const client = await world.client()
    let run = 0
    let home: EventHandle
    let books: EventLedger
    await fc.assert(
      fc.asyncProperty(randomOrderHistory, async (steps) => {
        if (run++ % AT_ONE_EVENT === 0) {
          home = await world.event({ at: client, timezone: 'Europe/Paris' })
          books = openEventLedger(world, home)
        }
        const orders = [await books.open(), await books.open()]
        const model = new LedgerModel()
        await books.within(async (ctx) => {
          for (const step of steps) await applyHistoryStep(ctx, model, orders, step)
        })
        if (run % AT_ONE_EVENT !== 0) return
        const { tables } = await runStandardReport(world, home, 'accounting-ledger')
        for (const { checks } of tables) expect(checks.filter(({ ok }) => !ok)).toEqual([])
        const [postings] = tables
        expect(postings!.rows.length).toBeGreaterThan(AT_ONE_EVENT)
        const balance = (rows: readonly Record<string, never>[]) =>
          rows.reduce((sum, row) => sum + toSummableNumber(row['debit'] ?? null) - toSummableNumber(row['credit'] ?? null), 0)
        for (const by of ['entry', 'date'])
          for (const [, rows] of Map.groupBy(postings!.rows as Record<string, never>[], (row) => row[by])) expect(balance(rows)).toBe(0)
      }),
      // A soak run has 1,000 histories.
      { numRuns: chooseForSoak(1000, 50), seed: soakSeed(2027), endOnFailure: true },
    )
  })
})
