import { executeAward } from '../domains/awards/execute.ts'
import { proposeAward } from '../domains/awards/propose.ts'
import { submitResponse } from '../domains/bids/submit.ts'
import type { RfpResponseContent } from '../domains/bids/tables.ts'
import type { BriefAnswers } from '../domains/briefs/answers.ts'
import { startOrContinueBrief } from '../domains/briefs/advance.ts'
import { lockOrUnlockBrief } from '../domains/briefs/lock.ts'
import { createRfp } from '../domains/rfps/create.ts'
import { distributeRfp } from '../domains/rfps/distribute.ts'
import { addRecipients } from '../domains/rfps/recipients.ts'
import { createContractFromAward } from '../domains/supplier-contracts/create.ts'
import { markRedlinesReceived } from '../domains/supplier-contracts/redlines.ts'
import { submitContract } from '../domains/supplier-contracts/send.ts'
import { createSupplierByHand, type NewSupplier } from '../domains/suppliers/suppliers.ts'
import { updateClientSettings } from '../domains/tenancy/clients.ts'
import type { EventContext, EventSummaryRow } from '../kernel/context.ts'
import { addDays, toDayInZone } from '../kernel/time.ts'
import { SUMMIT_TIME_ZONE } from './events.ts'
import { type DemoTeamMember, type DemoSeedContext, runDemoClientChange, runDemoEventChange } from './stage.ts'
import type { DemoHistoryClock } from './story-clock.ts'

const NIGHTS = ['2028-05-09', '2028-05-10', '2028-05-11']
const ROOMS = [100, 100, 50]

const ANSWERS: BriefAnswers = {
  purpose: 'The next summit, with rooms for speakers and guests',
  eventType: 'conference',
  attendees: 200,
  preferredArrival: NIGHTS[0]!,
  preferredDeparture: '2028-05-12',
  cities: ['Porto'],
  radiusKm: 6,
  needRooms: true,
  roomsByNight: NIGHTS.map((night, index) => ({ night, single: ROOMS[index]! })),
  needSpace: false,
  meals: NIGHTS.slice(0, 2).map((day) => ({ day, kind: 'lunch', people: 200 })),
  budget: { amount: '120000.00', currency: 'EUR' },
  currency: 'EUR',
}

const hotel = (name: string, email: string, rooms: number, latitude: number, longitude: number): NewSupplier => ({
  name,
  kind: 'hotel',
  contacts: [{ name: 'Group sales', email }],
  address: { city: 'Porto', country: 'PT' },
  latitude,
  longitude,
  sleepingRooms: rooms,
})

const SUPPLIERS = [
  hotel('Hotel Aliados', 'aliados@example.org', 180, 41.1486, -8.611),
  hotel('Hotel Boavista', 'boavista@example.org', 240, 41.158, -8.6292),
  hotel('Hotel Cais', 'cais@example.org', 120, 41.1401, -8.6126),
]

const offer = (single: number, more: Partial<RfpResponseContent>): RfpResponseContent => ({
  currency: 'EUR',
  rooms: NIGHTS.map((night, index) => ({ night, roomType: 'Standard', rooms: ROOMS[index]!, rates: { single } })),
  taxPercent: 6,
  feePerNight: 200,
  rental: 0,
  otherFees: [],
  fbMinimum: 2_000_000,
  menu: [{ meal: 'lunch', price: 4200 }],
  servicePercent: 10,
  fbTaxPercent: 13,
  avEstimate: 0,
  concessions: [{ kind: 'compRooms', per: 50 }],
  attrition: { method: 'cumulative', commitPercent: 80, profitPercent: 75 },
  cutoffDays: 30,
  cancellation: [
    { daysBefore: 90, percent: 50 },
    { daysBefore: 30, percent: 90 },
  ],
  deposits: [{ onSigning: true, percent: 10 }],
  answers: {},
  space: [],
  files: [],
  ...more,
})

const OFFERS = [
  offer(18_500, { rental: 400_000 }),
  offer(17_900, { menu: [{ meal: 'lunch', price: 4800 }] }),
  offer(21_000, {
    concessions: [
      { kind: 'compRooms', per: 40 },
      { kind: 'wifi', value: 150_000 },
    ],
  }),
]

interface Sourcing {
  /** The RFP whose award waits for the approval of a second person. */
  undecided: Bids
  /** The RFP whose contract is negotiated. */
  decided: Bids
}

interface Bids {
  rfpId: string
  responses: string[]
}

