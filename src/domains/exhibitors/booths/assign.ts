import { announceToWebhooks } from '../../../kernel/announce.ts'
import { recordChange } from '../../../kernel/audit.ts'
import { conflict, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { toDayInZone, toWallTimeInZone } from '../../../kernel/time.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { sumLineAmounts } from '../../orders/record-sale.ts'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from '../context.ts'
import { type BoothRow, boothStates } from '../floor/booths.ts'
import { getBoothByNumber, lockBooths, lockCompanies, requireAllowedBoothStatusChange } from './lock.ts'
import {
  loadBoothPriceContext,
  type BoothOrderChange,
  calculateBoothPrices,
  requireSellableOrderLines,
  sellBooths,
  toOrderChangeLine,
} from './sell.ts'

export interface BoothAssignment {
  boothIds: readonly string[]
  companyId: string
  applicationId?: string | undefined
}

export interface AssignedBooths {
  booths: BoothRow[]
  orderChange: BoothOrderChange | null
}

export async function assignBooth(
  ctx: ExhibitorContext,
  { number, companyId, applicationId }: { number: string; companyId: string; applicationId?: string | undefined },
): Promise<AssignedBooths> {
  const booth = await getBoothByNumber(ctx, number)
  return assignBooths(ctx, { boothIds: [booth.id], companyId, applicationId })
}

/**
 * Assigns booths that are available or held for the company, and charges them on the company's order at today's price, with one invoice.
 * Booths without a price are assigned without order lines.
 */
export async function assignBooths(
  ctx: ExhibitorContext,
  { boothIds, companyId, applicationId }: BoothAssignment,
): Promise<AssignedBooths> {
  const company = (await lockCompanies(ctx, [companyId])).get(companyId)!
  requireCompanyNotCancelled(company)
  const booths = await lockBooths(ctx, boothIds)
  for (const booth of booths) await requireAssignableBooth(ctx, booth, companyId)
  const sale = await loadBoothPriceContext(ctx, company)
  const prices = await calculateBoothPrices(ctx, sale, booths, company)
  const sold = booths.map((booth) => ({ boothId: booth.id, lines: requireSellableOrderLines(booth.number, prices.get(booth.id)!) }))
  const { lineIds, orderNumber } = await sellBooths(ctx, sale, company, sold)
  const assigned: BoothRow[] = []
  for (const booth of booths) {
    assigned.push(await startBoothAssignment(ctx, booth, company, { applicationId, orderLineIds: lineIds.get(booth.id)! }))
  }
  const lines = sold.flatMap((one) => one.lines)
  return {
    booths: assigned,
    orderChange: orderNumber === null ? null : { companyId, orderNumber, lines: lines.map(toOrderChangeLine), ...sumLineAmounts(lines) },
  }
}

export function requireCompanyNotCancelled({ code, status }: Pick<CompanyRow, 'code' | 'status'>): void {
  if (status === 'cancelled') throw preconditionFailed(`${code} has cancelled and cannot get a booth`)
}

/** Throws if another company has the booth. An assigned booth is a conflict, because two organizers may assign it at the same time. */
export async function requireAssignableBooth(ctx: ExhibitorContext, booth: BoothRow, companyId: string): Promise<void> {
  if (booth.status === 'assigned') throw await alreadyAssignedError(ctx, booth)
  if (booth.held_for !== null && booth.held_for !== companyId)
    throw preconditionFailed(`Booth ${booth.number} is held for another company. Release it first`)
  requireAllowedBoothStatusChange(booth, 'assigned', 'assigned')
}

async function alreadyAssignedError(ctx: ExhibitorContext, { id, number }: BoothRow) {
  const { from } = await getCurrentBoothAssignment(ctx, id)
  const zone = ctx.event.timezone
  const [day, today] = [toDayInZone(zone, from), toDayInZone(zone, await getDatabaseTime(ctx))]
  return conflict(`Booth ${number} was assigned ${day === today ? '' : `on ${day} `}at ${toWallTimeInZone(zone, from).slice(11, 16)}`)
}

export const getCurrentBoothAssignment = (ctx: ExhibitorQueryContext, boothId: string) =>
  eventDb(ctx)
    .selectFrom('booth_assignments')
    .selectAll()
    .where('booth_id', '=', boothId)
    .where('until', 'is', null)
    .executeTakeFirstOrThrow()

interface NewAssignment {
  applicationId: string | null | undefined
  orderLineIds: readonly string[]
}

/** Assigns a booth to a company: changes the status of the booth, and adds a row to its history. */
export async function startBoothAssignment(
  ctx: ExhibitorContext,
  booth: BoothRow,
  company: Pick<CompanyRow, 'id' | 'is_test_data'>,
  { applicationId, orderLineIds }: NewAssignment,
): Promise<BoothRow> {
  const { is_test_data } = company
  let row = booth
  if (booth.status === 'assigned') {
    // When two companies swap booths, each booth stays assigned, and only its company changes.
    recordChange(ctx, { kind: 'booth', id: booth.id, before: {}, after: { companyId: company.id } })
    announceToWebhooks(ctx, { kind: 'booth.assigned', entity: 'booth', id: booth.id, changed: ['company'], isTestData: is_test_data })
  } else {
    row = await changeRecordState(ctx, boothStates, { ...booth, is_test_data }, 'assigned', {
      columns: { held_for: null, held_until: null },
      audited: { companyId: company.id },
      changed: ['company'],
    })
  }
  await ctx.db
    .insertInto('booth_assignments')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      booth_id: booth.id,
      company_id: company.id,
      application_id: applicationId ?? null,
      order_line_ids: [...orderLineIds],
      by: ctx.actor.name,
    })
    .execute()
  return row
}
