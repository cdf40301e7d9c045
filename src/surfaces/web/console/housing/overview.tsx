import type { PolicyViolationCode } from '../../../../domains/block-requests/flags.ts'
import { listBlockRequests } from '../../../../domains/block-requests/list.ts'
import { type HotelOverview, type HousingOverview, readHousingOverview } from '../../../../domains/housing/summary/overview.ts'
import { findPeakNight, computePickupPercent, sumRoomNightCounts } from '../../../../domains/housing/summary/figures.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { formatDay, formatShortDay } from '../../../../kernel/language/format.ts'
import { toMoney } from '../../../../kernel/money.ts'
import { toDayInZone, daysBetween } from '../../../../kernel/time.ts'
import { formatDate } from '../../components/dates.ts'
import { formatInteger } from '../../components/figures.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { AssistantPrompt, Card, EmptyState, StatusDot, type TableColumn, type ColourTone } from '../../components/parts.tsx'
import type { WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, getEventPageContext } from '../event/event-page.ts'
import { formatAmountWithCurrency, formatAmountWithoutCurrency } from '../money/amounts.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { OccupancyHeatMap, type OccupancyRow } from './heat-grid.tsx'
import { BookingPaceCard } from './pace-card.tsx'

export const HOUSING_PATH = `${CONSOLE_EVENT_PATH}/housing`

const Figures = ({ housing: { pools, waiting } }: { housing: HousingOverview }) => {
  const totals = sumRoomNightCounts(pools)
  const unnamed = sumRoomNightCounts(pools.filter(({ blockId }) => blockId !== null))
  const figures = [
    ['Picked up', totals.pickup, `of ${formatInteger(totals.contracted)} room nights · ${computePickupPercent(totals) ?? 0}%`],
    ['Free to book', totals.freeSell, `${formatInteger(totals.held)} on hold, ${formatInteger(totals.returned)} returned`],
    ['In blocks, not named', unnamed.contracted - unnamed.pickup - unnamed.held, 'room nights'],
    ['Waiting', waiting, 'people on the waiting lists'],
  ] as const
  return (
    <div class="figures even four">
      {figures.map(([title, value, note], index) => (
        <section aria-labelledby={`figure-${index}`}>
          <h2 id={`figure-${index}`}>{title}</h2>
          <p class="big-number">
            <strong>{formatInteger(value)}</strong>
            <span>{note}</span>
          </p>
        </section>
      ))}
    </div>
  )
}

export const toOccupancyRow = (
  base: string,
  { hotel, contract, pools }: Pick<HotelOverview, 'hotel' | 'contract' | 'pools'>,
): OccupancyRow => ({
  name: hotel.name,
  href: `${base}/housing/${hotel.code}`,
  commitPercent: contract && contract.attrition.method !== 'none' ? (contract.attrition.commitPercent ?? null) : null,
  nights: new Map([...Map.groupBy(pools, ({ night }) => night)].map(([night, of]) => [night, sumRoomNightCounts(of)])),
})

/** A cut-off date at most this many days away is highlighted. */
const SOON_DAYS = 14

/** Describes how far away the cut-off date of a room block is, such as "tomorrow". */
function describeCutoff(day: string, today: string): { when: string; tone: ColourTone | undefined } {
  const left = daysBetween(today, day)
  if (left < 0) return { when: 'passed', tone: undefined }
  const when = left === 0 ? 'today' : left === 1 ? 'tomorrow' : `in ${left} days`
  return { when, tone: left <= SOON_DAYS ? 'warning' : undefined }
}

/** The state of a hotel's contract, in words. */
export const HotelContractStatus = ({ contract }: { contract: { status: string } | null | undefined }) =>
  contract ? (
    <StatusDot tone={contract.status === 'definite' ? 'success' : 'warning'}>
      {contract.status === 'definite' ? 'Signed' : contract.status === 'tentative' ? 'Tentative' : 'Cancelled'}
    </StatusDot>
  ) : (
    <>None</>
  )

