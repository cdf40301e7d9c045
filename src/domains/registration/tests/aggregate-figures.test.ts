import { expect, it } from 'vitest'
import { booksOf } from '../../../../test/support/books.ts'
import { sellingStory } from '../../../../test/support/selling.ts'
import type { RecurringTaskRun } from '../../../kernel/recurring.ts'
import { aggregateFigures, findWrongFigures } from '../aggregate-figures.ts'

const story = sellingStory()

const wrong = () => findWrongFigures(story.world.database.read, story.event.tenantId, story.event.eventId)
const rows = () => story.figure('select ((select count(*) from people_figures) + (select count(*) from money_figures))::int as figure')
const fold = async () => {
  const logged: string[] = []
  const log = { info() {}, warn() {}, error: (message: string) => void logged.push(message) }
  await aggregateFigures.run({ slot: await story.world.clock.now(), transact: story.world.database.transact, log } as unknown as RecurringTaskRun)
  return logged
}

it('aggregates counted changes without changing any total', async () => {
  const first = await story.register({ pass: 1, dinner: 2 }, { tags: ['vip'] })
  const second = await story.register({ pass: 1, workshop: 1 })
  await story.call('edit_participant', { participantId: first.participant.id, data: { '@product.dinner': 1 }, credit: 'full' })
  await story.call('edit_participant', {
    participantId: second.participant.id,
    status: 'cancelled',
    fee: { amount: '10.00', currency: 'EUR' },
  })
  await story.call('create_test_registrations', { count: 2 })
  const before = await story.call('get_registration_summary')
  const many = await rows()
  expect(await wrong()).toEqual([])
  expect(await fold()).toEqual([])
  expect(await rows()).toBeLessThan(many)
  const { asOf: _, ...figures } = await story.call('get_registration_summary')
  expect(figures).toEqual(Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'asOf')))
  await booksOf(story.world, story.event).mustAddUp()
})

it('logs an error for a figure that does not match the rows', async () => {
  await story.world.database.pool.query('delete from money_figures where id = (select min(id) from money_figures where total <> 0)')
  expect(await wrong()).toHaveLength(1)
  expect(await fold()).toEqual(['figures do not match the stored rows'])
})
