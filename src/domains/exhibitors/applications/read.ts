import { type Selectable, sql } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toMoney } from '../../../kernel/money.ts'
import { omitNulls } from '../../../kernel/omit-nulls.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { sumLineAmounts } from '../../orders/record-sale.ts'
import { lockCompanies } from '../booths/lock.ts'
import type { BoothOrderChange } from '../booths/sell.ts'
import type { CompanyRow } from '../companies.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import { type ExhibitorQueryContext, type ExhibitorContext, readLiveOrTestConfiguration } from '../context.ts'
import { compareByPriorityPoints, type PriorityPoints } from '../points/calculate.ts'
import { createPriorityPointsCalculator } from '../points/read.ts'

export type ApplicationRow = Selectable<Tables['booth_applications']>

/** Statuses of live applications: those that compete for booths, and accepted ones, which already have booths. */
export const ACTIVE_APPLICATION_STATUSES = ['submitted', 'under_review', 'approved', 'waitlisted', 'offered', 'accepted'] as const
export const isActiveApplicationStatus = (status: string) => (ACTIVE_APPLICATION_STATUSES as readonly string[]).includes(status)

export async function getApplication(ctx: ExhibitorQueryContext, number: string): Promise<ApplicationRow> {
  const row = await eventDb(ctx).selectFrom('booth_applications').selectAll().where('number', '=', number.toUpperCase()).executeTakeFirst()
  if (!row) throw notFound(`No booth application ${number} at this event. Use list_booth_applications to find it`)
  return row
}

/** A booth application whose company is locked in the database. Every change of an application needs this lock. */
export interface LockedApplication {
  row: ApplicationRow
  company: CompanyRow
}

export async function lockApplication(ctx: ExhibitorQueryContext, number: string): Promise<LockedApplication> {
  return (await lockApplications(ctx, [number]))[0]!
}

/** Locks companies in id order, which avoids deadlocks, and then reads their applications. */
export async function lockApplications(ctx: ExhibitorQueryContext, numbers: readonly string[]): Promise<LockedApplication[]> {
  const found: ApplicationRow[] = []
  for (const number of numbers) found.push(await getApplication(ctx, number))
  const companies = await lockCompanies(
    ctx,
    found.map(({ company_id }) => company_id),
  )
  const rows = await eventDb(ctx)
    .selectFrom('booth_applications')
    .selectAll()
    .where('id', '=', sql<string>`any(${found.map(({ id }) => id)})`)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return found.map(({ id }) => {
    const row = byId.get(id)!
    return { row, company: companies.get(row.company_id)! }
  })
}

export interface RankedPriorityPoints extends PriorityPoints {
  /** Rank among the applications that are still competing for booths; null for other applications. */
  rank: number | null
}

/** Points and ranks of all applications of the event, by application id. Test applications are ranked separately. */
export async function readRankedPriorityPoints(ctx: ExhibitorContext, isTestData = false): Promise<Map<string, RankedPriorityPoints>> {
  const rows = await eventDb(ctx)
    .selectFrom('booth_applications')
    .select([
      'id',
      'number',
      'company_id',
      'status',
      'submitted_at',
      'points',
      sql<string | null>`wanted -> 'sizes' ->> 0`.as('first_size'),
    ])
    .where('is_test_data', '=', isTestData)
    .execute()
  const { config } = await readLiveOrTestConfiguration(ctx, isTestData)
  const calculate = await createPriorityPointsCalculator(ctx, config, 'all')
  const ranked = rows.map((row) => ({
    id: row.id,
    number: row.number ?? '',
    live: isActiveApplicationStatus(row.status),
    submittedAt: row.submitted_at,
    calculated: calculate({
      companyId: row.company_id,
      submittedAt: row.submitted_at,
      firstSize: row.first_size,
      frozen: row.points === null ? null : Number(row.points),
    }),
  }))
  const order = ranked
    .filter(({ live }) => live)
    .map((one) => ({ ...one, points: one.calculated.total }))
    .toSorted(compareByPriorityPoints)
  const ranks = new Map(order.map(({ id }, index) => [id, index + 1]))
  return new Map(ranked.map(({ id, calculated }) => [id, { ...calculated, rank: ranks.get(id) ?? null }]))
}

/** Numbers of the booths of applications: of assigned booths by application id, and of offered booths by booth id. */
export interface ApplicationBoothNumbers {
  assigned: ReadonlyMap<string, string[]>
  numbers: ReadonlyMap<string, string>
}

