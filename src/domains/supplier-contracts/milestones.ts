import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { toDayInZone } from '../../kernel/time.ts'
import { type HousingContext, readTodayAtEvent } from '../housing/context.ts'
import { lockSupplierContract, readContractVersion } from './contracts.ts'
import {
  computeMilestoneChanges,
  type MilestonePlanInput,
  getOpenMilestoneStatus,
  planMilestones,
  type PlannedMilestone,
} from './milestone-plan.ts'
import { applyClauseRatesToOffer, computeAwardedRoomPrice } from './rates.ts'
import { computeCommittedAmount, readAwardedOfferOfContract } from './sources.ts'
import { MILESTONE_STATES } from './states.ts'
import type { ContractRow, MilestoneRow } from './tables.ts'
import { type SupplierContractTerms, readTermsFromClauses } from './terms.ts'
import { MAX_MILESTONES, listAllMilestones } from './milestone-list.ts'

/** Creates, moves and removes the milestones of a contract according to its terms. */
export async function generateMilestones(ctx: EventContext, { contractId }: { contractId: string }) {
  const contract = await lockSupplierContract(ctx, contractId)
  const counts = await updateContractMilestones(ctx, contract)
  return { ...counts, milestones: await listAllMilestones(ctx, { contractId, limit: MAX_MILESTONES }) }
}

export interface MilestoneChangeCounts {
  created: number
  updated: number
  kept: number
  removed: number
}

/** Updates the milestones of a contract. The caller has locked the contract. */
export async function updateContractMilestones(ctx: HousingContext, contract: ContractRow): Promise<MilestoneChangeCounts> {
  const today = await readTodayAtEvent(ctx)
  const planned = planMilestones(await readFacts(ctx, contract, today))
  const stored = await eventDb(ctx).selectFrom('milestones').selectAll().where('contract_id', '=', contract.id).execute()
  const { create, update, keep, remove } = computeMilestoneChanges(stored, planned)
  for (const row of remove) await removeMilestone(ctx, row)
  for (const { row, to } of update) await moveMilestone(ctx, row, to, today)
  for (const one of create) await createMilestone(ctx, contract, one, today)
  return { created: create.length, updated: update.length, kept: keep.length, removed: remove.length }
}

async function readFacts(ctx: HousingContext, contract: ContractRow, today: string): Promise<MilestonePlanInput> {
  const [{ clauses }, source] = [await readContractVersion(ctx, contract), await readAwardedOfferOfContract(ctx, contract)]
  const { currency } = source.content
  const terms = readTermsFromClauses(clauses, currency)
  const { arrival, departure } = { arrival: terms.arrival ?? source.dates.arrival, departure: terms.departure ?? source.dates.departure }
  if (!arrival || !departure) throw preconditionFailed(`Contract ${contract.number} has no arrival date`)
  const nights = terms.nights.length > 0 ? terms.nights : source.line.share
  return {
    terms: contract.status === 'executed' ? { ...terms, ...(await readRoomContractDates(ctx, contract)) } : terms,
    clauses: new Set(clauses.map(({ key }) => key)),
    arrival,
    departure,
    signedOn: contract.executed_on ?? today,
    revenue: computeAwardedRoomPrice(applyClauseRatesToOffer(source.content.rooms, clauses, currency), nights, source.quantities.nights),
    committed: computeCommittedAmount(source, clauses),
  }
}

/** Reads the dates of the room contract that was made from the supplier contract, because amend_contract may have changed them. */
async function readRoomContractDates(ctx: HousingContext, contract: ContractRow): Promise<Partial<SupplierContractTerms>> {
  const row = await eventDb(ctx)
    .selectFrom('housing_contracts')
    .select(['cutoff_on', 'rooming_list_due_on', 'name_deadline_on', 'review_dates'])
    .where('sourcing_contract_id', '=', contract.id)
    .where('status', '<>', 'cancelled')
    .executeTakeFirst()
  if (!row) return {}
  return {
    ...(row.cutoff_on === null ? {} : { cutoffOn: row.cutoff_on }),
    ...(row.rooming_list_due_on === null ? {} : { roomingListOn: row.rooming_list_due_on }),
    ...(row.name_deadline_on === null ? {} : { nameDeadlineOn: row.name_deadline_on }),
    ...(row.review_dates.length === 0 ? {} : { reviewDates: row.review_dates }),
  }
}

