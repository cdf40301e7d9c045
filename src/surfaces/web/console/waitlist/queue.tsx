import type { WaitlistedPerson, Waitlist } from '../../../../domains/registration/waitlist/queues.ts'
import { formatInstantWithTimeZone } from '../../../../kernel/language/format.ts'
import { toDayInZone, daysBetween } from '../../../../kernel/time.ts'
import { formatDayOmittingYear, formatShortDeadline } from '../../components/dates.ts'
import { SegmentedBar, formatInteger } from '../../components/figures.tsx'
import { Form } from '../../components/forms.tsx'
import { NumberTile, NumberTileRow } from '../../components/outcome.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { type PaginationLinks, StatusDot, type TableColumn } from '../../components/parts.tsx'
import type { EventPageContext } from '../event/event-page.ts'

const formatDays = (days: number) => (days === 0 ? 'today' : days === 1 ? '1 day' : `${formatInteger(days)} days`)

const waitedDays = (joinedAt: Date, now: Date, timezone: string): number =>
  Math.max(0, daysBetween(toDayInZone(timezone, joinedAt), toDayInZone(timezone, now)))

/** The numbers of seats, people in the queue and open offers of one waiting list. */
export const WaitlistCounts = ({ list, now, timezone }: { list: Waitlist; now: Date; timezone: string }) => {
  const { stock, waiting, offered, heldByOffers, available } = list
  const others = stock ? Math.max(0, stock.held - heldByOffers) : 0
  const parts = [
    available === null ? 'no limit' : `${formatInteger(Math.max(0, available))} free`,
    `${formatInteger(heldByOffers)} held by offers`,
    ...(others > 0 ? [`${formatInteger(others)} held by unfinished registrations`] : []),
  ]
  return (
    <NumberTileRow>
      <NumberTile
        title="Seats"
        number={formatInteger(stock?.sold ?? 0)}
        note={stock?.capacity == null ? 'sold' : `sold of ${formatInteger(stock.capacity)}`}
        bar={
          stock?.capacity == null ? null : (
            <SegmentedBar
              whole={Math.max(stock.capacity, stock.sold + stock.held)}
              parts={[
                { size: stock.sold, tone: 1 },
                { size: stock.held, tone: 2 },
              ]}
            />
          )
        }
        more={parts.join(', ')}
      />
      <NumberTile
        title="Waiting"
        number={formatInteger(waiting)}
        note={list.oldestJoinedAt ? `longest wait ${formatDays(waitedDays(list.oldestJoinedAt, now, timezone))}` : null}
      />
      <NumberTile
        title="Offered"
        number={formatInteger(offered)}
        note={
          list.nextOfferEndsAt
            ? `next answer due ${formatShortDeadline(list.nextOfferEndsAt, timezone)}`
            : list.expiredThisWeek > 0
              ? `${formatInteger(list.expiredThisWeek)} expired this week`
              : null
        }
        more={list.nextOfferEndsAt && list.expiredThisWeek > 0 ? `${formatInteger(list.expiredThisWeek)} expired this week` : null}
      />
    </NumberTileRow>
  )
}

