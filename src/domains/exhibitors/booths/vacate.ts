import { sql } from 'kysely'
import { announceToWebhooks } from '../../../kernel/announce.ts'
import { preconditionFailed, SerializationConflict } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { sumLineAmounts } from '../../orders/record-sale.ts'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from '../context.ts'
import { type BoothRow, boothStates } from '../floor/booths.ts'
import { getCurrentBoothAssignment } from './assign.ts'
import { getBoothByNumber, lockBooths, lockCompanies } from './lock.ts'
import { creditBoothOrderLines, loadBoothPriceContext, lockBoothOrderLines, type BoothOrderChange } from './sell.ts'

export interface VacatedBooths {
  booths: BoothRow[]
  orderChange: BoothOrderChange | null
}

export async function vacateBooth(ctx: ExhibitorContext, { number, reason }: { number: string; reason: string }): Promise<VacatedBooths> {
  const { id, status } = await getBoothByNumber(ctx, number)
  if (status !== 'assigned') throw preconditionFailed(`Booth ${number} is ${status} and cannot be vacated`)
  const { company_id } = await getCurrentBoothAssignment(ctx, id)
  return vacateBooths(ctx, { boothIds: [id], companyId: company_id, reason })
}

/** Lists the ids of the booths that a company has now, by booth number. */
export async function listAssignedBoothIds(ctx: ExhibitorQueryContext, companyId: string): Promise<string[]> {
  const rows = await eventDb(ctx)
    .selectFrom('booth_assignments')
    .select('booth_id')
    .where('company_id', '=', companyId)
    .where('until', 'is', null)
    .orderBy('booth_id')
    .execute()
  return rows.map(({ booth_id }) => booth_id)
}

/**
 * Takes booths back from a company. Their order lines are credited by the refund rules of their products; money that was paid stays as
 * credit on the order until it is refunded.
 */
export async function vacateBooths(
  ctx: ExhibitorContext,
  { boothIds, companyId, reason }: { boothIds: readonly string[]; companyId: string; reason: string },
): Promise<VacatedBooths> {
  if (boothIds.length === 0) return { booths: [], orderChange: null }
  const company = (await lockCompanies(ctx, [companyId])).get(companyId)!
  const booths = await lockBooths(ctx, boothIds)
  const orderLineIds: string[] = []
  const vacated: BoothRow[] = []
  for (const booth of booths) {
    orderLineIds.push(...(await endBoothAssignment(ctx, booth, companyId, reason)).orderLineIds)
    vacated.push(await makeBoothAvailable(ctx, booth, company, reason))
  }
  const sale = await loadBoothPriceContext(ctx, company)
  const sold = await lockBoothOrderLines(ctx, companyId, orderLineIds)
  if (!sold) return { booths: vacated, orderChange: null }
  const removals = sold.lines.map((line) => ({ line, units: line.remaining }))
  const lines = await creditBoothOrderLines(ctx, sale, sold.orders, { removals, rule: { by: 'policy' }, reason })
  return {
    booths: vacated,
    orderChange: lines.length === 0 ? null : { companyId, orderNumber: sold.order.number, lines, ...sumLineAmounts(lines) },
  }
}

/** Ends the company's assignment of a locked booth. If another company has got the booth meanwhile, the transaction is retried. */
export async function endBoothAssignment(
  ctx: ExhibitorContext,
  { id, status }: BoothRow,
  companyId: string,
  reason: string,
): Promise<{ orderLineIds: string[]; applicationId: string | null }> {
  const closed =
    status === 'assigned' &&
    (await eventDb(ctx)
      .updateTable('booth_assignments')
      .set({ until: sql<Date>`greatest("from", lanyard_now())`, end_reason: reason })
      .where('booth_id', '=', id)
      .where('company_id', '=', companyId)
      .where('until', 'is', null)
      .returning(['order_line_ids', 'application_id'])
      .executeTakeFirst())
  if (!closed) throw new SerializationConflict('the booth was vacated or assigned concurrently')
  return { orderLineIds: closed.order_line_ids, applicationId: closed.application_id }
}

export async function makeBoothAvailable(
  ctx: ExhibitorContext,
  booth: BoothRow,
  { id: companyId, is_test_data }: Pick<CompanyRow, 'id' | 'is_test_data'>,
  reason: string,
): Promise<BoothRow> {
  const freed = await changeRecordState(ctx, boothStates, { ...booth, is_test_data }, 'available', { audited: { companyId, reason } })
  announceToWebhooks(ctx, {
    kind: 'booth.vacated',
    entity: 'booth',
    id: booth.id,
    changed: ['status', 'company'],
    isTestData: is_test_data,
  })
  return freed
}