async function createMilestone(ctx: HousingContext, contract: ContractRow, planned: PlannedMilestone, today: string): Promise<void> {
  const { code, dueOn, clauseKey, amountAtRisk } = planned
  const status = getOpenMilestoneStatus(today, { dueOn, createdOn: today })
  const id = newId()
  await ctx.db
    .insertInto('milestones')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      contract_id: contract.id,
      code,
      due_on: dueOn,
      clause_key: clauseKey,
      amount_at_risk: amountAtRisk,
      status,
    })
    .execute()
  recordChange(ctx, { kind: MILESTONE_STATES.kind, id, after: { contractId: contract.id, code, dueOn, amountAtRisk, status } })
}

async function moveMilestone(ctx: HousingContext, row: MilestoneRow, to: PlannedMilestone, today: string): Promise<void> {
  const status = getOpenMilestoneStatus(today, { dueOn: to.dueOn, createdOn: toDayInZone(ctx.event.timezone, row.created_at) })
  await eventDb(ctx)
    .updateTable('milestones')
    .set({ due_on: to.dueOn, amount_at_risk: to.amountAtRisk, clause_key: to.clauseKey })
    .where('id', '=', row.id)
    .execute()
  recordChange(ctx, {
    kind: MILESTONE_STATES.kind,
    id: row.id,
    before: { dueOn: row.due_on, amountAtRisk: row.amount_at_risk },
    after: { dueOn: to.dueOn, amountAtRisk: to.amountAtRisk },
  })
  if (status !== row.status) await changeRecordState(ctx, MILESTONE_STATES, row, status)
}

async function removeMilestone(ctx: HousingContext, row: MilestoneRow): Promise<void> {
  await eventDb(ctx).deleteFrom('milestones').where('id', '=', row.id).execute()
  recordChange(ctx, {
    kind: MILESTONE_STATES.kind,
    id: row.id,
    before: { code: row.code, dueOn: row.due_on, status: row.status },
  })
}

export type MilestoneDecision = 'done' | 'waived' | 'reopened'

/** Marks a milestone as done or waived, or reopens it. */
export async function recordMilestoneDecision(
  ctx: HousingContext,
  { milestoneId, decision, note }: { milestoneId: string; decision: MilestoneDecision; note?: string | undefined },
): Promise<MilestoneRow> {
  const row = await eventDb(ctx).selectFrom('milestones').selectAll().where('id', '=', milestoneId).forUpdate().executeTakeFirst()
  if (!row) throw notFound(`No milestone ${milestoneId} at this event`)
  const createdOn = toDayInZone(ctx.event.timezone, row.created_at)
  const to = decision === 'reopened' ? getOpenMilestoneStatus(await readTodayAtEvent(ctx), { dueOn: row.due_on, createdOn }) : decision
  return to === row.status ? row : changeRecordState(ctx, MILESTONE_STATES, row, to, { columns: note === undefined ? {} : { note } })
}

const selectPickupReports = (ctx: HousingContext, hotelId: string) =>
  eventDb(ctx)
    .selectFrom('milestones')
    .innerJoin('housing_contracts as h', (join) => joinRowsOfSameEvent(join, 'h.sourcing_contract_id', 'milestones.contract_id'))
    .selectAll('milestones')
    .where('h.hotel_id', '=', hotelId)
    .where('milestones.code', '=', 'pickupReport')
    .where('milestones.status', 'in', ['upcoming', 'due', 'missed'])

/** Finds the day by which the contract requires the final pickup of a hotel; null if it requires none, or it was reported. */
export const findPickupReportDueDay = async (ctx: HousingContext, hotelId: string): Promise<string | null> =>
  (await selectPickupReports(ctx, hotelId).orderBy('milestones.due_on').executeTakeFirst())?.due_on ?? null

/** Completes the pickup report milestone of the contract that was signed with the hotel, when its final pickup is recorded. */
export async function completePickupMilestone(ctx: HousingContext, hotelId: string): Promise<void> {
  for (const row of await selectPickupReports(ctx, hotelId).execute()) await changeRecordState(ctx, MILESTONE_STATES, row, 'done')
}
