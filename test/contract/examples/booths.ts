import { createExhibitorFixtures, buildRectangle } from '../../support/companies.ts'
import type { Arguments, Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

let made = 0

interface Hall {
  floorPlanCode: string
  /** Numbers of four booths in a row. */
  numbers: [string, string, string, string]
  company: () => Promise<string>
}

/** Creates a separate hall with four adjacent booths. */
async function hall({ world, home, text }: Stage, { published = true } = {}): Promise<Hall> {
  const exhibitors = createExhibitorFixtures(world, home)
  const floorPlanCode = `booth-hall-${++made}`
  const numbers = [1, 3, 5, 7].map((number) => `H${made}-${number}`) as Hall['numbers']
  await exhibitors.plan(
    { code: floorPlanCode, name: text() },
    numbers.map((number, column) => ({ number, polygon: buildRectangle(6 + 3 * column, 6, 3, 3) })),
    { published },
  )
  return { floorPlanCode, numbers, company: async () => (await exhibitors.company({ name: text(), appointmentsEnabled: false })).id }
}

const UNTIL = '2027-01-31T10:00:00.000Z'

/** A call of manage_booths at a new hall. */
const manage =
  (action: string, more: (hall: Hall, call: (action: string, args: Arguments) => Promise<any>) => Promise<Arguments>, options?: object) =>
  async (stage: Stage) => {
    const call = (other: string, args: Arguments) => stage.admin.call('manage_booths', { ...event(stage), action: other, ...args })
    return { ...event(stage), action, ...(await more(await hall(stage, options), call)) }
  }

export const BOOTHS_EXAMPLES: Examples = {
  list_booths: [
    async (stage) => {
      const { floorPlanCode } = await hall(stage)
      return { ...event(stage), floorPlanCode, status: ['available'], sort: 'number' }
    },
    async (stage) => {
      const { numbers, company } = await hall(stage)
      const companyId = await company()
      await stage.admin.call('manage_booths', { ...event(stage), action: 'assign', number: numbers[0], companyId })
      return { ...event(stage), companyId, near: { boothNumber: numbers[1], distance: 5 } }
    },
  ],
  get_booth: [
    async (stage) => ({ ...event(stage), number: (await hall(stage)).numbers[0] }),
    async (stage) => {
      const { numbers } = await hall(stage)
      const { booth } = await stage.admin.call('get_booth', { ...event(stage), number: numbers[0] })
      return { ...event(stage), boothId: booth.id }
    },
  ],
  manage_booths: [
    manage('create', async ({ floorPlanCode }) => ({
      floorPlanCode,
      booths: [{ number: `N${made}`, x: 6, y: 12, width: 3, depth: 3, rotation: 0 }],
    })),
    async (stage) => {
      const { numbers } = await hall(stage)
      const { booth } = await stage.admin.call('get_booth', { ...event(stage), number: numbers[0] })
      const priceOverride = { amount: '900.00', currency: 'EUR' }
      return { ...event(stage), action: 'update', boothId: booth.id, note: stage.text(), priceOverride }
    },
    manage('renumber', async ({ floorPlanCode }) => ({ floorPlanCode, scheme: 'sequential', prefix: `R${made}-` }), { published: false }),
    manage('merge', async ({ numbers: [a, b] }) => ({ numbers: [a, b], number: a })),
    manage('split', async ({ numbers: [a, b] }, call) => {
      await call('merge', { numbers: [a, b], number: a })
      return { number: a }
    }),
    manage('hold', async ({ numbers, company }) => ({ number: numbers[0], companyId: await company(), until: UNTIL })),
    manage('release', async ({ numbers: [number], company }, call) => {
      await call('hold', { number, companyId: await company(), until: UNTIL })
      return { number }
    }),
    manage('assign', async ({ numbers, company }) => ({ number: numbers[0], companyId: await company() })),
    manage('vacate', async ({ numbers: [number], company }, call) => {
      await call('assign', { number, companyId: await company() })
      return { number, reason: 'Exhibitor withdrew' }
    }),
    manage('move', async ({ numbers: [fromNumber, toNumber], company }, call) => {
      await call('assign', { number: fromNumber, companyId: await company() })
      return { fromNumber, toNumber }
    }),
    manage('swap', async ({ numbers: [numberA, numberB], company }, call) => {
      for (const number of [numberA, numberB]) await call('assign', { number, companyId: await company() })
      return { numberA, numberB }
    }),
    manage('block', async ({ numbers }) => ({ number: numbers[0], reason: 'Fire lane' })),
    manage('unblock', async ({ numbers: [number] }, call) => {
      await call('block', { number, reason: 'Fire lane' })
      return { number, reason: 'Approved' }
    }),
    manage('delete', async ({ numbers }) => ({ numbers: [numbers[0]] })),
  ],
}
