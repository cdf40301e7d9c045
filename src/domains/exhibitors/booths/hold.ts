import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { formatInstant } from '../../../kernel/time.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from '../context.ts'
import { type BoothRow, boothStates } from '../floor/booths.ts'
import { requireCompanyNotCancelled } from './assign.ts'
import { lockBooths, lockCompanies, requireAllowedBoothStatusChange } from './lock.ts'

export interface BoothHold {
  boothIds: readonly string[]
  companyId: string
  until: Date
}

/** Holds available booths for a company. If the company already holds a booth, the end of the hold is changed. */
export async function holdBooths(ctx: ExhibitorContext, { boothIds, companyId, until }: BoothHold): Promise<BoothRow[]> {
  if (until <= (await getDatabaseTime(ctx))) throw invalidArguments([{ path: 'until', message: 'must be in the future' }])
  requireCompanyNotCancelled((await lockCompanies(ctx, [companyId])).get(companyId)!)
  const held: BoothRow[] = []
  for (const booth of await lockBooths(ctx, boothIds)) held.push(await holdBooth(ctx, booth, companyId, until))
  return held
}

async function holdBooth(ctx: ExhibitorContext, booth: BoothRow, companyId: string, until: Date): Promise<BoothRow> {
  if (booth.status === 'held' && booth.held_for !== companyId) throw preconditionFailed(`Booth ${booth.number} is held for another company`)
  if (booth.status !== 'held') {
    requireAllowedBoothStatusChange(booth, 'held', 'held')
    return changeRecordState(ctx, boothStates, booth, 'held', {
      columns: { held_for: companyId, held_until: until },
      audited: { companyId, heldUntil: formatInstant(until) },
    })
  }
  if (booth.held_until!.getTime() === until.getTime()) return booth
  recordChange(ctx, {
    kind: 'booth',
    id: booth.id,
    before: { heldUntil: formatInstant(booth.held_until!) },
    after: { heldUntil: formatInstant(until) },
  })
  return eventDb(ctx).updateTable('booths').set({ held_until: until }).where('id', '=', booth.id).returningAll().executeTakeFirstOrThrow()
}

/**
 * Ends the holds of booths. Before the call, the caller has locked the company for which they are held. The caller also ends the offer that
 * holds them.
 */
export async function releaseBooths(ctx: ExhibitorContext, boothIds: readonly string[]): Promise<BoothRow[]> {
  const released: BoothRow[] = []
  for (const booth of await lockBooths(ctx, boothIds)) {
    if (booth.status !== 'held') throw preconditionFailed(`Booth ${booth.number} is ${booth.status} and cannot be released`)
    released.push(
      await changeRecordState(ctx, boothStates, booth, 'available', {
        columns: { held_for: null, held_until: null },
        audited: { heldFor: null, heldUntil: null },
      }),
    )
  }
  return released
}

/** Lists the ids of booths that are held for a company; with `expired` only those whose hold has expired. */
export async function listHeldBoothIds(
  ctx: ExhibitorQueryContext,
  companyId: string,
  { expired = false }: { expired?: boolean } = {},
): Promise<string[]> {
  let rows = eventDb(ctx).selectFrom('booths').select('id').where('held_for', '=', companyId).where('status', '=', 'held').orderBy('id')
  if (expired) rows = rows.where('held_until', '<=', sql<Date>`lanyard_now()`)
  return (await rows.execute()).map(({ id }) => id)
}
