import { sql } from 'kysely'
import type { AwardLine } from '../../src/domains/awards/tables.ts'
import { computeOfferCost } from '../../src/domains/bids/cost.ts'
import type { RfpResponseContent } from '../../src/domains/bids/tables.ts'
import type { BriefAnswers } from '../../src/domains/briefs/answers.ts'
import type { SupplierQuestionnaireItem, AttachedRubric } from '../../src/domains/rfps/tables.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { newId } from '../../src/kernel/ids.ts'
import { inEventTransaction } from './hotels.ts'
import type { EventHandle, World } from './world.ts'

/**
 * The rooms and meals that the RFP of the specification's worked example asks for: 100, 100 and 50 rooms, and two lunches for 200 people.
 */
export const EXAMPLE_NEED: BriefAnswers = {
  purpose: 'Annual meeting',
  eventType: 'conference',
  attendees: 200,
  preferredArrival: '2027-06-10',
  preferredDeparture: '2027-06-13',
  cities: ['Porto'],
  radiusKm: 10,
  needRooms: true,
  roomsByNight: [
    { night: '2027-06-10', single: 100 },
    { night: '2027-06-11', single: 100 },
    { night: '2027-06-12', single: 50 },
  ],
  needSpace: false,
  meals: [
    { day: '2027-06-10', kind: 'lunch', people: 200 },
    { day: '2027-06-11', kind: 'lunch', people: 200 },
  ],
}

const roomsAt = (single: number) =>
  EXAMPLE_NEED.roomsByNight!.map(({ night, single: rooms }) => ({ night, roomType: 'standard', rooms: rooms!, rates: { single } }))

const NOTHING = { otherFees: [], avEstimate: 0, cancellation: [], deposits: [], answers: {}, space: [], files: [] }

/** The response of supplier A in the worked example: 101,644.00 net. */
export const RESPONSE_A: RfpResponseContent = {
  ...NOTHING,
  currency: 'EUR',
  rooms: roomsAt(20_000),
  taxPercent: 14,
  feePerNight: 500,
  rental: 1_000_000,
  fbMinimum: 3_000_000,
  menu: [{ meal: 'lunch', price: 6000 }],
  servicePercent: 22,
  fbTaxPercent: 9,
  concessions: [
    { kind: 'compRooms', per: 50 },
    { kind: 'rebate', value: 1000 },
    { kind: 'wifi', value: 300_000 },
  ],
  attrition: { method: 'cumulative', commitPercent: 80, profitPercent: 75 },
  cutoffDays: 30,
  cancellation: [
    { daysBefore: 90, percent: 50 },
    { daysBefore: 30, percent: 90 },
  ],
  deposits: [{ onSigning: true, percent: 10 }],
}

/** The response of supplier A in the first round: 17,349.00 more. */
export const RESPONSE_A_FIRST: RfpResponseContent = { ...RESPONSE_A, rooms: roomsAt(22_000), rental: 1_500_000, fbMinimum: 3_500_000 }

/** The response of supplier B in the worked example: 97,655.40 net. */
export const RESPONSE_B: RfpResponseContent = {
  ...NOTHING,
  currency: 'EUR',
  rooms: roomsAt(21_500),
  taxPercent: 14,
  feePerNight: 0,
  rental: 0,
  fbMinimum: 2_000_000,
  menu: [{ meal: 'lunch', price: 7200 }],
  servicePercent: 20,
  fbTaxPercent: 9,
  concessions: [{ kind: 'compRooms', per: 40 }],
  cutoffDays: 21,
}

