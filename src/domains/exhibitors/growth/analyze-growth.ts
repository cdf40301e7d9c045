import { z } from 'zod'
import { toOneLine, count, money, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { type Money, toMoney } from '../../../kernel/money.ts'
import { paginateList, readValueStoredInCursor } from '../../../kernel/page.ts'
import { addDays, toDayInZone, daysBetween, endOfDay } from '../../../kernel/time.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { readLiveOrTestConfiguration } from '../context.ts'
import { toAreaPercent } from '../floor/plan-figures.ts'
import { TENTHS_OF_MM_PER_METRE, toSquareMetres } from '../floor/plan-shapes.ts'
import { readUnsoldAndRequestedSpace } from './capacity.ts'
import { type ComparedEvent, findComparedEvent, listEarlierEvents, readCurrentEvent } from './compared-event.ts'
import { type ExhibitedSpace, listExhibitedSpace, listExhibitingOrganizationIds } from './exhibited-space.ts'

export const EXHIBITOR_GROWTH_CLASSES = ['new', 'returning', 'grown', 'same', 'shrunk', 'lost'] as const
type GrowthClass = (typeof EXHIBITOR_GROWTH_CLASSES)[number]

const Change = object({ last: z.number(), now: z.number(), change: z.number(), changePercent: z.number().optional() })
const MoneyChange = object({ last: money(), now: money(), change: money().optional(), changePercent: z.number().optional() })
export const GrowthSummary = toOneLine(
  object({ companies: Change, net: Change, revenue: MoneyChange }),
  'companies, net (m2), revenue: last, now, change, changePercent',
)
const ClassFigures = object({ companies: count(), netChange: z.number(), revenueChange: money().optional() })
export const TotalsByGrowthClass = toOneLine(
  object(Object.fromEntries(EXHIBITOR_GROWTH_CLASSES.map((name) => [name, ClassFigures])) as { [K in GrowthClass]: typeof ClassFigures }),
  'new, returning, grown, same, shrunk, lost: companies, netChange, revenueChange',
)
export const OrganizationGrowthShape = object({
  name: untrustedText(),
  class: oneOf(EXHIBITOR_GROWTH_CLASSES),
  last: z.number(),
  now: z.number(),
  change: z.number(),
})
export const RetentionPercentages = toOneLine(object({ companies: z.number(), net: z.number() }), 'companies, net in percent')
export const UnsoldAndRequestedSpace = toOneLine(
  object({ netLeft: z.number(), companiesWaiting: count(), netWanted: z.number() }),
  'netLeft, companiesWaiting, netWanted',
)
export const ComparedEventShape = toOneLine(object({ eventCode: text(), name: text(), startsOn: text() }), 'eventCode, name, startsOn')

interface GrowthRequest {
  compareEventCode?: string | undefined
  asOf: 'days_out' | 'final'
  zoneCode?: string | undefined
  category?: string | undefined
  limit: number
  cursor?: string | undefined
}

interface OrganizationGrowth {
  name: string
  class: GrowthClass
  last: number
  now: number
  revenueChange: number
}

/** Compares the exhibitors of this event and of an earlier one, organization by organization. */
export async function analyzeGrowth(ctx: EventContext, { compareEventCode, asOf, zoneCode, category, ...page }: GrowthRequest) {
  // Validates the cursor first, because a cursor of another list should be reported before any other error.
  readValueStoredInCursor(ctx, page)
  const own = await readCurrentEvent(ctx)
  const compared = await findComparedEvent(ctx, own, compareEventCode)
  const { config } = await readLiveOrTestConfiguration(ctx, false)
  const categories = category === undefined ? undefined : withSubcategories(config, category)
  const now = await getDatabaseTime(ctx)
  const at = asOf === 'final' ? null : sameDaysOut(own, compared, now)
  const filter = { zoneCode, categories }
  const before = await listExhibitedSpace(ctx, compared, { ...filter, at, end: endOfDay(compared.timezone, compared.endsOn) })
  const after = await listExhibitedSpace(ctx, own, { ...filter, at: null, end: endOfDay(own.timezone, own.endsOn) })
  const earlier = await listExhibitingOrganizationIds(
    ctx,
    (await listEarlierEvents(ctx, own, compared)).map(({ id }) => id),
  )
  const grown = [...new Set([...before.keys(), ...after.keys()])].map((id) => compare(before.get(id), after.get(id), earlier.has(id)))
  const capacity = await readUnsoldAndRequestedSpace(ctx, config, filter)
  const currencies = { last: compared.currency, now: own.currency }
  const { items, ...paging } = paginateList(ctx, page, {
    rows: grown.toSorted((a, b) => a.now - a.last - (b.now - b.last) || (a.name < b.name ? -1 : 1)),
    shape: ({ name, class: kind, last, now: current }) => ({
      name,
      class: kind,
      last: toSquareMetres(last),
      now: toSquareMetres(current),
      change: toSquareMetres(current - last),
    }),
    pin: `${compared.id} ${grown.length}`,
    moved: 'the exhibitors have changed since the first page; start again without a cursor',
  })
  return {
    comparedWith: { eventCode: compared.code, name: compared.name, startsOn: compared.startsOn },
    summary: summarize(before, after, currencies),
    classes: classify(grown, currencies),
    retention: measureRetention(before, after),
    organizations: items,
    total: grown.length,
    capacity: {
      netLeft: toSquareMetres(capacity.left),
      companiesWaiting: capacity.companiesWaiting,
      netWanted: toSquareMetres(capacity.wanted),
    },
    ...paging,
  }
}

/** Returns the end of the day that is as many days before the start of the compared event as today is before the start of this event. */
function sameDaysOut(own: ComparedEvent, compared: ComparedEvent, now: Date): Date {
  const days = daysBetween(toDayInZone(own.timezone, now), own.startsOn)
  return endOfDay(compared.timezone, addDays(compared.startsOn, -days))
}

/** Returns the codes of a category and all its subcategories. */
function withSubcategories({ exhibitorConfig: { categories } }: Pick<EventConfig, 'exhibitorConfig'>, code: string): string[] {
  const found = [code]
  for (const one of found)
    found.push(...categories.filter(({ parent, code: own }) => parent === one && !found.includes(own)).map((c) => c.code))
  return found
}

/** Booth areas that differ by less than half a square metre are equal: smaller differences are drawing inaccuracies. */
const SAME_AREA = 0.5 * TENTHS_OF_MM_PER_METRE * TENTHS_OF_MM_PER_METRE

function compare(before: ExhibitedSpace | undefined, after: ExhibitedSpace | undefined, exhibitedEarlier: boolean): OrganizationGrowth {
  const [last, now] = [before?.area ?? 0, after?.area ?? 0]
  const kind = (): GrowthClass => {
    if (!before) return exhibitedEarlier ? 'returning' : 'new'
    if (!after) return 'lost'
    return Math.abs(now - last) <= SAME_AREA ? 'same' : now > last ? 'grown' : 'shrunk'
  }
  return { name: (after ?? before)!.name, class: kind(), last, now, revenueChange: (after?.revenue ?? 0) - (before?.revenue ?? 0) }
}

type Spaces = ReadonlyMap<string, ExhibitedSpace>
interface Currencies {
  last: string
  now: string
}

const sumOf = (spaces: Spaces, value: (space: ExhibitedSpace) => number) => [...spaces.values()].reduce((sum, one) => sum + value(one), 0)

const percentChange = (last: number, now: number) => (last === 0 ? {} : { changePercent: toAreaPercent(now - last, last) })

function summarize(before: Spaces, after: Spaces, currencies: Currencies) {
  const [lastArea, area] = [sumOf(before, (one) => one.area), sumOf(after, (one) => one.area)]
  const [lastRevenue, revenue] = [sumOf(before, (one) => one.revenue), sumOf(after, (one) => one.revenue)]
  const change = toMoneyChange(revenue - lastRevenue, currencies)
  return {
    companies: { last: before.size, now: after.size, change: after.size - before.size, ...percentChange(before.size, after.size) },
    net: {
      last: toSquareMetres(lastArea),
      now: toSquareMetres(area),
      change: toSquareMetres(area - lastArea),
      ...percentChange(lastArea, area),
    },
    revenue: {
      last: toMoney(lastRevenue, currencies.last),
      now: toMoney(revenue, currencies.now),
      ...(change ? { change, ...percentChange(lastRevenue, revenue) } : {}),
    },
  }
}

/** Returns the change of an amount; null if its currencies differ, because such amounts cannot be compared. */
const toMoneyChange = (change: number, { last, now }: Currencies): Money | null => (last === now ? toMoney(change, now) : null)

function classify(grown: readonly OrganizationGrowth[], currencies: Currencies) {
  const figures = EXHIBITOR_GROWTH_CLASSES.map((name) => {
    const members = grown.filter((one) => one.class === name)
    const revenueChange = toMoneyChange(
      members.reduce((sum, one) => sum + one.revenueChange, 0),
      currencies,
    )
    return [
      name,
      {
        companies: members.length,
        netChange: toSquareMetres(members.reduce((sum, one) => sum + one.now - one.last, 0)),
        ...(revenueChange ? { revenueChange } : {}),
      },
    ] as const
  })
  return Object.fromEntries(figures) as Record<GrowthClass, (typeof figures)[number][1]>
}

/**
 * Returns two percentages: how many of the compared event's companies exhibit again, and how much space they have now relative to the space
 * of all companies at the compared event.
 */
function measureRetention(before: Spaces, after: Spaces) {
  const stayed = new Map([...after].filter(([id]) => before.has(id)))
  return {
    companies: toAreaPercent(stayed.size, before.size),
    net: toAreaPercent(
      sumOf(stayed, (one) => one.area),
      sumOf(before, (one) => one.area),
    ),
  }
}
