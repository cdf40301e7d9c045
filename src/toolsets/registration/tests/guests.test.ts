import { describe, expect, it } from 'vitest'
import { ACME_PRICING, useGroupScenario } from '../../../../test/support/group-scenario.ts'

const guests = { enabled: true, max: 2, types: [{ code: 'adult', name: 'Adult', productCode: 'plus' }], fields: [] }

/** The products of the worked example, with a guest product of 120.00 that costs 20.00 for guests of speakers. */
const scenario = useGroupScenario({
  ...ACME_PRICING,
  products: [
    ...ACME_PRICING.products,
    {
      code: 'plus',
      name: 'Plus',
      category: 'guest',
      taxCode: 'vat-10',
      prices: [{ amount: '120.00' }, { amount: '20.00', tags: ['speaker'] }],
    },
  ],
  flows: ACME_PRICING.flows.map((flow) => ({ ...flow, guests })),
} as never)

let people = 0

/** The arguments that add a guest with a unique name to this host. */
const guestOf = (hostId: string, more: Record<string, unknown> = {}) => ({
  flowSlug: 'attendee',
  hostId,
  data: { '@participant.firstName': 'Gus', '@participant.lastName': `Guest ${++people}` },
  ...more,
})

const addGuest = (hostId: string, more: Record<string, unknown> = {}) => scenario.call('add_participant', guestOf(hostId, more))

describe('add_participant with hostId', () => {
  it('refuses guests of a test participant among real participants, and guests of a real one in test mode', async () => {
    const { participant: real } = await scenario.register({ pass: 1 })
    await scenario.call('update_event', { testMode: true })
    const { participant: test } = await scenario.register({ pass: 1 })
    expect((await addGuest(test.id)).participant).toMatchObject({ hostId: test.id, isTestData: true })
    expect(await scenario.refused('add_participant', guestOf(real.id))).toMatchObject({
      code: 'precondition_failed',
      message: 'The event is in test mode, so guests of real participants cannot be registered',
    })
    await scenario.call('update_event', { testMode: false })
    for (const status of ['complete', 'incomplete'])
      expect(await scenario.refused('add_participant', guestOf(test.id, { status }))).toMatchObject({
        code: 'precondition_failed',
        message: 'Guests of a test participant can only be registered in test mode',
      })
  })
})
