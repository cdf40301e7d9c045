import { findRoomingListDifferences, type RoomingListDifferences } from '../../../domains/housing/rooming/differences.ts'
import { listRoomingListVersions, type RoomingListVersion } from '../../../domains/housing/rooming/files.ts'
import { readReturnedRoomNights } from '../../../domains/housing/rooming/pickup.ts'
import { readCancelledConfirmationNumbers, type SavedConfirmationNumbers } from '../../../domains/housing/rooming/reports.ts'
import {
  findLatestRoomingList,
  type RoomingListRoom,
  listRoomsOfRoomingList,
  readPreviousRoomingListRows,
} from '../../../domains/housing/rooming/rows.ts'
import { listHotelPciStatuses } from '../../../domains/housing/pci/status.ts'
import { findPickupReportDueDay } from '../../../domains/supplier-contracts/milestones.ts'
import { formatDateRange, formatInstantWithTimeZone, formatNumber } from '../../../kernel/language/format.ts'
import { daysBetween } from '../../../kernel/time.ts'
import { Form } from '../components/forms.tsx'
import { Card, Notice, StatusLabel } from '../components/parts.tsx'
import type { FormErrors } from '../fields.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../web.ts'
import { PciAttestationCard, ContractDates } from './side-cards.tsx'
import { HotelPageLayout, type HotelPageContext, showHotelPage } from './hotel-site.tsx'

type List = Awaited<ReturnType<typeof findLatestRoomingList>>

interface ListView {
  at: HotelPageContext
  rooms: RoomingListRoom[]
  list: List
  /** The changes of the latest rooming list, compared with the list that was sent before. */
  differences: RoomingListDifferences
  /** The hotel's confirmation numbers of cancelled rooms, by reservation id. */
  numbers: ReadonlyMap<string, string>
  failed: SavedConfirmationNumbers | null
}

const isOpen = ({ confirmationNumber, status }: RoomingListRoom) => confirmationNumber === null && status === 'confirmed'

const Figures = ({ view: { at, rooms, list } }: { view: ListView }) => {
  const { say, locale } = at.site.words
  const number = (value: number) => formatNumber(locale, value)
  const nights = rooms.reduce((sum, { checkIn, checkOut }) => sum + daysBetween(checkIn, checkOut), 0)
  const open = rooms.filter(isOpen).length
  return (
    <dl class="quick">
      <div>
        <dt>{say('hotel.rooms')}</dt>
        <dd>
          {number(rooms.length)}
          <small>{say('hotel.roomNights', { count: number(nights) })}</small>
        </dd>
      </div>
      <div>
        <dt>{say('hotel.confirmed')}</dt>
        <dd>
          {say('hotel.of', { done: number(rooms.length - open), all: number(rooms.length) })}
          <small>{say('hotel.open', { count: number(open) })}</small>
        </dd>
      </div>
      {list && list.version > 1 ? (
        <div>
          <dt>{say('hotel.since', { version: list.version - 1 })}</dt>
          <dd>
            {say('hotel.newAndChanged', { added: number(list.added), changed: number(list.changed) })}
            <small>{say('hotel.cancelledCount', { count: number(list.cancelled) })}</small>
          </dd>
        </div>
      ) : null}
    </dl>
  )
}

const RoomRow = ({ view: { at, differences, failed }, room }: { view: ListView; room: RoomingListRoom }) => {
  const { say, locale } = at.site.words
  const change = differences.changes.get(room.reservationId)
  const error = failed?.errors.find(({ reservationId }) => reservationId === room.reservationId)
  // A refused confirmation number stays in its field, unless another user has saved a number meanwhile, which is shown instead.
  const number = error && error.reason !== 'changed' ? error.number : room.confirmationNumber
  const id = `n-${room.reservationId}`
  return (
    <tr>
      <th scope="row">
        {room.guest}
        <span class="two">{[room.ackNumber, say('hotel.people', { count: room.occupants }), ...room.sharers].join(' · ')}</span>
        {change ? <StatusLabel tone="accent">{say(`hotel.change.${change}`)}</StatusLabel> : null}
      </th>
      <td data-label={say('hotel.stay')}>
        <span>
          {formatDateRange(locale, room.checkIn, room.checkOut)}
          <span class="two">{say('hotel.nights', { count: daysBetween(room.checkIn, room.checkOut) })}</span>
        </span>
      </td>
      <td data-label={say('hotel.room')}>
        <span>
          {[room.roomType, room.bedType].filter(Boolean).join(', ')}
          <span class="two">{say(`hotel.guarantee.${room.guarantee}`)}</span>
          {room.requests ? <span class="two">{room.requests}</span> : null}
        </span>
      </td>
      <td data-label={say('hotel.number')}>
        <span>
          <label class="hidden" for={id}>
            {say('hotel.numberFor', { guest: room.guest })}
          </label>
          <input
            type="text"
            id={id}
            name={id}
            value={number ?? ''}
            autocomplete="off"
            maxlength={40}
            aria-invalid={error ? 'true' : undefined}
            aria-describedby={error ? `${id}-error` : undefined}
          />
          <input type="hidden" name={`was-${room.reservationId}`} value={room.confirmationNumber ?? ''} />
          {error ? (
            <span class="error" id={`${id}-error`}>
              {say(`hotel.error.${error.reason}`)}
            </span>
          ) : null}
        </span>
      </td>
    </tr>
  )
}

