import type { OwnRooms, OwnStay } from '../../../domains/housing/own-rooms.ts'
import type { RoomOffered } from '../../../domains/housing/room-offers.ts'
import { formatDays, formatList, formatMoment } from '../../../kernel/language/format.ts'
import { Actions, Button, Checkbox, ErrorSummary, Form, LinkButton } from '../components/forms.tsx'
import { Badge, Card, Facts, Notice } from '../components/parts.tsx'
import { moneyText } from '../register/view.ts'
import type { Own } from './own.tsx'

interface Shown {
  own: Own
  csrf: string
  takesCards: boolean
}

/** Rooms, beds and lines, with what can be done about each. */
export function MyRooms({
  own,
  rooms,
  offers,
  csrf,
  takesCards,
  wrong,
}: Shown & { rooms: OwnRooms; offers: readonly RoomOffered[]; wrong?: string | undefined }) {
  const { place } = own
  const { say, locale } = place.words
  const { stays, bed } = rooms
  const waits = rooms.waits.filter(({ status }) => status === 'waiting')
  return (
    <div class="checkout-main">
      <h1>{say('stay.title')}</h1>
      <ErrorSummary message={wrong} />
      {offers.map((offer) => (
        <Offer own={own} offer={offer} csrf={csrf} />
      ))}
      {stays.map((stay) => (
        <Stay own={own} stay={stay} csrf={csrf} takesCards={takesCards} />
      ))}
      {bed ? (
        <Card>
          <p>{bed.isGiven ? say('stay.bedGiven', { name: bed.holder ?? bed.named }) : say('stay.bedAsked', { name: bed.named })}</p>
        </Card>
      ) : null}
      {waits.length > 0 ? (
        <Card title={say('room.waits')}>
          <div class="stack">
            {waits.map(({ hotel, checkIn, checkOut, rank }) => (
              <p>{say('stay.waiting', { hotel: hotel ?? '', days: formatDays(locale, checkIn, checkOut), rank })}</p>
            ))}
            <Form action={place.paths.housing} csrf={csrf}>
              <Button name="do" value="leave">
                {say('stay.leave')}
              </Button>
            </Form>
          </div>
        </Card>
      ) : null}
      {stays.length === 0 && offers.length === 0 && !bed ? (
        <>
          <p class="lead">{say('stay.none')}</p>
          <Change own={own} words="stay.choose" />
        </>
      ) : null}
    </div>
  )
}

/** A room that is held for them, with what it costs and until when they can take it. */
function Offer({ own: { place }, offer, csrf }: { own: Own; offer: RoomOffered; csrf: string }) {
  const { say, locale } = place.words
  const moment = formatMoment(locale, offer.until, place.facts.timezone)
  return (
    <Card title={say('stay.offer')} actions={<Badge tone="warning">{say('stay.offerUntil', { moment })}</Badge>}>
      <div class="stack">
        <Facts
          rows={[
            [say('room.title'), say('room.stay', { hotel: offer.hotel, room: offer.roomType })],
            [say('room.total'), formatDays(locale, offer.checkIn, offer.checkOut)],
            [say('stay.cost'), moneyText(place, offer.total)],
            ...(offer.deposit === null ? [] : [[say('stay.offerDeposit'), moneyText(place, offer.deposit)] as [string, string]]),
          ]}
        />
        {offer.replaces === null ? null : <p>{say('stay.offerReplaces', { hotel: offer.replaces })}</p>}
        <Form action={place.paths.housing} csrf={csrf}>
          <Actions>
            <Button tone="primary" name="do" value={`take:${offer.entryId}`}>
              {say('stay.offerTake')}
            </Button>
            <Button name="do" value={`refuse:${offer.entryId}`}>
              {say('stay.offerRefuse')}
            </Button>
          </Actions>
        </Form>
      </div>
    </Card>
  )
}

/** Where the flow asks for rooms: there they are chosen and changed. */
function Change({ own: { place, row }, words }: { own: Own; words: 'stay.choose' | 'stay.change' }) {
  const flow = place.config.flows.find(({ slug }) => slug === row.flow_slug)
  const page = flow?.pages.find(({ widgets }) => widgets.some(({ type }) => type === 'housing'))
  return page && row.status === 'complete' ? <LinkButton href={place.paths.edit(page.code)}>{place.words.say(words)}</LinkButton> : null
}

function Stay({ own, stay, csrf, takesCards }: Shown & { stay: OwnStay }) {
  const { place } = own
  const { say, locale } = place.words
  const { guarantee } = stay
  return (
    <Card
      title={say('room.stay', { hotel: stay.hotel, room: stay.roomType })}
      actions={guarantee.status === 'secured' ? <Badge tone="success">{say('stay.secured')}</Badge> : undefined}
    >
      <div class="stack">
        <Facts
          rows={[
            [say('room.title'), formatDays(locale, stay.checkIn, stay.checkOut)],
            ...(stay.number ? [[say('mine.number'), stay.number] as [string, string]] : []),
            [say('stay.guests'), formatList(locale, stay.guests)],
            [say('stay.cost'), moneyText(place, stay.total)],
          ]}
        />
        <Guarantee own={own} stay={stay} csrf={csrf} takesCards={takesCards} />
        {stay.asking.map(({ shareId, name }) => (
          <Notice>
            <div class="stack">
              <strong>{say('stay.asks', { name })}</strong>
              <span>{say('stay.asksText')}</span>
              <Form action={place.paths.housing} csrf={csrf}>
                <Actions>
                  <Button tone="primary" name="do" value={`accept:${shareId}`}>
                    {say('stay.accept')}
                  </Button>
                  <Button name="do" value={`decline:${shareId}`}>
                    {say('stay.decline')}
                  </Button>
                </Actions>
              </Form>
            </div>
          </Notice>
        ))}
        <Actions>
          <Change own={own} words="stay.change" />
          <LinkButton href={`${place.paths.housing}/${stay.reservationId}/cancel`} tone="quiet">
            {say('stay.cancel')}
          </LinkButton>
        </Actions>
      </div>
    </Card>
  )
}

/** What still has to come so that the room stays theirs. */
function Guarantee({ own: { place }, stay: { guarantee }, csrf, takesCards }: Shown & { stay: OwnStay }) {
  const { say, locale } = place.words
  if (guarantee.status !== 'pending' || guarantee.dueAt === null) return null
  const moment = formatMoment(locale, guarantee.dueAt, place.facts.timezone)
  if (guarantee.kind === 'deposit')
    return (
      <Notice tone="warning">
        {say('stay.depositNeeded', { moment })} <a href={place.paths.pay}>{say('pay.title')}</a>
      </Notice>
    )
  return (
    <Notice tone="warning">
      <div class="stack">
        <span>{say('stay.cardNeeded', { moment })}</span>
        {takesCards ? (
          <Form action={place.paths.housing} csrf={csrf} class="stack">
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