/** Creates a brief and two RFPs with three responses each, at the beginning of the demo's history. */
export async function seedRfps(
  stage: DemoSeedContext,
  olga: DemoTeamMember,
  event: EventSummaryRow,
  time: DemoHistoryClock,
): Promise<Sourcing> {
  const by = (tool: string) => ({ colleague: olga, app: 'Claude' as const, tool })
  await runDemoClientChange(stage, by('update_client'), (ctx) =>
    updateClientSettings(ctx, { sourcing: { approvalLimit: { amount: '50000.00', currency: 'EUR' } } }),
  )
  const suppliers: string[] = []
  for (const supplier of SUPPLIERS) {
    const at = time.end.toISOString()
    suppliers.push((await runDemoEventChange(stage, event, by('edit_supplier'), (ctx) => createSupplierByHand(ctx, supplier, at))).id)
  }
  const bid = async (title: string) => {
    const briefId = await runDemoEventChange(stage, event, by('lock_brief'), (ctx) => lockNewBrief(ctx, title))
    const rfpId = await runDemoEventChange(stage, event, by('create_rfp'), async (ctx) => {
      const due = time.daysBefore(5, '18:00')
      const { row } = await createRfp(ctx, {
        briefId,
        sealed: true,
        responseDueAt: due.toISOString(),
        decisionOn: addDays(toDayInZone(SUMMIT_TIME_ZONE, due), 21),
      })
      await addRecipients(ctx, { rfpId: row.id, recipients: suppliers.map((supplierId) => ({ supplierId })) })
      return row.id
    })
    await runDemoEventChange(stage, event, by('distribute_rfp'), (ctx) => distributeRfp(ctx, { rfpId }))
    return { rfpId, responses: await runDemoEventChange(stage, event, by('enter_rfp_response'), (ctx) => respond(ctx, rfpId)) }
  }
  return { undecided: await bid('Summit 2028'), decided: await bid('Speakers’ rooms 2028') }
}

async function lockNewBrief(ctx: EventContext, title: string): Promise<string> {
  const { briefId } = await startOrContinueBrief(ctx, { title, fromEvent: false, answers: { ...ANSWERS }, skip: [] })
  await lockOrUnlockBrief(ctx, { briefId, unlock: false, reason: undefined })
  return briefId
}

/** Responds to an RFP for each of its suppliers, in the order in which the suppliers were added. */
async function respond(ctx: EventContext, rfpId: string): Promise<string[]> {
  const recipients = await ctx.db
    .selectFrom('rfp_recipients')
    .select('id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('rfp_id', '=', rfpId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const responses: string[] = []
  for (const [index, { id }] of recipients.entries())
    responses.push((await submitResponse(ctx, { recipientId: id, dateOption: 0, content: OFFERS[index]!, source: 'console' })).id)
  return responses
}

/**
 * Awards both RFPs after their due time: one award waits for the approval of a second person, the other became a contract whose redlines
 * wait for an answer.
 */
export async function seedAwards(
  stage: DemoSeedContext,
  { beatriz, olga }: Record<'beatriz' | 'olga', DemoTeamMember>,
  event: EventSummaryRow,
  { undecided, decided }: Sourcing,
) {
  const by = (colleague: DemoTeamMember, tool: string) => ({ colleague, app: 'Claude' as const, tool })
  const propose = ({ rfpId, responses }: Bids, rationale: string) =>
    runDemoEventChange(stage, event, by(beatriz, 'propose_award'), (ctx) =>
      proposeAward(ctx, { rfpId, lines: [{ responseId: responses[1]! }], rationale }),
    )
  await propose(undecided, 'Lowest total cost and enough rooms for everybody')
  const { award } = await propose(decided, 'Lowest total cost, five minutes from the venue')
  await runDemoEventChange(stage, event, by(olga, 'execute_award'), (ctx) =>
    executeAward(ctx, { awardId: award.id, discloseWinner: false, keepOpen: false }),
  )
  const contractId = await runDemoEventChange(stage, event, by(beatriz, 'create_contract_from_award'), async (ctx) => {
    const { contract } = await createContractFromAward(ctx, { awardId: award.id, lineIndex: 0, template: 'standard', vars: {} })
    await submitContract(ctx, { contractId: contract.id })
    return contract.id
  })
  await runDemoEventChange(stage, event, by(beatriz, 'mark_contract_redlines_received'), (ctx) =>
    markRedlinesReceived(ctx, { contractId, clauses: [{ key: 'attrition', vars: { commitPercent: 90 } }], note: 'Came by email' }, null),
  )
}
