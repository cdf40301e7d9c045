import { type HotelPickupReport, readHotelPickupReport } from '../../../domains/housing/rooming/pickup.ts'
import { type RoomingListRoom, listRoomsOfRoomingList } from '../../../domains/housing/rooming/rows.ts'
import { findPickupReportDueDay } from '../../../domains/supplier-contracts/milestones.ts'
import { formatDateRange, formatDay, formatInstantWithTimeZone, formatNumber, formatShortDay } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { Checkbox, ErrorSummary, Form, TextArea } from '../components/forms.tsx'
import { Card, Notice, StatusLabel } from '../components/parts.tsx'
import type { FormErrors } from '../fields.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../web.ts'
import { HotelPageLayout, type HotelPageContext, showHotelPage } from './hotel-site.tsx'

const NoShows = ({ at, rooms, csrf, today }: { at: HotelPageContext; rooms: readonly RoomingListRoom[]; csrf: string; today: string }) => {
  const { say, locale } = at.site.words
  const arrived = rooms.filter(({ checkIn }) => checkIn <= today)
  return (
    <Card title={say('hotel.noShows')}>
      {arrived.length === 0 ? (
        <p class="muted">{say('hotel.noShows.none')}</p>
      ) : (
        <Form action={`${at.home}/no-shows`} csrf={csrf} class="stack">
          <p class="muted">{say('hotel.noShows.text')}</p>
          {arrived.map(({ reservationId, guest, ackNumber, checkIn, checkOut, status, confirmationNumber, guarantee }) =>
            status === 'noShow' ? (
              <p>
                <StatusLabel tone="warning">{say('hotel.noShows')}</StatusLabel> {guest}, {ackNumber}
              </p>
            ) : (
              <Checkbox
                name={`gone-${reservationId}`}
                label={`${guest}, ${ackNumber}`}
                help={[formatDateRange(locale, checkIn, checkOut), confirmationNumber, say(`hotel.guarantee.${guarantee}`)]
                  .filter(Boolean)
                  .join(' · ')}
              />
            ),
          )}
          <div class="actions">
            <button type="submit" class="button">
              {say('hotel.noShows.save')}
            </button>
          </div>
        </Form>
      )}
    </Card>
  )
}

interface NightFieldProps {
  name: string
  label: string
  column: string
  value: number | string
  isFixed: boolean
  error?: string | undefined
}

const NightField = ({ name, label, column, value, isFixed, error }: NightFieldProps) => (
  <td data-label={column} class="number">
    {isFixed ? (
      value
    ) : (
      <span>
        <label class="hidden" for={name}>
          {label}
        </label>
        <input
          type="number"
          inputmode="numeric"
          min={0}
          max={10_000}
          id={name}
          name={name}
          value={String(value)}
          aria-invalid={error ? 'true' : undefined}
        />
      </span>
    )}
  </td>
)

interface PickupProps {
  at: HotelPageContext
  pickup: HotelPickupReport
  csrf: string
  sent: Record<string, string>
  formErrors: FormErrors | null
}

