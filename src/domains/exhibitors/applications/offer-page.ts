import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { type BoothMeasurementsOnPlan, type BoothPlanPicture, readBoothPlans } from '../booths/booth-plans.ts'
import type { BoothOrderLine } from '../booths/price.ts'
import type { BoothOrderChange } from '../booths/sell.ts'
import { getCompany } from '../companies.ts'
import type { ExhibitorContext } from '../context.ts'
import { acceptLockedApplication, readAcceptedOfferOrder } from './accept.ts'
import { findOfferByToken } from './offer-link.ts'
import { endOffer } from './offers.ts'
import { type ApplicationRow, lockApplication, sumOfferAmounts } from './read.ts'

/** Content of the page of a booth offer. Amounts are in minor units. */
export interface OfferPage {
  state: 'open' | 'accepted' | 'ended'
  number: string
  companyId: string
  company: string
  until: Date
  /** The last day on which the offer could be accepted, for an offer that has ended. */
  endedOn: string | null
  booths: BoothMeasurementsOnPlan[]
  plans: BoothPlanPicture[]
  lines: BoothOrderLine[]
  price: { net: number; tax: number; total: number }
  order: BoothOrderChange | null
}

/** Reads the booth offer that an emailed link opens. */
export async function readOfferPage(ctx: ExhibitorContext, token: string): Promise<OfferPage> {
  const { row, isLatest, until } = await findOfferByToken(ctx, token)
  const company = await getCompany(ctx, row.company_id)
  const now = await getDatabaseTime(ctx)
  const state = isLatest ? stateOf(row, now) : 'ended'
  const shown = state === 'ended' ? { booths: [], plans: [] } : await readBoothPlans(ctx, row.offer_booth_ids)
  return {
    state,
    number: row.number!,
    companyId: company.id,
    company: company.name,
    until,
    endedOn: state === 'ended' ? lastDay(ctx, isLatest ? row : null, until, now) : null,
    ...shown,
    lines: row.offer_lines.flatMap(({ lines }) => lines),
    price: sumOfferAmounts(row),
    order: state === 'accepted' ? await readAcceptedOfferOrder(ctx, { row, company }) : null,
  }
}

function stateOf({ status, offer_until }: ApplicationRow, now: Date): OfferPage['state'] {
  if (status === 'accepted') return 'accepted'
  return status === 'offered' && offer_until! > now ? 'open' : 'ended'
}

/** Returns the last day on which an offer can be accepted. If the offer ends at midnight, this is the day before. */
function lastDay(ctx: ExhibitorContext, row: ApplicationRow | null, until: Date, now: Date): string {
  const ended = row?.offer_ended_at ?? (until < now ? until : now)
  return toDayInZone(ctx.event.timezone, new Date(ended.getTime() - 1))
}

/** Accepts or declines the booth offer that an emailed link opens. Only the first answer has an effect. */
export async function answerOffer(ctx: ExhibitorContext, token: string, answer: 'accept' | 'decline'): Promise<void> {
  const { number, isLatest } = await findOfferByToken(ctx, token)
  const locked = await lockApplication(ctx, number)
  const { row } = locked
  if (!isLatest || row.status !== 'offered') {
    if (isLatest && answer === 'accept' && row.status === 'accepted') return
    throw preconditionFailed('This offer has ended')
  }
  if (answer === 'decline') return endOffer(ctx, row, 'approved', 'The company declined')
  await acceptLockedApplication(ctx, locked)
}
