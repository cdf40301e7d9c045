import type { EventContext } from '../kernel/context.ts'
import { getDatabaseTime } from '../kernel/database-time.ts'
import type { Secret } from '../kernel/secrets.ts'
import { createCompany, type NewCompany } from '../domains/exhibitors/companies.ts'
import { assignBooth } from '../domains/exhibitors/booths/assign.ts'
import type { BoothOrderChange } from '../domains/exhibitors/booths/sell.ts'
import { createBooths } from '../domains/exhibitors/floor/booths.ts'
import { createFloorPlan, publishFloorPlan } from '../domains/exhibitors/floor/floor-plans.ts'
import { grantLeadLicence } from '../domains/exhibitors/licences.ts'
import { recordPayment } from '../domains/orders/payments.ts'

const HALL = 'river-hall'

const company = (name: string, categories: string[], description: string): NewCompany => {
  const host = `${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.demo.example`
  return {
    name,
    categories,
    description,
    website: `https://${host}`,
    country: 'PT',
    contact: { name: `${name} events team`, email: `events@${host}` },
    status: 'active',
    appointmentsEnabled: true,
  }
}

const COMPANIES: readonly NewCompany[] = [
  company('Borealis Systems', ['data', 'operations'], 'Keeps large databases running, so that their administrators can sleep.'),
  company('Cumulus', ['data'], 'Weather data for people who build, by the hour and by the street.'),
  company('Dunlin Design', ['design'], 'Forms, signs and interfaces that people finish without asking.'),
  company('Estuary', ['operations'], 'Moves data between systems and reports when it has arrived.'),
  company('Foxglove Labs', ['data', 'design'], 'Charts that are easy to understand, in print or on a screen.'),
  company('Gannet', ['operations'], 'On-call rotas for teams of three to three hundred.'),
  company('Harbour People', ['people'], 'Finds engineers who stay, and explains why they do.'),
  company('Ibis Works', ['people', 'design'], 'Workshops that end with something you can use on Monday.'),
]

const square = (x: number, y: number, side = 3) =>
  [
    [x, y],
    [x + side, y],
    [x + side, y + side],
    [x, y + side],
  ] as const

/** The booths of the demo: two rows of four, back to back. */
const BOOTHS = [0, 1, 2, 3].flatMap((i) => [
  { number: `${101 + 2 * i}`, polygon: square(6 + 3 * i, 6), sizeCode: 'nine' },
  { number: `${102 + 2 * i}`, polygon: square(6 + 3 * i, 9), sizeCode: 'nine' },
])

interface Exhibitors {
  /** Ids of the exhibitors, in the order of their booths. */
  companies: string[]
  /** Activation code of the first company. */
  activationCode: Secret
}

/** Creates eight companies with booths and appointment slots; the first two have lead licences. */
export async function seedExhibitors(ctx: EventContext): Promise<Exhibitors> {
  await createFloorPlan(ctx, {
    code: HALL,
    name: 'River hall',
    units: 'm',
    outline: {
      outer: [
        [0, 0],
        [24, 0],
        [24, 18],
        [0, 18],
      ],
    },
    obstacles: [
      { id: 'pillar-west', kind: 'pillar', polygon: square(3, 8.5, 1), blocksWalking: true },
      { id: 'pillar-east', kind: 'pillar', polygon: square(20, 8.5, 1), blocksWalking: true },
    ],
    pois: [
      { id: 'entrance', kind: 'entrance', name: 'Main entrance', point: [12, 0.5], doorWidth: 3 },
      { id: 'exit', kind: 'exit', name: 'Exit to the river', point: [12, 17.5], doorWidth: 2 },
      { id: 'coffee', kind: 'food', name: 'Coffee', point: [22, 15] },
      { id: 'restrooms', kind: 'restroom', name: 'Restrooms', point: [2, 15] },
    ],
  })
  await createBooths(ctx, HALL, BOOTHS)
  await publishFloorPlan(ctx, HALL)
  const made = []
  for (const [i, one] of COMPANIES.entries()) {
    made.push(await createCompany(ctx, one))
    const { orderChange } = await assignBooth(ctx, { number: BOOTHS[i]!.number, companyId: made[i]!.id })
    if (orderChange) await payByTransfer(ctx, orderChange)
  }
  const companies = made.map(({ id }) => id)
  for (const companyId of companies.slice(0, 2))
    await grantLeadLicence(ctx, { companyId, productCode: 'lead-app', grants: ['sdk'], seats: 1, reason: 'Demo' })
  return { companies, activationCode: made[0]!.activationCode }
}

/** The companies of the demo have paid for their booths. */
const payByTransfer = async (ctx: EventContext, { orderNumber, total }: BoothOrderChange) =>
  recordPayment(ctx, {
    payee: { orderNumber },
    amount: total,
    method: 'bank',
    reference: `Booth ${orderNumber}`,
    note: null,
    receivedAt: await getDatabaseTime(ctx),
    allowOverpayment: false,
    allowDuplicate: false,
  })