const columns = (base: string, today: string, currency: string): TableColumn<HotelOverview>[] => [
  {
    label: 'Hotel',
    lead: true,
    cell: ({ hotel, contract }) => (
      <>
        <a href={`${base}/housing/${hotel.code}`}>{hotel.name}</a>
        {contract?.status === 'definite' ? null : (
          <div>{contract ? <HotelContractStatus contract={contract} /> : <span class="muted">No contract</span>}</div>
        )}
      </>
    ),
  },
  {
    label: 'Cut-off',
    twoLine: 'detail',
    cell: ({ contract }) => {
      if (!contract?.cutoff_on) return ''
      const { when, tone } = describeCutoff(contract.cutoff_on, today)
      return (
        <>
          <StatusDot tone={tone}>{formatDate(contract.cutoff_on)}</StatusDot>
          <div class="muted">{when}</div>
        </>
      )
    },
  },
  {
    label: 'Picked up',
    number: true,
    twoLine: 'figure',
    cell: ({ pools }) => {
      const sum = sumRoomNightCounts(pools)
      return (
        <>
          {`${formatInteger(sum.pickup)} of ${formatInteger(sum.contracted)}`}
          <div class="muted">{`${computePickupPercent(sum) ?? 0}%`}</div>
        </>
      )
    },
  },
  {
    label: `Attrition now, ${currency}`,
    number: true,
    twoLine: 'below',
    cell: ({ attrition }) =>
      attrition.amount === 0 ? (
        ''
      ) : (
        <>
          {formatAmountWithoutCurrency(toMoney(attrition.amount, currency))}
          <span class="narrow-only">{` ${currency} attrition now`}</span>
        </>
      ),
  },
]

interface Decision {
  title: string
  why: string
  ask: string
}

/** Lists the decisions about a hotel that an organizer should make now. */
function listDecisions({ hotel, contract, attrition, pci, pools, waiting }: HotelOverview, today: string, currency: string): Decision[] {
  const left = contract?.cutoff_on ? daysBetween(today, contract.cutoff_on) : null
  return [
    ...(attrition.amount > 0 && left !== null && left >= 0
      ? [
          {
            title: `${hotel.name} is ${formatInteger(attrition.shortRooms)} room nights short`,
            why: `If nothing more is booked, this costs ${formatAmountWithCurrency(toMoney(attrition.amount, currency))}. Cut-off is ${left === 0 ? 'today' : `in ${left} days`}.`,
            ask: `Show me how ${hotel.name} is filling up and what a reduction at the next review date would save.`,
          },
        ]
      : []),
    ...(pci.cardsWaiting > 0
      ? [
          {
            title: `${formatInteger(pci.cardsWaiting)} cards cannot go to ${hotel.name}`,
            why: 'It has no valid card security attestation. Guests present their card at check-in.',
            ask: `Which hotels have no valid PCI attestation, and how many cards are withheld?`,
          },
        ]
      : []),
    ...(waiting > 0 && sumRoomNightCounts(pools).freeSell > 0
      ? [
          {
            title: `${formatInteger(waiting)} people wait for ${hotel.name}`,
            why: `${formatInteger(sumRoomNightCounts(pools).freeSell)} room nights are free there.`,
            ask: `Fill the waiting list of ${hotel.name}. Show me first who would get a room and what would be charged.`,
          },
        ]
      : []),
  ]
}

/** Maximum number of waiting room requests that the page lists; the others are only counted. */
const MAX_REQUESTS = 5

const FLAG_TEXTS: Record<PolicyViolationCode, string> = {
  overHotelCap: 'more rooms in one hotel than the rules allow',
  overBoothRatio: 'more rooms than its booth allows',
  growth: 'far more rooms than last year',
  late: 'submitted after the deadline',
}

type RequestList = Awaited<ReturnType<typeof listBlockRequests>>

/** Reads the room requests that wait for a decision: those without rooms, and those with a requested change that is not decided yet. */
async function readWaitingRequests(ctx: EventContext): Promise<RequestList[]> {
  const filter = { sort: 'priority', limit: MAX_REQUESTS } as const
  return [
    await listBlockRequests(ctx, { ...filter, status: ['submitted'] }),
    await listBlockRequests(ctx, { ...filter, pendingAmendment: true }),
  ]
}

