import { type AlternativeHotel, MAX_ALTERNATIVE_HOTELS } from '../../../domains/housing/waitlist-alternatives.ts'
import type { ParticipantRooms, ParticipantStay } from '../../../domains/housing/own-rooms.ts'
import type { OpenRoomOffer } from '../../../domains/housing/room-offers.ts'
import { formatDateRange, formatList, formatInstantWithTimeZone, formatWeekdayRange } from '../../../kernel/language/format.ts'
import { daysBetween } from '../../../kernel/time.ts'
import { FormActions, Button, Checkbox, Form, LinkButton } from '../components/forms.tsx'
import { StatusLabel, Card, DescriptionList, Notice } from '../components/parts.tsx'
import { MainColumn } from '../event/event-layout.tsx'
import type { EventSite } from '../event/event-site.ts'
import { formatMinorAmount } from '../register/view.ts'
import type { OwnRegistrationAccess } from './own-access.tsx'

interface Shown {
  own: OwnRegistrationAccess
  csrf: string
  takesCards: boolean
}

/** Booked rooms, shared rooms and waiting list entries, with their actions. */
export function BookedRoomCards({
  own,
  rooms,
  offers,
  csrf,
  takesCards,
  hotels,
  wrong,
}: Shown & { rooms: ParticipantRooms; hotels: readonly AlternativeHotel[]; offers: readonly OpenRoomOffer[]; wrong?: string | undefined }) {
  const { site } = own
  const { say } = site.words
  const { stays, bed } = rooms
  const waits = rooms.waits.filter(({ status }) => status === 'waiting')
  return (
    <MainColumn title={say('stay.title')} formErrors={wrong ? { message: wrong } : null}>
      {offers.map((offer) => (
        <Offer own={own} offer={offer} csrf={csrf} />
      ))}
      {stays.map((stay) => (
        <Stay own={own} stay={stay} csrf={csrf} takesCards={takesCards} />
      ))}
      {bed ? (
        <Card>
          <p>
            {bed.isGiven ? say('stay.shareConfirmed', { name: bed.holder ?? bed.named }) : say('stay.shareRequested', { name: bed.named })}
          </p>
        </Card>
      ) : null}
      {waits.length > 0 ? (
        <Card title={say('room.onWaitlist')}>
          <div class="stack">
            {waits.map((spot) => (
              <WaitlistEntry own={own} spot={spot} hotels={hotels} csrf={csrf} />
            ))}
            <Form action={site.paths.housing} csrf={csrf}>
              <Button name="do" value="leave">
                {say('stay.leaveWaitlist')}
              </Button>
            </Form>
          </div>
        </Card>
      ) : null}
      {stays.length === 0 && offers.length === 0 && !bed ? (
        <>
          <p class="lead">{say('stay.none')}</p>
          <ChangeRoomLink own={own} words="stay.choose" />
        </>
      ) : null}
    </MainColumn>
  )
}

interface WaitlistEntryProps {
  own: OwnRegistrationAccess
  spot: ParticipantRooms['waits'][number]
  hotels: readonly AlternativeHotel[]
  csrf: string
}

/** A waiting list entry, with the form that chooses other hotels for the same dates. */
function WaitlistEntry({ own: { site }, spot, hotels, csrf }: WaitlistEntryProps) {
  const { say, locale } = site.words
  const { entryId, hotelId, hotel, alternatives, checkIn, checkOut, rank } = spot
  const others = hotels.filter(({ id }) => id !== hotelId)
  return (
    <>
      <p>{say('stay.waiting', { hotel: hotel ?? say('stay.anyHotel'), days: formatDateRange(locale, checkIn, checkOut), rank })}</p>
      {others.length === 0 ? null : (
        <details>
          <summary>{say('stay.also')}</summary>
          <Form action={site.paths.housing} csrf={csrf} class="stack">
            <p>{say('stay.alsoHelp', { limit: MAX_ALTERNATIVE_HOTELS })}</p>
            <Checkbox id={`any-${entryId}`} name="any" label={say('stay.anyHotel')} checked={hotelId === null} />
            {others.map(({ id, name }) => (
              <Checkbox
                id={`also-${entryId}-${id}`}
                name="also"
                value={id}
                label={name}
                checked={alternatives.some((one) => one.hotelId === id)}
              />
            ))}
            <div>
              <Button name="do" value={`also:${entryId}`}>
                {say('stay.alsoSave')}
              </Button>
            </div>
          </Form>
        </details>
      )}
    </>
  )
}

/** An offered room with its price and the deadline to accept. */
function Offer({ own: { site }, offer, csrf }: { own: OwnRegistrationAccess; offer: OpenRoomOffer; csrf: string }) {
  const { say, locale } = site.words
  const moment = formatInstantWithTimeZone(locale, offer.until, site.facts.timezone)
  return (
    <Card title={say('stay.offer')} actions={<StatusLabel tone="warning">{say('stay.offerUntil', { moment })}</StatusLabel>}>
      <div class="stack">
        <DescriptionList
          rows={[
            [say('room.title'), say('room.stay', { hotel: offer.hotel, room: offer.roomType })],
            [say('room.total'), formatDateRange(locale, offer.checkIn, offer.checkOut)],
            [say('stay.cost'), formatMinorAmount(site, offer.total)],
            ...(offer.deposit === null ? [] : [[say('stay.offerDeposit'), formatMinorAmount(site, offer.deposit)] as [string, string]]),
          ]}
        />
        {offer.replaces === null ? null : <p>{say('stay.offerReplaces', { hotel: offer.replaces })}</p>}
        <Form action={site.paths.housing} csrf={csrf}>
          <FormActions>
            <Button tone="primary" name="do" value={`take:${offer.entryId}`}>
              {say('stay.offerAccept')}
            </Button>
            <Button name="do" value={`refuse:${offer.entryId}`}>
              {say('stay.offerDecline')}
            </Button>
          </FormActions>
        </Form>
      </div>
    </Card>
  )
}

