import { sql } from 'kysely'
import type { RecurringTask } from '../../../kernel/recurring.ts'
import type { ExhibitorContext } from '../context.ts'
import { listHeldBoothIds, releaseBooths } from './hold.ts'
import { lockCompanies } from './lock.ts'

const MAX_COMPANIES_PER_RUN = 500

/** Ends the expired booth offers of a company whose row is locked, and releases their booths, before its other expired holds. */
export type EndExpiredOffersFunction = (ctx: ExhibitorContext, companyId: string) => Promise<void>

/** Releases the expired holds of one company, after its expired offers have ended. */
export async function releaseExpiredHoldsOfCompany(
  ctx: ExhibitorContext,
  companyId: string,
  endExpiredOffers: EndExpiredOffersFunction,
): Promise<void> {
  await lockCompanies(ctx, [companyId])
  await endExpiredOffers(ctx, companyId)
  const expired = await listHeldBoothIds(ctx, companyId, { expired: true })
  if (expired.length > 0) await releaseBooths(ctx, expired)
}

/** Creates the recurring job that releases expired holds every minute, with one transaction per company. */
export const createReleaseExpiredHoldsTask = (endExpiredOffers: EndExpiredOffersFunction): RecurringTask => ({
  name: 'boothHolds',
  schedule: { everySeconds: 60 },
  async run({ transact, commitEach }) {
    const overdue = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string; companyId: string }>`
        select tenant_id as "tenantId", event_id as "eventId", held_for as "companyId" from booths
        where status = 'held' and held_until <= lanyard_now()
        group by 1, 2, 3 order by min(held_until), 3 limit ${MAX_COMPANIES_PER_RUN}`.execute(db)
      return rows
    })
    await commitEach(overdue, (ctx, { companyId }) => releaseExpiredHoldsOfCompany(ctx, companyId, endExpiredOffers))
  },
})