const Guests = ({ view, csrf, onlyOpen }: { view: ListView; csrf: string; onlyOpen: boolean }) => {
  const { at, rooms } = view
  const { say } = at.site.words
  const open = rooms.filter(isOpen)
  // Rooms without a confirmation number come first, so that a long list starts with the open work.
  const shown = onlyOpen ? open : [...open, ...rooms.filter((room) => !isOpen(room))]
  if (rooms.length === 0)
    return (
      <Card title={say('hotel.guests')}>
        <p class="muted">{say('hotel.empty')}</p>
      </Card>
    )
  return (
    <Card
      title={say('hotel.guests')}
      pad={false}
      actions={
        <div class="row">
          <a class="button small" href={`${at.home}/rooming-list.xlsx`}>
            Excel
          </a>
          <a class="button small" href={`${at.home}/rooming-list.csv`}>
            CSV
          </a>
        </div>
      }
    >
      <Form action={at.home} csrf={csrf}>
        <table class="table folds rooming">
          <caption class="hidden">{say('hotel.list')}</caption>
          <thead>
            <tr>
              {(['hotel.guest', 'hotel.stay', 'hotel.room', 'hotel.number'] as const).map((label) => (
                <th scope="col">{say(label)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((room) => (
              <RoomRow view={view} room={room} />
            ))}
          </tbody>
        </table>
        <div class="card-body form-foot">
          <p class="small">
            {onlyOpen ? (
              <a class="tap" href={at.home}>
                {say('hotel.all')}
              </a>
            ) : (
              <a class="tap" href={`${at.home}?show=open`}>
                {say('hotel.onlyOpen', { count: open.length })}
              </a>
            )}
          </p>
          <button type="submit" class="button primary">
            {say('hotel.save')}
          </button>
        </div>
      </Form>
    </Card>
  )
}

const Cancelled = ({ view: { at, list, differences, numbers } }: { view: ListView }) => {
  const { say, locale } = at.site.words
  if (!list || differences.cancelled.length === 0) return null
  return (
    <Card title={say('hotel.cancelledSince', { version: list.version - 1 })}>
      <ul class="stack">
        {differences.cancelled.map((room) => {
          const number = numbers.get(room.reservationId) ?? room.confirmationNumber
          const facts = [room.ackNumber, formatDateRange(locale, room.checkIn, room.checkOut), number && `${say('hotel.number')} ${number}`]
          return (
            <li>
              <strong>{room.guest}</strong>, {facts.filter(Boolean).join(', ')}. <span class="muted">{say('hotel.cancelAdvice')}</span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

const VersionFiles = ({ at, version: { version, createdAt, fileIds } }: { at: HotelPageContext; version: RoomingListVersion }) => {
  const { say, locale } = at.site.words
  return (
    <li>
      {say('hotel.version', { version })}
      <p class="small muted">{say('hotel.sent', { moment: formatInstantWithTimeZone(locale, createdAt, at.site.facts.timezone) })}</p>
      {fileIds === null ? null : (
        <div class="row">
          {(['xlsx', 'csv'] as const).map((format) => (
            <a
              class="tap"
              href={`${at.home}/lists/${version}.${format}`}
              aria-label={`${format === 'xlsx' ? 'Excel' : 'CSV'}, ${say('hotel.version', { version })}`}
            >
              {format === 'xlsx' ? 'Excel' : 'CSV'}
            </a>
          ))}
        </div>
      )}
    </li>
  )
}

/** The rooming lists as they were sent. The latest is expanded; earlier ones matter only for comparisons. */
const Versions = ({ at, versions }: { at: HotelPageContext; versions: readonly RoomingListVersion[] }) => {
  const { say } = at.site.words
  const [latest, ...earlier] = versions
  if (!latest) return null
  return (
    <Card title={say('hotel.sentLists')}>
      <div class="stack">
        <ul class="stack">
          <VersionFiles at={at} version={latest} />
        </ul>
        {earlier.length === 0 ? null : (
          <details>
            <summary>{say('hotel.earlierLists', { count: earlier.length })}</summary>
            <ul class="stack">
              {earlier.map((version) => (
                <VersionFiles at={at} version={version} />
              ))}
            </ul>
          </details>
        )}
      </div>
    </Card>
  )
}

const NotSaved = ({ at, failed }: { at: HotelPageContext; failed: SavedConfirmationNumbers }) => {
  const { say } = at.site.words
  return (
    <Notice tone="danger">
      <h2>{say('hotel.notSaved', { count: failed.errors.length })}</h2>
      {failed.saved > 0 ? <p>{say('hotel.othersSaved')}</p> : null}
      <ul>
        {failed.errors.map(({ reservationId, guest }) => (
          <li>
            <a href={`#n-${reservationId}`}>{say('hotel.check', { guest })}</a>
          </li>
        ))}
      </ul>
    </Notice>
  )
}

const MESSAGES = { numbers: 'hotel.saved', attestation: 'hotel.cards.uploaded', link: 'hotel.linkSent' } as const

/** The first page of a hotel: the rooming list with fields for confirmation numbers, payment card security and contract dates. */
export async function showRoomingListPage(
  web: WebServices,
  c: WebContext,
  at: HotelPageContext,
  { failed = null, cardErrors = null }: { failed?: SavedConfirmationNumbers | null; cardErrors?: FormErrors | null } = {},
) {
  const { say, locale } = at.site.words
  const rooms = await listRoomsOfRoomingList(at.reading, at.hotel.id)
  const list = await findLatestRoomingList(at.reading, at.hotel.id)
  const differences = list
    ? findRoomingListDifferences(await readPreviousRoomingListRows(at.reading, list), list.version === 1 ? [] : list.rows)
    : { changes: new Map(), cancelled: [] }
  const cancelledIds = differences.cancelled.map(({ reservationId }) => reservationId)
  const numbers = await readCancelledConfirmationNumbers(at.reading, at.hotel.id, cancelledIds)
  const view: ListView = { at, rooms, list, differences, numbers, failed }
  const [pci] = await listHotelPciStatuses(at.reading, [at.hotel.id])
  const returned = {
    ...(await readReturnedRoomNights(at.reading, at.hotel.id)),
    pickupDue: await findPickupReportDueDay(at.reading, at.hotel.id),
  }
  const done = MESSAGES[c.req.query('done') as keyof typeof MESSAGES]
  const csrf = getCsrfToken(web, c)
  const badges = list ? (
    <>
      <StatusLabel tone="accent">{say('hotel.version', { version: list.version })}</StatusLabel>
      <StatusLabel>{say('hotel.sent', { moment: formatInstantWithTimeZone(locale, list.created_at, at.site.facts.timezone) })}</StatusLabel>
    </>
  ) : (
    <StatusLabel>{say('hotel.noList')}</StatusLabel>
  )
  const notice = failed ? (
    <NotSaved at={at} failed={failed} />
  ) : done ? (
    <Notice tone="success">{say(done, { count: c.req.query('count') ?? '' } as never)}</Notice>
  ) : null
  return showHotelPage(
    web,
    c,
    at,
    { title: `${say('hotel.list')}, ${at.hotel.name}`, status: failed || cardErrors ? 400 : 200 },
    <HotelPageLayout web={web} c={c} at={at} tab="list" badges={badges} lead={say('hotel.lead')} notice={notice}>
      <Figures view={view} />
      <div class="mine-grid">
        <div>
          <Guests view={view} csrf={csrf} onlyOpen={c.req.query('show') === 'open'} />
          <Cancelled view={view} />
        </div>
        <div>
          <Versions at={at} versions={await listRoomingListVersions(at.reading, at.hotel.id)} />
          <PciAttestationCard at={at} pci={pci!} csrf={csrf} formErrors={cardErrors} />
          <ContractDates at={at} returned={returned} />
        </div>
      </div>
    </HotelPageLayout>,
  )
}
