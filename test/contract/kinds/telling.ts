import { expect, it } from 'vitest'
import { tellingAt } from '../../support/told.ts'
import { listenAt } from '../../support/webhooks.ts'
import { answerTo, confirmationOf, overExamples } from '../examples.ts'
import type { Kind } from './kind.ts'

export const telling: Kind = ({ tools, world, newStage }) => {
  it('tell integrators of every record that programs read otherwise afterwards, and of all that differs', async () => {
    const stage = await newStage()
    // Of test data nobody is told anything.
    await world().database.pool.query('update events set test_mode = false where id = $1', [stage.home.eventId])
    await listenAt(world(), stage.home, { url: 'https://crm.example/hook' })
    const { watched } = tellingAt(world(), stage.home)
    const changing = tools.filter(({ effect }) => effect !== 'read')
    const silences = await overExamples(stage, changing, async (call) => {
      const confirmed = await confirmationOf(call)
      return (await watched(() => answerTo(call, confirmed))).silent.map((silence) => `told nobody of ${silence}`)
    })
    expect(silences).toEqual([])
  })
}
