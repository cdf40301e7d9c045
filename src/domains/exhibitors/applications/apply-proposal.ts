import { sql } from 'kysely'
import { conflict, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { recordChange } from '../../../kernel/audit.ts'
import { releaseBooths } from '../booths/hold.ts'
import { lockBooths, lockCompanies } from '../booths/lock.ts'
import { priceBooth, toCompanyBillingAddress } from '../booths/price.ts'
import { readBoothMeasurements } from '../booths/plan-cache.ts'
import { loadBoothPriceContext, requireSellableOrderLines } from '../booths/sell.ts'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorContext } from '../context.ts'
import { type BoothRow, listBooths } from '../floor/booths.ts'
import type { BoothType } from '../floor/booth-figures.ts'
import { getProposal } from '../proposals/show.ts'
import type { StoredProposal } from '../proposals/stored.ts'
import { APPLICATION_STATES } from '../states.ts'
import { acceptLockedApplication } from './accept.ts'
import { type EmailSendResult, sendOfferEmail } from './emails.ts'
import { storeBoothOffer, resolveOfferEnd } from './offers.ts'
import { type ApplicationRow, describeApplications, type LockedApplication, lockApplications } from './read.ts'

const STALE = 'Plan changed — propose again'
const MAX_LISTED = 50

type Assignment = StoredProposal['assigned'][number]

/** Applies a whole proposal for booth assignments or nothing: each application gets an offer, or its booths are assigned immediately. */
export async function applyBoothProposal(
  ctx: ExhibitorContext,
  { proposalId, mode, notify = false }: { proposalId: string; mode: 'assign' | 'offer'; notify?: boolean | undefined },
) {
  const { result, plan_revisions, applied_at, input } = await getProposal(ctx, proposalId)
  if (result === null) throw preconditionFailed(`Proposal ${proposalId} is still being calculated`)
  if (applied_at !== null) throw preconditionFailed(`Proposal ${proposalId} was applied at ${formatInstant(applied_at)}`)
  const locked = await lockApplications(
    ctx,
    result.assigned.map(({ applicationNumber }) => applicationNumber),
  )
  const booths = await lockBooths(ctx, Object.keys(result.boothRevisions).toSorted())
  await requireFresh(ctx, plan_revisions, result, booths)
  const { until, price } = await preparePrices(ctx, locked, booths)
  const skipped: EmailSendResult['skipped'] = []
  let queued = 0
  for (const [index, assignment] of result.assigned.entries()) {
    const own = assignment.boothIds.map((id) => booths.find((booth) => booth.id === id)!)
    if (!input.keepHeld) await releaseOthers(ctx, own, locked[index]!.company.id)
    const offered = await offerAssigned(ctx, locked[index]!, assignment, {
      until,
      lines: own.map((booth) => price(booth, locked[index]!.company)),
    })
    if (mode === 'assign') await acceptLockedApplication(ctx, offered)
    else if (notify) {
      const sent = await sendOfferEmail(ctx, offered)
      queued += sent.queued
      skipped.push(...sent.skipped)
    }
    ctx.effects.add('changes', `${mode} ${assignment.applicationNumber} ${assignment.boothNumbers.join(' ')}`, {
      application: assignment.applicationNumber,
      booths: assignment.boothNumbers,
    })
  }
  await markApplied(ctx, proposalId)
  const listed = result.assigned.slice(0, MAX_LISTED).map(({ applicationNumber }) => applicationNumber)
  return {
    ...(await describeApplications(ctx, listed)),
    applied: result.assigned.length,
    ...(notify ? { queued, skipped: countReasons(skipped) } : {}),
  }
}

/** Throws if the floor plans or booths have changed since the proposal was calculated. */
async function requireFresh(
  ctx: ExhibitorContext,
  planRevisions: Readonly<Record<string, number>>,
  { boothRevisions }: StoredProposal,
  booths: readonly BoothRow[],
): Promise<void> {
  const plans = await eventDb(ctx)
    .selectFrom('floor_plans')
    .select(['id', 'revision'])
    .where('id', '=', sql<string>`any(${Object.keys(planRevisions)})`)
    .where('status', '=', 'published')
    .execute()
  const isSame =
    plans.length === Object.keys(planRevisions).length &&
    plans.every(({ id, revision }) => planRevisions[id] === revision) &&
    booths.every(({ id, revision }) => boothRevisions[id] === revision)
  if (!isSame) throw conflict(STALE)
}

/** Reads the types of all booths once, instead of once per offer. */
async function preparePrices(ctx: ExhibitorContext, locked: readonly LockedApplication[], booths: readonly BoothRow[]) {
  const sale = await loadBoothPriceContext(ctx, { is_test_data: false })
  const types = new Map<string, BoothType>()
  for (const planId of new Set(booths.map(({ floor_plan_id }) => floor_plan_id))) {
    const plan = await eventDb(ctx).selectFrom('floor_plans').selectAll().where('id', '=', planId).executeTakeFirstOrThrow()
    for (const [id, { type }] of await readBoothMeasurements(plan, await listBooths(ctx, planId))) types.set(id, type)
  }
  const price = (booth: BoothRow, company: CompanyRow) => ({
    boothId: booth.id,
    lines: requireSellableOrderLines(
      booth.number,
      priceBooth(
        sale,
        { number: booth.number, sizeCode: booth.size_code, priceOverride: booth.price_override, type: types.get(booth.id)! },
        toCompanyBillingAddress(company),
      ),
    ),
  })
  return { until: await resolveOfferEnd(ctx, { is_test_data: locked.some(({ row }) => row.is_test_data) }, undefined), price }
}

/** Releases booths that are held for other companies. A proposal may use them unless `keepHeld` is set. */
async function releaseOthers(ctx: ExhibitorContext, booths: readonly BoothRow[], companyId: string): Promise<void> {
  const held = booths.filter(({ held_for }) => held_for !== null && held_for !== companyId)
  if (held.length === 0) return
  await lockCompanies(
    ctx,
    held.map(({ held_for }) => held_for!),
  )
  await releaseBooths(
    ctx,
    held.map(({ id }) => id),
  )
}

/** Stores the priority points by which the proposal ranked the application, and makes the offer. */
async function offerAssigned(
  ctx: ExhibitorContext,
  { row, company }: LockedApplication,
  { points }: Assignment,
  offer: Parameters<typeof storeBoothOffer>[2],
): Promise<LockedApplication> {
  const approved: ApplicationRow = row.status === 'approved' ? row : await changeRecordState(ctx, APPLICATION_STATES, row, 'approved')
  await eventDb(ctx)
    .updateTable('booth_applications')
    .set({ points: points.toFixed(2) })
    .where('id', '=', row.id)
    .execute()
  return { row: await storeBoothOffer(ctx, { row: approved, company }, offer), company }
}

async function markApplied(ctx: ExhibitorContext, proposalId: string): Promise<void> {
  const marked = await eventDb(ctx)
    .updateTable('assignment_proposals')
    .set({ applied_at: sql<Date>`lanyard_now()` })
    .where('id', '=', proposalId)
    .where('applied_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!marked) throw conflict(`Proposal ${proposalId} was applied concurrently`)
  recordChange(ctx, { kind: 'assignmentProposal', id: proposalId, after: { applied: true } })
}

const countReasons = (skipped: EmailSendResult['skipped']) =>
  [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, list]) => ({ reason, count: list.length }))
