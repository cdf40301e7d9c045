import { expect, it } from 'vitest'
import { openEventLedger } from '../../../../test/support/event-ledger.ts'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'
import type { RecurringTaskContext } from '../../../kernel/recurring.ts'
import { aggregateRegistrationFigures, findWrongRegistrationFigures } from '../summary/aggregate-figures.ts'

const scenario = useSalesScenario()

const wrong = () => findWrongRegistrationFigures(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)
const rows = () =>
  scenario.queryNumber('select ((select count(*) from people_figures) + (select count(*) from money_figures))::int as figure')
const fold = async () => {
  const logged: string[] = []
  const log = { info() {}, warn() {}, error: (message: string) => void logged.push(message) }
  await aggregateRegistrationFigures.run({
    slot: await scenario.world.clock.now(),
    transact: scenario.world.database.transact,
    log,
  } as unknown as RecurringTaskContext)
  return logged
}

it('keeps every total of the registration figures unchanged when they are aggregated', async () => {
  const first = await scenario.register({ pass: 1, dinner: 2 }, { tags: ['vip'] })
  const second = await scenario.register({ pass: 1, workshop: 1 })
  await scenario.call('edit_participant', { participantId: first.participant.id, data: { '@product.dinner': 1 }, credit: 'full' })
  await scenario.call('edit_participant', {
    participantId: second.participant.id,
    status: 'cancelled',
    fee: { amount: '10.00', currency: 'EUR' },
  })
  await scenario.call('create_test_registrations', { count: 2 })
  const before = await scenario.call('get_registration_summary')
  const many = await rows()
  expect(await wrong()).toEqual([])
  expect(await fold()).toEqual([])
  expect(await rows()).toBeLessThan(many)
  const { asOf: _, ...figures } = await scenario.call('get_registration_summary')
  expect(figures).toEqual(Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'asOf')))
  await openEventLedger(scenario.world, scenario.event).assertInvariants()
})

it('logs an error for a registration figure that does not match the rows it counts', async () => {
  await scenario.world.database.pool.query('delete from money_figures where id = (select min(id) from money_figures where total <> 0)')
  expect(await wrong()).toHaveLength(1)
  expect(await fold()).toEqual(['figures do not match the stored rows'])
})