function listRequestDecisions([unanswered, changed]: readonly RequestList[], event: { timezone: string }): Decision[] {
  const named = ({ number, requester }: RequestList['requests'][number]) => ({ name: requester.name, request: `room request ${number}` })
  const asked = (unanswered?.requests ?? []).map((request): Decision => {
    const { number, peak, roomNights, flags, submittedAt } = request
    const { name } = named(request)
    const since = submittedAt ? `, submitted on ${formatDay('en-GB', toDayInZone(event.timezone, new Date(submittedAt)))}` : ''
    return {
      title: `${name} asks for ${formatInteger(roomNights)} room nights`,
      why: [
        `Request ${number}${since}: up to ${formatInteger(peak)} ${peak === 1 ? 'room' : 'rooms'} per night.`,
        ...(flags.length === 0 ? [] : [`Check: ${flags.map((flag) => FLAG_TEXTS[flag]).join(', ')}.`]),
      ].join(' '),
      ask: `Show me what room request ${number} of ${name} needs and what is free. Then allocate the rooms, or close the request with a reason, after I agree.`,
    }
  })
  const changes = (changed?.requests ?? []).map((request): Decision => {
    const { name, request: which } = named(request)
    return {
      title: `${name} wants to change its rooms`,
      why: `The change to ${which} needs your answer.`,
      ask: `Show me the change to ${which} of ${name}. Then approve or deny it after I agree.`,
    }
  })
  const hidden = (unanswered?.totals.requests ?? 0) - asked.length
  return [
    ...asked,
    ...(hidden > 0
      ? [
          {
            title: `${formatInteger(hidden)} more room ${hidden === 1 ? 'request waits' : 'requests wait'}`,
            why: 'Requests with the most priority points come first.',
            ask: 'Allocate the free rooms to all waiting room requests by priority. Show me the result first.',
          },
        ]
      : []),
    ...changes,
  ]
}

const Decisions = ({ decisions }: { decisions: readonly Decision[] }) => (
  <Card title="Needs a decision">
    {decisions.length === 0 ? (
      <p class="muted">Nothing at the moment.</p>
    ) : (
      <ul class="tasks">
        {decisions.map(({ title, why, ask }, index) => (
          <li>
            <h3>{title}</h3>
            <p class="why">{why}</p>
            <AssistantPrompt id={`ask-${index}`} text={ask} introduced={false} />
          </li>
        ))}
      </ul>
    )}
  </Card>
)

/** `…/housing`: how the hotels are filling up, cut-off dates with attrition, and open decisions. */
export function housingPages(web: WebServices) {
  return createConsoleRouter(web).get(HOUSING_PATH, async (c) => {
    const at = await getEventPageContext(web, c, 'housing.read')
    const housing = await readHousingOverview(at.reading)
    const { hotels, pools, today } = housing
    const peak = findPeakNight(pools)
    const decisions = [
      ...listRequestDecisions(await readWaitingRequests(at.reading), at.event),
      ...hotels.flatMap((hotel) => listDecisions(hotel, today, at.event.currency)),
    ]
    const nights = [...new Set(pools.map(({ night }) => night))].sort()
    const content =
      hotels.length === 0 ? (
        <EmptyState title="No hotels yet" ask="Find hotels near the venue and add one with 20 king rooms for the event nights.">
          <p>Hotels are added with their room contracts. Guests can book as soon as the contract is signed and the hotel is open.</p>
        </EmptyState>
      ) : (
        <div class="stack">
          <Figures housing={housing} />
          <div class="grid wide-left">
            <div class="grid">
              <Card title="Pickup by night and hotel">
                <OccupancyHeatMap nights={nights} rows={hotels.map((hotel) => toOccupancyRow(at.base, hotel))} />
              </Card>
              <ListCard
                caption="Hotels by name, with cut-off and attrition"
                title="Cut-off and commitment"
                columns={columns(at.base, today, at.event.currency)}
                rows={hotels}
              />
            </div>
            <div class="grid">
              <Decisions decisions={decisions} />
              <BookingPaceCard housing={housing} />
            </div>
          </div>
        </div>
      )
    const page = renderContentPage(
      {
        title: `Housing of ${at.event.name}`,
        heading: 'Housing',
        text:
          hotels.length === 0
            ? undefined
            : [
                `${formatInteger(hotels.length)} ${hotels.length === 1 ? 'hotel' : 'hotels'}`,
                ...(peak ? [`peak night ${formatShortDay('en-GB', peak)}`] : []),
              ].join(' · '),
        crumbs: [{ href: at.base, label: at.event.name }],
      },
      content,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'housing'), page)
  })
}
