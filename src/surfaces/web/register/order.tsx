import { daysBetween } from '../../../kernel/time.ts'
import { buildPriceStatement } from '../../../domains/pricing/statement.ts'
import { readGuests } from '../../../domains/registration/guests.ts'
import { formatDateRange } from '../../../kernel/language/format.ts'
import { OrderRows, type UnpricedItem } from '../registration/order-rows.tsx'
import { formatMinorAmount, type RegistrationPageView } from './view.ts'

/**
 * All amounts of the order, as they will appear on the invoice, and below them choices that are not on the invoice: waiting lists and the
 * room.
 */
export function OrderLines({ view }: { view: RegistrationPageView }) {
  const { site, config, quote, progress } = view
  const { say } = site.words
  const names = new Map(config.products.map(({ code, name }) => [code, name]))
  const guests = quote.lines.some(({ guest }) => guest !== null) ? readGuests(progress.flow, progress.answers) : []
  const waiting = progress.stored.waits.flatMap((key) => (key.startsWith('product:') ? [key.slice('product:'.length)] : []))
  const unpriced = [
    ...waiting.map((code) => ({ label: names.get(code) ?? code, about: say('register.onWaitlist') })),
    ...listChosenRoom(view),
  ]
  if (quote.lines.length === 0 && unpriced.length === 0) return <p class="muted">{say('register.orderEmpty')}</p>
  return (
    <OrderRows
      site={site}
      statement={buildPriceStatement(quote.lines)}
      discountCode={quote.discountCode}
      aboutItem={({ line: { guest } }) => (guest === null ? null : say('register.forGuest', { name: nameOf(guests[guest]?.answers) }))}
      unpriced={unpriced}
    />
  )
}

/** Lists the chosen room, whose price is paid at the hotel and not part of the order. Only a deposit is a line of the order. */
function listChosenRoom({ site, progress: { room, walk } }: RegistrationPageView): UnpricedItem[] {
  const { say, locale } = site.words
  const [checkIn, checkOut] = [walk.answer('@housing.checkIn'), walk.answer('@housing.checkOut')]
  if (!room || typeof checkIn !== 'string' || typeof checkOut !== 'string') return []
  const { hotel, type, reservation } = room
  const days = `${formatDateRange(locale, checkIn, checkOut)} · ${say('room.nights', { count: daysBetween(checkIn, checkOut) })}`
  const waits = !reservation && walk.answer('@housing.waitlist') === true
  const price = reservation ? [`${formatMinorAmount(site, reservation.stay_total)}, ${say('room.atHotel')}`] : []
  return [
    {
      label: say('room.stay', { hotel: hotel.name, room: type.name }),
      about: [days, ...(waits ? [say('room.onWaitlist')] : price)].join(' · '),
    },
  ]
}

const nameOf = (answers: Readonly<Record<string, unknown>> = {}) =>
  [answers['@participant.firstName'], answers['@participant.lastName']].filter(Boolean).join(' ')

/** The order summary beside the registration form. */
export const OrderSummaryAside = ({ view, update }: { view: RegistrationPageView; update: boolean }) => {
  const { say } = view.site.words
  return (
    <aside class="order" id="order" aria-labelledby="order-title">
      <section class="card">
        <div class="card-body stack">
          <h2 id="order-title">{say('register.order')}</h2>
          <div class="order-lines" aria-live="polite">
            <OrderLines view={view} />
            {view.progress.group?.payBy === 'group' ? <p class="small muted">{say('register.groupPays')}</p> : null}
          </div>
          {update ? (
            <button type="submit" form="page" name="do" value="update" class="button wide small no-script">
              {say('register.updateTotal')}
            </button>
          ) : null}
        </div>
      </section>
    </aside>
  )
}