/** The link to change the room. Rooms are chosen and changed on the flow page with the housing widget. */
function ChangeRoomLink({ own: { site, row }, words }: { own: OwnRegistrationAccess; words: 'stay.choose' | 'stay.change' }) {
  const flow = site.config.flows.find(({ slug }) => slug === row.flow_slug)
  const page = flow?.pages.find(({ widgets }) => widgets.some(({ type }) => type === 'housing'))
  return page && row.status === 'complete' ? <LinkButton href={site.paths.edit(page.code)}>{site.words.say(words)}</LinkButton> : null
}

type StayFacts = Pick<ParticipantStay, 'hotel' | 'roomType' | 'checkIn' | 'checkOut' | 'number'>

/** Lists hotel, nights and number of a booked room, with their labels. */
export const listBookedRoomDetails = (site: EventSite, stay: StayFacts): [string, string][] => [
  [site.words.say('housing.hotelId'), site.words.say('room.stay', { hotel: stay.hotel, room: stay.roomType })],
  ...listStayFacts(site, stay),
]

function listStayFacts({ words: { say, locale } }: EventSite, { checkIn, checkOut, number }: StayFacts): [string, string][] {
  const nights = say('room.nights', { count: daysBetween(checkIn, checkOut) }).replaceAll(' ', '\u00a0')
  return [
    [say('stay.dates'), `${formatWeekdayRange(locale, checkIn, checkOut)} · ${nights}`],
    ...(number === null ? [] : [[say('myRegistration.number'), number] as [string, string]]),
  ]
}

/** The postal address of a hotel in one line; empty if it is unknown. */
const formatHotelAddress = ({ address: { street, postalCode, city } }: ParticipantStay): string =>
  [street, [postalCode, city].filter(Boolean).join(' ')].filter(Boolean).join(', ')

function Stay({ own, stay, csrf, takesCards }: Shown & { stay: ParticipantStay }) {
  const { site } = own
  const { say, locale } = site.words
  const { guarantee } = stay
  const address = formatHotelAddress(stay)
  return (
    <Card
      title={say('room.stay', { hotel: stay.hotel, room: stay.roomType })}
      actions={guarantee.status === 'secured' ? <StatusLabel tone="success">{say('stay.secured')}</StatusLabel> : undefined}
    >
      <div class="stack">
        <DescriptionList
          rows={[
            ...(address === '' ? [] : [[say('stay.address'), address] as [string, string]]),
            ...listStayFacts(site, stay),
            [say('stay.guests'), formatList(locale, stay.guests)],
            [say('stay.cost'), formatMinorAmount(site, stay.total)],
          ]}
        />
        <Guarantee own={own} stay={stay} csrf={csrf} takesCards={takesCards} />
        {stay.asking.map(({ shareId, name }) => (
          <Notice>
            <div class="stack">
              <strong>{say('stay.shareRequest', { name })}</strong>
              <span>{say('stay.shareRequestText')}</span>
              <Form action={site.paths.housing} csrf={csrf}>
                <FormActions>
                  <Button tone="primary" name="do" value={`accept:${shareId}`}>
                    {say('stay.accept')}
                  </Button>
                  <Button name="do" value={`decline:${shareId}`}>
                    {say('stay.decline')}
                  </Button>
                </FormActions>
              </Form>
            </div>
          </Notice>
        ))}
        <FormActions>
          <ChangeRoomLink own={own} words="stay.change" />
          <LinkButton href={`${site.paths.housing}/${stay.reservationId}/cancel`}>{say('stay.cancel')}</LinkButton>
        </FormActions>
      </div>
    </Card>
  )
}

/** The payment card or deposit that is still missing to secure the hotel room. */
function Guarantee({ own: { site }, stay: { guarantee }, csrf, takesCards }: Shown & { stay: ParticipantStay }) {
  const { say, locale } = site.words
  if (guarantee.status !== 'pending' || guarantee.dueAt === null) return null
  const moment = formatInstantWithTimeZone(locale, guarantee.dueAt, site.facts.timezone)
  if (guarantee.kind === 'deposit')
    return (
      <Notice tone="warning">
        {say('stay.depositNeeded', { moment })} <a href={site.paths.pay}>{say('pay.title')}</a>
      </Notice>
    )
  return (
    <Notice tone="warning">
      <div class="stack">
        <span>{say('stay.cardNeeded', { moment })}</span>
        {takesCards ? (
          <Form action={site.paths.housing} csrf={csrf} class="stack">
            <Checkbox name="consent" label={say('stay.cardConsent')} />
            <div>
              <Button tone="primary" name="do" value="card">
                {say('stay.cardButton')}
              </Button>
            </div>
          </Form>
        ) : (
          <span>{say('stay.cardNone')}</span>
        )}
      </div>
    </Notice>
  )
}