interface Props {
  at: EventPageContext
  now: Date
  /** URL path of the page of this waiting list. */
  here: string
  csrf: string
  hidden: Readonly<Record<string, string>>
  offers: readonly WaitlistedPerson[]
  queue: readonly WaitlistedPerson[]
  /** The number of people in line before the first one of this page. */
  before: number
  total: number
  tags: readonly { code: string; name: string }[]
  mayWrite: boolean
  hasSeats: boolean
  pages: PaginationLinks
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const SUFFIXES: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
const formatRank = (rank: number) => `${formatInteger(rank)}${SUFFIXES[ordinals.select(rank)]}`

interface RowFormProps extends Pick<Props, 'here' | 'csrf' | 'hidden'> {
  action: string
  entry: WaitlistedPerson
  label: string
  about: string
  quiet?: boolean
  disabled?: boolean
}

const RowForm = ({ here, csrf, hidden, action, entry, label, about, quiet, disabled }: RowFormProps) => (
  <Form action={here} csrf={csrf}>
    {Object.entries({ ...hidden, action, entryId: entry.entryId }).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <button type="submit" class={quiet ? 'button quiet small' : 'button small'} disabled={disabled} aria-label={`${label} ${about}`}>
      {label}
    </button>
  </Form>
)

/** The tables of open offers and of people in line. */
export const WaitlistQueueTables = (props: Props) => {
  const { at, now, offers, queue, before, total, mayWrite, hasSeats, tags, pages, ...form } = props
  const zone = at.event.timezone
  const nameOf = (entry: WaitlistedPerson) => entry.name || entry.email || 'No name yet'
  const tagNames = new Map(tags.map(({ code, name }) => [code, name]))
  const person: TableColumn<WaitlistedPerson> = {
    label: 'Name',
    lead: true,
    cell: (entry) => (
      <>
        <a href={`${at.base}/participants/${entry.participantId}`} dir="auto">
          {nameOf(entry)}
        </a>
        {entry.quantity > 1 ? <span class="muted"> {formatInteger(entry.quantity)} seats</span> : null}
        {entry.tags.slice(0, 3).map((code) => (
          <>
            {' '}
            <span class="tag">{tagNames.get(code) ?? code}</span>
          </>
        ))}
      </>
    ),
  }
  const company: TableColumn<WaitlistedPerson> = {
    label: 'Organisation',
    cell: (entry) => (entry.company ? <bdi class="muted">{entry.company}</bdi> : null),
  }
  const rankOf = new Map(queue.map((entry, index) => [entry.entryId, before + index + 1]))
  const offerColumns: TableColumn<WaitlistedPerson>[] = [
    person,
    company,
    {
      label: 'Seat held',
      cell: ({ offeredUntil }) =>
        offeredUntil ? (
          <time datetime={offeredUntil.toISOString()} title={formatInstantWithTimeZone('en-GB', offeredUntil, zone)}>
            until {formatShortDeadline(offeredUntil, zone)}
          </time>
        ) : null,
    },
    { label: 'Status', cell: () => <StatusDot tone="warning">Offered</StatusDot> },
    ...(mayWrite
      ? [
          {
            label: '',
            cell: (entry: WaitlistedPerson) => (
              <div class="actions">
                <RowForm {...form} action="accept" entry={entry} label="Accept" about={`the offer for ${nameOf(entry)}`} />
                <RowForm {...form} action="withdraw" entry={entry} label="Withdraw" about={`the offer to ${nameOf(entry)}`} />
              </div>
            ),
          },
        ]
      : []),
  ]
  const queueColumns: TableColumn<WaitlistedPerson>[] = [
    { label: 'Rank', short: true, wideOnly: true, cell: (entry) => <span class="muted">{formatInteger(rankOf.get(entry.entryId)!)}</span> },
    person,
    company,
    {
      label: 'Joined',
      cell: ({ joinedAt }) => (
        <span class="nowrap">
          <time datetime={joinedAt.toISOString()} title={formatInstantWithTimeZone('en-GB', joinedAt, zone)}>
            {formatDayOmittingYear(toDayInZone(zone, joinedAt), toDayInZone(zone, now))}
          </time>{' '}
          <span class="muted">· {formatDays(waitedDays(joinedAt, now, zone))}</span>
        </span>
      ),
    },
    ...(queue.some(({ card }) => card !== null)
      ? [{ label: 'Saved card', cell: ({ card }: WaitlistedPerson) => <span class="muted">{card ? formatCard(card) : 'no card'}</span> }]
      : []),
    {
      label: 'Status',
      short: true,
      cell: (entry) =>
        entry.charging ? (
          <StatusDot tone="accent">Card is being charged</StatusDot>
        ) : (
          <StatusDot>{`${formatRank(rankOf.get(entry.entryId)!)} in line`}</StatusDot>
        ),
    },
    ...(mayWrite
      ? [
          {
            label: '',
            cell: (entry: WaitlistedPerson) =>
              entry.charging ? null : (
                <div class="actions">
                  <RowForm
                    {...form}
                    action="promote"
                    entry={entry}
                    label="Offer a seat"
                    about={`to ${nameOf(entry)}`}
                    disabled={!hasSeats}
                  />
                  <RowForm {...form} action="remove" entry={entry} label="Remove" about={`${nameOf(entry)} from the waiting list`} quiet />
                </div>
              ),
          },
        ]
      : []),
  ]
  return (
    <>
      {offers.length > 0 ? (
        <ListCard title="Offered, waiting for an answer" caption="Open offers" columns={offerColumns} rows={offers} />
      ) : null}
      <ListCard
        title="In line"
        actions={
          <span class="muted">
            {hasSeats || queue.length === 0
              ? total === 1
                ? '1 person'
                : `${formatInteger(total)} people`
              : 'No free seats, so no offers can be made'}
          </span>
        }
        caption="In line"
        columns={queueColumns}
        rows={queue}
        empty="No one is in line."
        pages={pages}
      />
    </>
  )
}

/** Formats a payment card: "Visa ending 4012". */
function formatCard(card: string): string {
  const [brand = 'card', last4] = card.split(' ')
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)}${last4 ? ` ending ${last4}` : ''}`
}
