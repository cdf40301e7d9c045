import { sql } from 'kysely'
import { notFound, preconditionFailed, SerializationConflict } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { CompanyRow } from '../companies.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import type { ExhibitorQueryContext } from '../context.ts'
import { type BoothRow, boothStates } from '../floor/booths.ts'

/**
 * Every change that gives a booth to a company or takes it away locks in this order: companies by id, the floor plans for share (so that
 * neither geometry nor price changes), booths by id, then the purchase order. A change of geometry locks the plan, then booths.
 */

/** Locks companies until the transaction ends. A company's purchase order is created under this lock, so that it gets only one. */
export async function lockCompanies(ctx: ExhibitorQueryContext, ids: readonly string[]): Promise<Map<string, CompanyRow>> {
  const wanted = [...new Set(ids)].toSorted()
  const rows = await eventDb(ctx)
    .selectFrom('companies')
    .selectAll()
    .where('id', '=', sql<string>`any(${wanted})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const missing = wanted.find((id) => !rows.some((row) => row.id === id))
  if (missing !== undefined) throw notFound(`No company ${missing} at this event. Use manage_company action list to find it`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Locks booths by id until the transaction ends, and the geometry of their plans. Returns them in the order of the ids. */
export async function lockBooths(ctx: ExhibitorQueryContext, ids: readonly string[]): Promise<BoothRow[]> {
  await sql`select from floor_plans p where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.id in (
    select b.floor_plan_id from booths b where b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id} and b.id = any(${ids}))
    order by p.id for share`.execute(ctx.db)
  const rows = await eventDb(ctx)
    .selectFrom('booths')
    .selectAll()
    .where('id', '=', sql<string>`any(${ids})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return ids.map((id) => {
    const row = rows.find((one) => one.id === id)
    // A concurrent transaction has deleted the booth.
    if (!row) throw new SerializationConflict('a booth was deleted concurrently')
    return row
  })
}

/** Finds a booth by its number, ignoring case. Booths that are merged into another one are not found. */
export async function getBoothByNumber(ctx: ExhibitorQueryContext, number: string): Promise<BoothRow> {
  return (await getBoothsByNumber(ctx, [number]))[0]!
}

export async function getBoothsByNumber(ctx: ExhibitorQueryContext, numbers: readonly string[]): Promise<BoothRow[]> {
  const wanted = numbers.map((number) => number.toLowerCase())
  const rows = await eventDb(ctx)
    .selectFrom('booths')
    .selectAll()
    .where((eb) => eb(eb.fn<string>('lower', ['number']), '=', sql<string>`any(${wanted})`))
    .where('status', '<>', 'merged')
    .execute()
  const found = new Map(rows.map((row) => [row.number.toLowerCase(), row]))
  for (const [i, number] of wanted.entries()) if (!found.has(number)) throw await unknownBoothError(ctx, numbers[i]!)
  return wanted.map((number) => found.get(number)!)
}

const LISTED_NEIGHBOURS = 3

async function unknownBoothError(ctx: ExhibitorQueryContext, number: string) {
  const rows = await eventDb(ctx).selectFrom('booths').select('number').where('status', '<>', 'merged').execute()
  const near = listNearestBoothNumbers(
    number,
    rows.map((row) => row.number),
  )
  return notFound(`No booth ${number} at this event${near.length > 0 ? `. Nearest numbers: ${near.join(', ')}` : ''}`)
}

/** Lists the booth numbers next to a number in natural order, nearest first. */
export function listNearestBoothNumbers(number: string, known: readonly string[]): string[] {
  const sorted = known.toSorted(compareBoothNumbers)
  const place = sorted.filter((one) => compareBoothNumbers(one, number) < 0).length
  const value = Number.parseInt(number, 10)
  const distance = (one: string, index: number) => {
    const steps = index < place ? place - index : index - place + 1
    const apart = Math.abs(Number.parseInt(one, 10) - value)
    return [Number.isNaN(apart) ? Infinity : apart, steps] as const
  }
  return sorted
    .map((one, index) => ({ one, distance: distance(one, index) }))
    .toSorted((a, b) => compareDistances(a.distance, b.distance))
    .slice(0, LISTED_NEIGHBOURS)
    .map(({ one }) => one)
}

const compareDistances = (a: readonly [number, number], b: readonly [number, number]) => (a[0] === b[0] ? a[1] - b[1] : a[0] - b[0])

/** Throws if the status of the booth does not allow the change. The error names the booth and its status. */
export function requireAllowedBoothStatusChange({ number, status }: BoothRow, to: BoothRow['status'], verb: string): void {
  if (!boothStates.can(status, to)) throw preconditionFailed(`Booth ${number} is ${status} and cannot be ${verb}`)
}
