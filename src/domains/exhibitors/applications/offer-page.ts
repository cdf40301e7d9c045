import { sql } from 'kysely'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { dayIn } from '../../../kernel/time.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { readBoothFigures } from '../booths/plan-cache.ts'
import type { BoothLine } from '../booths/price.ts'
import type { OrderChange } from '../booths/sell.ts'
import { getCompany } from '../companies.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import type { EventScope } from '../context.ts'
import { drawPlan } from '../drawing/drawing.ts'
import { toSvg } from '../../drawing/svg.ts'
import type { BoothFigures } from '../floor/booth-figures.ts'
import { listBooths } from '../floor/booths.ts'
import type { Units } from '../floor/plan-shapes.ts'
import { acceptLocked, readAcceptedOrder } from './accept.ts'
import { findOfferByToken } from './offer-link.ts'
import { endOffer } from './offers.ts'
import { type ApplicationRow, lockApplication, sumOffer } from './read.ts'

export interface OfferedBoothFacts extends BoothFigures {
  number: string
  units: Units
}

/** What the page of an offer shows. Amounts are in minor units. */
export interface OfferPage {
  state: 'open' | 'accepted' | 'ended'
  number: string
  companyId: string
  company: string
  until: Date
  /** The last day of an offer that has ended. */
  endedOn: string | null
  booths: OfferedBoothFacts[]
  plans: { name: string; svg: string }[]
  lines: BoothLine[]
  price: { net: number; tax: number; total: number }
  order: OrderChange | null
}

/** Reads the offer of a signed link. */
export async function readOfferPage(ctx: EventScope, token: string): Promise<OfferPage> {
  const { row, isLatest, until } = await findOfferByToken(ctx, token)
  const company = await getCompany(ctx, row.company_id)
  const now = await getDatabaseTime(ctx)
  const state = isLatest ? stateOf(row, now) : 'ended'
  const shown = state === 'ended' ? { booths: [], plans: [] } : await readOfferedBooths(ctx, row)
  return {
    state,
    number: row.number!,
    companyId: company.id,
    company: company.name,
    until,
    endedOn: state === 'ended' ? lastDay(ctx, isLatest ? row : null, until, now) : null,
    ...shown,
    lines: row.offer_lines.flatMap(({ lines }) => lines),
    price: sumOffer(row),
    order: state === 'accepted' ? await readAcceptedOrder(ctx, { row, company }) : null,
  }
}

function stateOf({ status, offer_until }: ApplicationRow, now: Date): OfferPage['state'] {
  if (status === 'accepted') return 'accepted'
  return status === 'offered' && offer_until! > now ? 'open' : 'ended'
}

/** An offer that ends at midnight ended on the day before. */
function lastDay(ctx: EventScope, row: ApplicationRow | null, until: Date, now: Date): string {
  const ended = row?.offer_ended_at ?? (until < now ? until : now)
  return dayIn(ctx.event.timezone, new Date(ended.getTime() - 1))
}

const PICTURE_PIXELS = 720

/** The offered booths, and the plans that they are on. Names of other companies are not shown. */
async function readOfferedBooths(ctx: EventScope, row: ApplicationRow): Promise<Pick<OfferPage, 'booths' | 'plans'>> {
  const plans = await eventDb(ctx)
    .selectFrom('floor_plans')
    .selectAll()
    .where(sql<boolean>`id in (select b.floor_plan_id from booths b where b.tenant_id = floor_plans.tenant_id and b.event_id = floor_plans.event_id
      and b.id = any(${row.offer_booth_ids}))`)
    .orderBy('id')
    .execute()
  const booths: OfferedBoothFacts[] = []
  const pictures: OfferPage['plans'] = []
  for (const plan of plans) {
    const all = await listBooths(ctx, plan.id)
    const figures = await readBoothFigures(plan, all)
    const isOffered = (id: string) => row.offer_booth_ids.includes(id)
    for (const { id, number } of all) if (isOffered(id)) booths.push({ number, units: plan.units, ...figures.get(id)! })
    const drawing = drawPlan(
      {
        name: plan.name,
        units: plan.units,
        outer: plan.outline.outer,
        holes: plan.outline.holes,
        obstacles: plan.obstacles.filter(({ blocksWalking }) => blocksWalking),
        booths: all.map(({ id, number, polygon, status }) => ({
          number,
          polygon,
          label: null,
          look: isOffered(id) ? 'chosen' : status === 'available' ? 'free' : 'taken',
        })),
        pois: plan.pois,
        route: [],
      },
      PICTURE_PIXELS,
    )
    pictures.push({ name: plan.name, svg: toSvg(drawing) })
  }
  return { booths: booths.toSorted((a, b) => compareBoothNumbers(a.number, b.number)), plans: pictures }
}

/** Accepts or declines the offer of a link. Only the first answer has an effect; later ones find the offer accepted or ended. */
export async function answerOffer(ctx: EventScope, token: string, answer: 'accept' | 'decline'): Promise<void> {
  const { number, isLatest } = await findOfferByToken(ctx, token)
  const locked = await lockApplication(ctx, number)
  const { row } = locked
  if (!isLatest || row.status !== 'offered') {
    if (isLatest && answer === 'accept' && row.status === 'accepted') return
    throw preconditionFailed('This offer has ended')
  }
  if (answer === 'decline') return endOffer(ctx, row, 'approved', 'The company declined')
  await acceptLocked(ctx, locked)
}
