import type { Child } from 'hono/jsx'
import { getPeakRooms, sumRooms } from '../../../domains/block-requests/requests.ts'
import { formatList, formatNumber, formatShortDay } from '../../../kernel/language/format.ts'
import { Form } from '../components/forms.tsx'
import { Card, DescriptionList } from '../components/parts.tsx'
import { formToBlockRequest } from './form-values.ts'
import { describeHotel, LargeRequestNotice, RequestSummaryAside, type RequestFormView } from './request-form.tsx'
import { RequestStepHeader } from './steps.tsx'

const Rooms = ({ view: { site, form, usual }, back }: { view: RequestFormView; back: string }) => {
  const { say, locale } = site.words
  const { profile } = formToBlockRequest(form)
  const peak = getPeakRooms(profile)
  return (
    <Card
      title={say('blockRequest.byNight')}
      actions={
        <a class="tap" href={`${back}#w-nights`}>
          {say('blockRequest.edit')}
          <span class="hidden"> {say('blockRequest.byNight')}</span>
        </a>
      }
    >
      <div class="stack">
        <dl class="lines">
          {profile.map(({ night, rooms }) => (
            <div>
              <dt>{formatShortDay(locale, night)}</dt>
              <dd>{formatNumber(locale, rooms)}</dd>
            </div>
          ))}
          <div class="total">
            <dt>{say('blockRequest.roomNights')}</dt>
            <dd>{formatNumber(locale, sumRooms(profile))}</dd>
          </div>
        </dl>
        <LargeRequestNotice site={site} peak={peak} usual={usual} />
      </div>
    </Card>
  )
}

const Wishes = ({ view: { site, form, choices, requester }, back }: { view: RequestFormView; back: string }) => {
  const { say, locale } = site.words
  const hotels = form.hotelPreferences.flatMap((id) => choices.hotels.find((hotel) => hotel.id === id) ?? [])
  const types = choices.roomTypes.filter(({ code }) => form.roomTypes.includes(code)).map(({ name }) => name)
  const rows: [string, Child][] = [
    [
      say('blockRequest.hotels'),
      hotels.length === 0 ? (
        say('blockRequest.anyHotel')
      ) : (
        <ol>
          {hotels.map((hotel) => (
            <li>
              {hotel.name} <span class="muted small">{describeHotel(site, hotel)}</span>
            </li>
          ))}
        </ol>
      ),
    ],
    ...(types.length === 0 ? [] : ([[say('blockRequest.types'), formatList(locale, types)]] as [string, Child][])),
    [say('blockRequest.together'), say(form.keepTogether ? 'yes' : 'no')],
    [
      say('blockRequest.pays'),
      form.paymentBy === 'master' ? say('blockRequest.masterPays', { requester: requester.name }) : say('blockRequest.guestPays'),
    ],
    ...(form.note ? ([[say('blockRequest.note'), <span class="pre">{form.note}</span>]] as [string, Child][]) : []),
  ]
  return (
    <Card
      title={say('blockRequest.wishes')}
      actions={
        <a class="tap" href={`${back}#w-hotels`}>
          {say('blockRequest.edit')}
          <span class="hidden"> {say('blockRequest.wishes')}</span>
        </a>
      }
    >
      <DescriptionList rows={rows} />
    </Card>
  )
}

/** The second step of a room request: a summary of everything that was entered, and the button that sends the request. */
export const RoomRequestSummaryPage = ({ view, back }: { view: RequestFormView; back: string }) => {
  const { site, requester, form, csrf } = view
  const { say, locale } = site.words
  const { profile } = formToBlockRequest(form)
  return (
    <div class="checkout two">
      <RequestStepHeader site={site} step={2} title={say('blockRequest.checkTitle')} back={back}>
        <p class="lead">{say('blockRequest.checkText', { requester: requester.name })}</p>
      </RequestStepHeader>
      <div class="checkout-main">
        <Rooms view={view} back={back} />
        <Wishes view={view} back={back} />
      </div>
      <RequestSummaryAside view={view} now="send" />
      <Form action={site.paths.blockRequests} csrf={csrf} class="bar">
        <input type="hidden" name="for" value={requester.key} />
        <p class="sum">
          <span>{say('blockRequest.nightsCount', { count: formatNumber(locale, sumRooms(profile)) })}</span>{' '}
          <span>{say('blockRequest.nothingToPay')}</span>
        </p>
        <button type="submit" class="button primary large" name="do" value="send">
          {say('blockRequest.send')}
        </button>
        <a class="button quiet back" href={back}>
          {say('register.back')}
        </a>
      </Form>
    </div>
  )
}