export async function readApplicationBoothNumbers(
  ctx: ExhibitorQueryContext,
  rows: readonly ApplicationRow[],
): Promise<ApplicationBoothNumbers> {
  const { rows: assigned } = await sql<{ applicationId: string; number: string }>`
    select a.application_id as "applicationId", b.number from booth_assignments a
    join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.until is null
      and a.application_id = any(${rows.map(({ id }) => id)})`.execute(ctx.db)
  const offered = rows.flatMap(({ offer_booth_ids }) => offer_booth_ids)
  const booths =
    offered.length === 0
      ? []
      : await eventDb(ctx)
          .selectFrom('booths')
          .select(['id', 'number'])
          .where('id', '=', sql<string>`any(${offered})`)
          .execute()
  const byApplication = Map.groupBy(assigned, ({ applicationId }) => applicationId)
  return {
    assigned: new Map([...byApplication].map(([id, list]) => [id, list.map(({ number }) => number).toSorted(compareBoothNumbers)])),
    numbers: new Map(booths.map(({ id, number }) => [id, number])),
  }
}

/** The amounts of an offer, in minor units. */
export const sumOfferAmounts = ({ offer_lines }: Pick<ApplicationRow, 'offer_lines'>) =>
  sumLineAmounts(offer_lines.flatMap(({ lines }) => lines))

export const toOfferPrice = ({ net, tax, total }: { net: number; tax: number; total: number }, currency: string) => ({
  net: toMoney(net, currency),
  tax: toMoney(tax, currency),
  total: toMoney(total, currency),
})

/** Converts an application to a tool result. The offer is included while it is open and after it was accepted. */
export function toApplicationResult(
  ctx: ExhibitorContext,
  row: ApplicationRow,
  companyName: string,
  { total, rank }: Pick<RankedPriorityPoints, 'total' | 'rank'>,
  { assigned, numbers }: ApplicationBoothNumbers,
) {
  const hasOffer = row.status === 'offered' || (row.status === 'accepted' && row.offer_until !== null)
  const price = sumOfferAmounts(row)
  return omitNulls({
    number: row.number ?? '',
    company: { companyId: row.company_id, name: companyName },
    status: row.status,
    wanted: { ...row.wanted },
    points: total,
    pointsRank: rank,
    submittedAt: row.submitted_at === null ? null : formatInstant(row.submitted_at),
    offer: hasOffer
      ? omitNulls({
          boothNumbers: row.offer_booth_ids.map((id) => numbers.get(id) ?? id),
          amount: toMoney(row.offer_amount ?? 0, ctx.event.currency),
          price: toOfferPrice(price, ctx.event.currency),
          until: formatInstant(row.offer_until!),
          sentAt: row.offer_sent_at === null ? null : formatInstant(row.offer_sent_at),
        })
      : null,
    assigned: assigned.get(row.id) ?? [],
    additional: row.additional ? true : null,
    revision: row.revision,
  })
}

/** Returns applications as a tool result after a change, in the order of the given numbers. */
export async function describeApplications(ctx: ExhibitorContext, numbers: readonly string[]) {
  const rows: ApplicationRow[] = []
  for (const number of numbers) rows.push(await getApplication(ctx, number))
  const companies = await eventDb(ctx)
    .selectFrom('companies')
    .select(['id', 'name'])
    .where('id', '=', sql<string>`any(${rows.map(({ company_id }) => company_id)})`)
    .execute()
  const names = new Map(companies.map(({ id, name }) => [id, name]))
  const booths = await readApplicationBoothNumbers(ctx, rows)
  const points = new Map([
    ...(await readRankedPriorityPoints(ctx)),
    ...(rows.some(({ is_test_data }) => is_test_data) ? await readRankedPriorityPoints(ctx, true) : []),
  ])
  return { applications: rows.map((row) => toApplicationResult(ctx, row, names.get(row.company_id)!, points.get(row.id)!, booths)) }
}

export const toBoothOrderChangeResult = (ctx: ExhibitorContext, { orderNumber, lines, ...amounts }: BoothOrderChange) => ({
  number: orderNumber,
  lines: lines.map(({ description, quantity, total }) => ({ description, quantity, total: toMoney(total, ctx.event.currency) })),
  ...toOfferPrice(amounts, ctx.event.currency),
})
