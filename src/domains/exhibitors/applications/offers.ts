import { sql } from 'kysely'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { conflict, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { addDays, toDayInZone, endOfDay, formatInstant, parseInstant } from '../../../kernel/time.ts'
import { sumLineAmounts } from '../../orders/record-sale.ts'
import { holdBooths, releaseBooths } from '../booths/hold.ts'
import { getBoothsByNumber } from '../booths/lock.ts'
import { loadBoothPriceContext, calculateBoothPrices, requireSellableOrderLines } from '../booths/sell.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration } from '../context.ts'
import type { BoothRow } from '../floor/booths.ts'
import { toAreaInPlanUnits } from '../floor/plan-shapes.ts'
import { computePolygonArea } from '../floor/polygons.ts'
import { APPLICATION_STATES } from '../states.ts'
import type { OfferedBoothOrderLines } from '../tables.ts'
import { sendOfferEmail } from './emails.ts'
import { type ApplicationRow, describeApplications, type LockedApplication, lockApplication } from './read.ts'

interface OfferRequest {
  number: string
  boothNumbers: readonly string[]
  until?: string | undefined
  notify?: boolean | undefined
  force?: boolean | undefined
}

/** Offers booths to an approved application and holds them for its company. */
export async function offerBooths(ctx: ExhibitorContext, { number, boothNumbers, until, notify = false, force = false }: OfferRequest) {
  const locked = await lockApplication(ctx, number)
  const booths = await getBoothsByNumber(ctx, [...new Set(boothNumbers)])
  await requireOfferable(ctx, locked.row, booths, force)
  const sale = await loadBoothPriceContext(ctx, locked.company)
  const prices = await calculateBoothPrices(ctx, sale, booths, locked.company)
  const lines = booths.map((booth) => ({ boothId: booth.id, lines: requireSellableOrderLines(booth.number, prices.get(booth.id)!) }))
  const row = await storeBoothOffer(ctx, locked, { lines, until: await resolveOfferEnd(ctx, locked.row, until) })
  ctx.effects.add('changes', `offer ${number} ${boothNumbers.join(' ')}`, { application: number, booths: booths.map((one) => one.number) })
  const sent = notify ? await sendOfferEmail(ctx, { ...locked, row }) : null
  return { ...(await describeApplications(ctx, [number])), changed: ['status', 'offer'], ...sent }
}

/** The end of a booth offer: the given time, otherwise the end of the day that is `offerDays` days from today, in the event's time zone. */
export async function resolveOfferEnd(
  ctx: ExhibitorContext,
  { is_test_data }: Pick<ApplicationRow, 'is_test_data'>,
  until: string | undefined,
) {
  if (until !== undefined) return parseInstant(until)!
  const { config, facts } = await readLiveOrTestConfiguration(ctx, is_test_data)
  const { timezone } = ctx.event
  return endOfDay(timezone, addDays(toDayInZone(timezone, facts.now), config.exhibitorConfig.offerDays))
}

async function requireOfferable(ctx: ExhibitorContext, row: ApplicationRow, booths: readonly BoothRow[], force: boolean): Promise<void> {
  APPLICATION_STATES.move(row.status, 'offered')
  if (booths.length === 0) throw invalidArguments([{ path: 'boothNumbers', message: 'name at least one booth' }])
  const plans = await eventDb(ctx)
    .selectFrom('floor_plans')
    .select(['id', 'code', 'units', 'status'])
    .where('id', 'in', [...new Set(booths.map(({ floor_plan_id }) => floor_plan_id))])
    .execute()
  const draft = plans.find(({ status }) => status !== 'published')
  if (draft)
    throw preconditionFailed(`Floor plan ${draft.code} is not published. Publish it with manage_floor_plans before offering its booths`)
  const held = booths.find(({ held_for }) => held_for !== null && held_for !== row.company_id)
  if (held) throw preconditionFailed(`Booth ${held.number} is held for another company`)
  const other = await findOfferOf(ctx, row, booths)
  if (other) throw conflict(`Booth ${other.number} is part of the offer to ${other.application}`)
  const units = new Map(plans.map((plan) => [plan.id, plan.units]))
  const area = booths.reduce(
    (sum, { polygon, floor_plan_id }) => sum + toAreaInPlanUnits(computePolygonArea(polygon), units.get(floor_plan_id)!),
    0,
  )
  const { minArea } = row.wanted
  if (minArea !== undefined && area < minArea && !force)
    throw preconditionFailed(
      `The booths have ${area}, less than the minimum area of ${minArea} that the application wants. Pass force: true to offer them`,
    )
}

/** Finds a booth that is already offered to another application of the same company. */
async function findOfferOf(ctx: ExhibitorContext, { id, company_id }: ApplicationRow, booths: readonly BoothRow[]) {
  const rows = await eventDb(ctx)
    .selectFrom('booth_applications')
    .select(['number', 'offer_booth_ids'])
    .where('company_id', '=', company_id)
    .where('status', '=', 'offered')
    .where('id', '<>', id)
    .execute()
  for (const { number, offer_booth_ids } of rows) {
    const booth = booths.find((one) => offer_booth_ids.includes(one.id))
    if (booth) return { number: booth.number, application: number }
  }
  return null
}

/** Holds the booths and stores the offer with its order lines. */
export async function storeBoothOffer(
  ctx: ExhibitorContext,
  { row, company }: LockedApplication,
  { lines, until }: { lines: readonly OfferedBoothOrderLines[]; until: Date },
): Promise<ApplicationRow> {
  const boothIds = lines.map(({ boothId }) => boothId)
  await holdBooths(ctx, { boothIds, companyId: company.id, until })
  const { total } = sumLineAmounts(lines.flatMap((booth) => booth.lines))
  return changeRecordState(ctx, APPLICATION_STATES, row, 'offered', {
    columns: {
      offer_booth_ids: boothIds,
      offer_lines: JSON.stringify(lines),
      offer_amount: total,
      offer_until: until,
      offer_sent_at: null,
      offer_ended_at: null,
      offer_number: row.offer_number + 1,
    },
    audited: { boothIds, until: formatInstant(until) },
    changed: ['offer'],
  })
}

/** Ends an open offer, whose company the caller has locked, and makes its booths available. */
export async function endOffer(ctx: ExhibitorContext, row: ApplicationRow, to: 'approved' | 'withdrawn', reason?: string): Promise<void> {
  await releaseBooths(ctx, row.offer_booth_ids)
  await changeRecordState(ctx, APPLICATION_STATES, row, to, {
    columns: { offer_ended_at: sql<Date>`least(lanyard_now(), offer_until)` },
    audited: reason === undefined ? {} : { reason },
    changed: ['offer'],
  })
}

/** Ends the expired offers of a company that the caller has locked. Called by the job that releases booths whose hold has expired. */
export async function endExpiredOffers(ctx: ExhibitorContext, companyId: string): Promise<void> {
  const rows = await eventDb(ctx)
    .selectFrom('booth_applications')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('status', '=', 'offered')
    .where('offer_until', '<=', sql<Date>`lanyard_now()`)
    .execute()
  for (const row of rows) await endOffer(ctx, row, 'approved', 'The offer expired')
}

export async function withdrawBoothOffer(ctx: ExhibitorContext, number: string, reason: string | undefined) {
  const { row } = await lockApplication(ctx, number)
  requireOffered(row)
  await endOffer(ctx, row, 'approved', reason)
  ctx.effects.add('changes', `withdraw offer ${number}`, { application: number })
  return { ...(await describeApplications(ctx, [number])), changed: ['status', 'offer'] }
}

/** Declines an offer on behalf of the company. A repeated call changes nothing. */
export async function declineOffer(ctx: ExhibitorContext, number: string) {
  const { row } = await lockApplication(ctx, number)
  const isRepeated = row.status === 'approved' && row.offer_ended_at !== null
  if (!isRepeated) {
    requireOffered(row)
    await endOffer(ctx, row, 'approved', 'The company declined')
    ctx.effects.add('changes', `decline ${number}`, { application: number })
  }
  return { ...(await describeApplications(ctx, [number])), changed: isRepeated ? [] : ['status', 'offer'] }
}

function requireOffered({ number, status }: ApplicationRow): void {
  if (status !== 'offered') throw preconditionFailed(`Booth application ${number} is ${status} and has no open offer`)
}

/** Throws if the offer has expired, even if the job that ends expired offers has not run yet. */
export async function requireOpenOffer(ctx: ExhibitorContext, row: ApplicationRow): Promise<void> {
  requireOffered(row)
  if (row.offer_until! <= (await getDatabaseTime(ctx)))
    throw preconditionFailed(`This offer ended on ${toDayInZone(ctx.event.timezone, new Date(row.offer_until!.getTime() - 1))}`)
}