/** Inserts sourcing records at an event, for tests that begin after the steps that create them. */
export const createSourcingFixtures = (world: World, place: EventHandle) => {
  const insert = <T>(run: (ctx: EventContext, scope: { tenant_id: number; event_id: string }) => Promise<T>) =>
    inEventTransaction(world, place, (ctx) => run(ctx, { tenant_id: ctx.tenantId, event_id: ctx.event.id }))
  const json = JSON.stringify
  return {
    brief: (answers: BriefAnswers = EXAMPLE_NEED, title = 'Annual meeting') =>
      insert(async ({ db }, scope) => {
        const [id, hash] = [newId(), '0'.repeat(64)]
        await db
          .insertInto('briefs')
          .values({ ...scope, id, title, answers: json(answers), status: 'locked', version: 1, locked_hash: hash })
          .execute()
        await db
          .insertInto('brief_versions')
          .values({ ...scope, brief_id: id, version: 1, title, answers: json(answers), hash, locked_by: 'test' })
          .execute()
        return id
      }),
    /** Creates a supplier of the client, or returns the one with the same name. */
    supplier: (name: string, more: object = {}) =>
      insert(async ({ db, tenantId, client }) => {
        const { id } = await db
          .insertInto('suppliers')
          .values({
            tenant_id: tenantId,
            client_id: client.id,
            id: newId(),
            name,
            kind: 'hotel',
            status: 'verified',
            identity: `${name.toLowerCase()}|pt|porto`,
            contacts: json([{ name: `Sales of ${name}`, email: `${name.toLowerCase().replaceAll(/\W+/g, '-')}@suppliers.example` }]),
            address: json({ city: 'Porto', country: 'PT' }),
            ...more,
          })
          .onConflict((clash) => clash.columns(['tenant_id', 'client_id', 'identity']).doUpdateSet({ name }))
          .returning('id')
          .executeTakeFirstOrThrow()
        return id
      }),
    /** An RFP that was distributed. Its due times are relative to the database's clock. */
    rfp: (
      briefId: string,
      {
        dueInDays = 10,
        ...more
      }: {
        dueInDays?: number
        status?: 'draft' | 'distributed' | 'closed'
        sealed?: boolean
        rubric?: AttachedRubric
        questions?: SupplierQuestionnaireItem[]
      } = {},
    ) =>
      insert(async ({ db, client }, scope) => {
        const { rubric, questions = [], ...columns } = more
        const { answers } = await db.selectFrom('briefs').select('answers').where('id', '=', briefId).executeTakeFirstOrThrow()
        const now = await db.selectNoFrom((eb) => eb.fn<Date>('lanyard_now', []).as('now')).executeTakeFirstOrThrow()
        const due = new Date(now.now.getTime() + dueInDays * 86_400_000)
        const id = newId()
        const { count } = await db
          .selectFrom('rfps')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
        await db
          .insertInto('rfps')
          .values({
            ...scope,
            id,
            number: `RFP-9${String(count).padStart(3, '0')}`,
            client_id: client.id,
            brief_id: briefId,
            brief_version: 1,
            title: 'Annual meeting',
            requirements: json(answers),
            date_options: json([{ arrival: answers.preferredArrival, departure: answers.preferredDeparture }]),
            questions: json(questions),
            rubric: rubric === undefined ? null : json(rubric),
            currency: 'EUR',
            questions_due_at: new Date(due.getTime() - 3 * 86_400_000),
            response_due_at: due,
            decision_on: new Date(due.getTime() + 14 * 86_400_000).toISOString().slice(0, 10),
            status: 'distributed',
            round: 1,
            distributed_at: now.now,
            ...columns,
          })
          .execute()
        return id
      }),
    recipient: (rfpId: string, supplierId: string, more: object = {}) =>
      insert(async ({ db, client }, scope) => {
        const id = newId()
        const { contacts } = await db.selectFrom('suppliers').select('contacts').where('id', '=', supplierId).executeTakeFirstOrThrow()
        await db
          .insertInto('rfp_recipients')
          .values({
            ...scope,
            id,
            rfp_id: rfpId,
            client_id: client.id,
            supplier_id: supplierId,
            contact_email: contacts[0]?.email ?? 'sales@suppliers.example',
            status: 'sent',
            sent_at: sql<Date>`lanyard_now()`,
            ...more,
          })
          .execute()
        return id
      }),
    response: (recipientId: string, content: RfpResponseContent, { round = 1, dateOption = 0 } = {}) =>
      insert(async ({ db }, scope) => {
        const id = newId()
        const { rfp_id, supplier_id } = await db
          .updateTable('rfp_recipients')
          .set({ status: 'submitted', submitted_at: sql<Date>`lanyard_now()` })
          .where('id', '=', recipientId)
          .returning(['rfp_id', 'supplier_id'])
          .executeTakeFirstOrThrow()
        const rfp = await db.selectFrom('rfps').select(['requirements', 'date_options']).where('id', '=', rfp_id).executeTakeFirstOrThrow()
        await db
          .insertInto('rfp_responses')
          .values({
            ...scope,
            id,
            rfp_id,
            recipient_id: recipientId,
            supplier_id,
            date_option: dateOption,
            round,
            content: json(content),
            total: computeOfferCost(rfp, dateOption, content).net,
            source: 'portal',
          })
          .execute()
        return id
      }),
    /** An executed award of one response with all rooms that it offers. */
    award: (rfpId: string, responseId: string) =>
      insert(async ({ db }, scope) => {
        const id = newId()
        const { content, supplier_id } = await db
          .selectFrom('rfp_responses')
          .select(['content', 'supplier_id'])
          .where('id', '=', responseId)
          .executeTakeFirstOrThrow()
        const line: AwardLine = {
          responseId,
          supplierId: supplier_id,
          share: [...Map.groupBy(content.rooms, ({ night }) => night)].map(([night, types]) => ({
            night,
            rooms: types.reduce((sum, { rooms }) => sum + rooms, 0),
          })),
          gross: 10_814_400,
        }
        await db
          .insertInto('awards')
          .values({
            ...scope,
            id,
            rfp_id: rfpId,
            lines: json([line]),
            total: 10_814_400,
            currency: content.currency,
            rationale: 'The best offer for our guests',
            status: 'executed',
            proposed_by: 'test',
            executed_by: 'other',
            executed_at: sql<Date>`lanyard_now()`,
          })
          .execute()
        await db.updateTable('rfps').set({ status: 'awarded' }).where('id', '=', rfpId).execute()
        return id
      }),
  }
}
