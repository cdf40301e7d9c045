import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EventLedger, openEventLedger } from '../../../../test/support/event-ledger.ts'
import { LedgerModel } from '../../../../test/support/ledger-model.ts'
import { applyHistoryStep, randomOrderHistory } from '../../../../test/support/order-histories.ts'
import { chooseForSoak, soakSeed } from '../../../../test/support/soak.ts'
import { newWorld, type World } from '../../../../test/support/world.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { OrderRow } from '../orders.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

async function asKept(books: EventLedger, orders: readonly OrderRow[]) {
  const ids = orders.map(({ id }) => id)
  const { invoices, rows } = await books.within(async (ctx) => ({
    invoices: await eventDb(ctx)
      .selectFrom('invoices')
      .selectAll()
      .where('kind', '=', 'invoice')
      .where('order_id', 'in', ids)
      .orderBy('number')
      .execute(),
    rows: await eventDb(ctx).selectFrom('orders').selectAll().where('id', 'in', ids).orderBy('number').execute(),
  }))
  expect(rows.map(({ id }) => id)).toEqual(ids)
  return {
    invoices: invoices.map(({ number, balance, paid, credited, written_off }) => ({
      number,
      balance,
      paid,
      credited,
      givenUp: written_off,
    })),
    orders: rows.map(({ balance, unapplied, paid }) => ({ owed: balance, credit: -unapplied, received: paid })),
  }
}

const onPaper = (model: LedgerModel, orders: readonly OrderRow[]) => ({
  invoices: model.invoices.map(({ number }) => ({
    number,
    balance: model.balance(number),
    paid: model.paid(number),
    credited: model.credited(number),
    givenUp: model.givenUp(number),
  })),
  orders: orders.map(({ id }) => ({ owed: model.owed(id), credit: model.credit(id), received: model.received(id) })),
})

/** Converts -0 to 0, because assertions distinguish them. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

/** The number of generated order histories per event. They share one integrity check, which takes longer than a history. */
const AT_ONE_EVENT = 10

it('keeps balances correct and breaks no integrity rule in generated histories of two orders', { timeout: 7_200_000 }, async () => {
  const client = await world.client()
  let run = 0
  let books: EventLedger
  await fc.assert(
    fc.asyncProperty(randomOrderHistory, async (happenings) => {
      if (run++ % AT_ONE_EVENT === 0) books = openEventLedger(world, await world.event({ at: client, timezone: 'Europe/Paris' }))
      const orders = [await books.open(), await books.open()]
      const model = new LedgerModel()
      await books.within(async (ctx) => {
        for (const what of happenings) await applyHistoryStep(ctx, model, orders, what)
      })
      expect(plain(await asKept(books, orders))).toEqual(plain(onPaper(model, orders)))
      if (run % AT_ONE_EVENT === 0) expect(await books.violations()).toEqual({})
    }),
    { numRuns: chooseForSoak(10_000, 60), seed: soakSeed(20), endOnFailure: true },
  )
})