const Pickup = ({ at, pickup, csrf, sent, formErrors }: PickupProps) => {
  const { say, locale } = at.site.words
  const number = (value: number) => formatNumber(locale, value)
  const isFixed = pickup.finalAt !== null
  if (pickup.lastNight === null || !pickup.isDue)
    return (
      <Card title={say('hotel.pickup')}>
        <p class="muted">
          {pickup.lastNight === null ? say('hotel.empty') : say('hotel.pickup.early', { day: formatDay(locale, pickup.lastNight) })}
        </p>
      </Card>
    )
  const error = (name: string) => formErrors?.errors?.find(({ path }) => path === name)?.message
  return (
    <Card title={say('hotel.pickup')} pad={false}>
      <Form action={`${at.home}/pickup`} csrf={csrf}>
        <table class="table folds rooming">
          <caption class="hidden">{say('hotel.pickup')}</caption>
          <thead>
            <tr>
              <th scope="col">{say('hotel.pickup.night')}</th>
              {(['contracted', 'ours', 'occupied', 'resold'] as const).map((column) => (
                <th scope="col" class="number">
                  {say(`hotel.pickup.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {pickup.nights.map(({ night, contracted, ours, occupied, resold }) => (
              <tr>
                <th scope="row">{formatShortDay(locale, night)}</th>
                <td data-label={say('hotel.pickup.contracted')} class="number">
                  {number(contracted)}
                </td>
                <td data-label={say('hotel.pickup.ours')} class="number">
                  {number(ours)}
                </td>
                {(
                  [
                    ['occupied', occupied],
                    ['resold', resold],
                  ] as const
                ).map(([kind, value]) => (
                  <NightField
                    name={`${kind}-${night}`}
                    label={`${say(`hotel.pickup.${kind}`)}, ${formatShortDay(locale, night)}`}
                    column={say(`hotel.pickup.${kind}`)}
                    value={sent[`${kind}-${night}`] ?? value}
                    isFixed={isFixed}
                    error={error(`${kind}-${night}`)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {isFixed ? null : (
          <div class="card-body stack">
            <ErrorSummary {...formErrors} />
            <TextArea
              name="reason"
              label={say('hotel.pickup.reason')}
              rows={2}
              value={sent['reason'] ?? pickup.reason}
              {...(error('reason') ? { error: error('reason')! } : {})}
            />
            <Checkbox name="final" label={say('hotel.pickup.final')} help={say('hotel.pickup.finalHelp')} />
            <div class="form-foot">
              <button type="submit" class="button" name="do" value="draft">
                {say('hotel.pickup.draft')}
              </button>
              <button type="submit" class="button primary" name="do" value="send">
                {say('hotel.pickup.send')}
              </button>
            </div>
          </div>
        )}
      </Form>
    </Card>
  )
}

const MESSAGES = { noShows: 'hotel.noShows.saved', draft: 'hotel.pickup.drafted', final: 'hotel.pickup.done' } as const

/**
 * Shows the page that a hotel uses after the event: first the no-shows, because they count as pickup (used rooms), then the final pickup of
 * each night.
 */
export async function showPickupPage(
  web: WebServices,
  c: WebContext,
  at: HotelPageContext,
  { sent = {}, formErrors = null }: { sent?: Record<string, string>; formErrors?: FormErrors | null } = {},
) {
  const { say, locale } = at.site.words
  const pickup = await readHotelPickupReport(at.reading, at.hotel.id)
  const rooms = await listRoomsOfRoomingList(at.reading, at.hotel.id)
  const due = await findPickupReportDueDay(at.reading, at.hotel.id)
  const done = MESSAGES[c.req.query('done') as keyof typeof MESSAGES]
  const csrf = getCsrfToken(web, c)
  const today = toDayInZone(at.site.facts.timezone, at.site.facts.now)
  return showHotelPage(
    web,
    c,
    at,
    { title: `${say('hotel.after')}, ${at.hotel.name}`, status: formErrors ? 400 : 200 },
    <HotelPageLayout
      web={web}
      c={c}
      at={at}
      tab="after"
      badges={
        pickup.finalAt ? (
          <StatusLabel tone="success">
            {`${say('hotel.pickup.done')}, ${formatInstantWithTimeZone(locale, pickup.finalAt, at.site.facts.timezone)}`}
          </StatusLabel>
        ) : null
      }
      lead={
        pickup.lastNight
          ? [
              say('label.value', { label: say('hotel.lastNight'), value: formatDay(locale, pickup.lastNight) }),
              ...(due === null ? [] : [say('label.value', { label: say('hotel.pickup.due'), value: formatDay(locale, due) })]),
            ].join(' · ')
          : say('hotel.empty')
      }
      notice={done ? <Notice tone="success">{say(done, { count: c.req.query('count') ?? '' } as never)}</Notice> : null}
    >
      <div class="stack">
        <NoShows at={at} rooms={rooms} csrf={csrf} today={today} />
        <Pickup at={at} pickup={pickup} csrf={csrf} sent={sent} formErrors={formErrors} />
      </div>
    </HotelPageLayout>,
  )
}
