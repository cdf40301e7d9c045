import { decideShare, leaveRoomLine, ownRooms } from '../../../domains/housing/own-rooms.ts'
import { cancelStay } from '../../../domains/housing/release.ts'
import { declineOffer, offersTo } from '../../../domains/housing/room-offers.ts'
import { secureStaysOf } from '../../../domains/housing/secure.ts'
import { beginSetup } from '../../../domains/payments/setups.ts'
import { acceptRoomOffer } from '../../../domains/registration/room-line.ts'
import { openScene } from '../../../domains/registration/scene.ts'
import { sendWhatItIs } from '../../../domains/registration/confirmation.ts'
import type { AtEvent } from '../../../domains/registration/scene.ts'
import { AppError } from '../../../kernel/errors.ts'
import { formatDays } from '../../../kernel/language/format.ts'
import { toMoney } from '../../../kernel/money.ts'
import { refreshSetup } from '../../payments/checkout.ts'
import { Actions, Button, Form, LinkButton } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { eventPagesOf, showAt } from '../event/frame.tsx'
import { AT_EVENT } from '../event/place.ts'
import { showMissing } from '../lost.tsx'
import { csrfFor, type Web, type WebContext } from '../web.ts'
import { MoneyRows } from './money.tsx'
import { changeOwn, forOwner, type Own, previewOwn, showOwn, whenOwnerSends } from './own.tsx'
import { MyRooms } from './room-cards.tsx'

const PATH = `${AT_EVENT}/housing`
const REASON = 'given up by the guest'

/** What is said when something cannot be done any more. */
const REFUSALS: Record<string, 'stay.cardNone' | 'stay.offerGone'> = {
  card: 'stay.cardNone',
  take: 'stay.offerGone',
  refuse: 'stay.offerGone',
}

const sceneOf = async (ctx: AtEvent, { row }: Pick<Own, 'row'>) => ({ ...(await openScene(ctx)), isTest: row.is_test_data })

/** `…/housing`: the room that somebody has, who shares it, what secures it, and what they wait for. */
export function ownRoomPages(web: Web) {
  const page = async (c: WebContext, own: Own, wrong?: string): Promise<Response> => {
    const { place, row, ctx } = own
    const setup = c.req.query('setup')
    if (setup !== undefined && wrong === undefined) return cameBack(c, own, setup)
    const rooms = await ownRooms(ctx, row.id)
    const offers = rooms.waits.some(({ status }) => status === 'offered') ? await offersTo(ctx, await sceneOf(ctx, own), row.id) : []
    const takesCards = ctx.cards.for({ isTestData: row.is_test_data }) !== null
    return showOwn(
      web,
      c,
      own,
      { title: place.words.say('stay.title'), leavesSite: true, ...(wrong ? { status: 400 as const } : {}) },
      <MyRooms own={own} rooms={rooms} offers={offers} csrf={csrfFor(web, c)} takesCards={takesCards} wrong={wrong} />,
    )
  }

  /** From the processor's page, where they left a card. Only their own is asked about. */
  const cameBack = async (c: WebContext, own: Own, setupId: string): Promise<Response> => {
    const { place, row } = own
    const { say } = place.words
    const standing = await refreshSetup(web.road, { tenantId: place.tenantId, eventId: place.event.id }, setupId).catch(orNothing)
    if (standing?.participantId !== row.id) return c.redirect(place.paths.housing, 303)
    if (standing.status === 'failed') return page(c, own, say('stay.cardFailed'))
    if (standing.status === 'succeeded') {
      await changeOwn(web, own, 'secure_own_room', (ctx) => secureStaysOf(ctx, row.id))
      return c.redirect(`${place.paths.housing}?done=secured`, 303)
    }
    return showAt(
      web,
      c,
      place,
      { title: say('stay.cardWaiting'), head: <meta http-equiv="refresh" content="3" /> },
      <div class="mine narrow">
        <h1>{say('stay.cardWaiting')}</h1>
        <LinkButton href={place.paths.housing}>{say('stay.title')}</LinkButton>
      </div>,
    )
  }

  const leaveCard = async (c: WebContext, own: Own, form: Record<string, unknown>): Promise<Response> => {
    const { place, row } = own
    const { say } = place.words
    if (!form['consent']) return page(c, own, say('stay.cardAgree'))
    const back = `${web.road.baseUrl}${place.paths.housing}`
    const { setupId } = await changeOwn(web, own, 'leave_own_card', (ctx) =>
      beginSetup(ctx, {
        participantId: row.id,
        isTestData: row.is_test_data,
        consent: say('stay.cardConsent'),
        urls: { returnUrl: back, cancelUrl: back },
      }),
    )
    const { url } = await refreshSetup(web.road, { tenantId: place.tenantId, eventId: place.event.id }, setupId)
    return c.redirect(url ?? `${place.paths.housing}?setup=${setupId}`, 303)
  }

  const send = async (c: WebContext, own: Own, form: Record<string, unknown>): Promise<Response> => {
    const { place, row } = own
    const [action = '', about = ''] = String(form['do'] ?? '').split(':')
    const doneAs = (done: string) => c.redirect(`${place.paths.housing}?done=${done}`, 303)
    try {
      if (action === 'card') return await leaveCard(c, own, form)
      if (action === 'accept' || action === 'decline') {
        await changeOwn(web, own, 'decide_room_share', (ctx) => decideShare(ctx, row.id, about, action === 'accept'))
        return doneAs(action === 'accept' ? 'shared' : 'declined')
      }
      if (action === 'take') {
        const { owes } = await changeOwn(web, own, 'accept_room_offer', (ctx) => acceptRoomOffer(ctx, row.id, about))
        return owes ? c.redirect(place.paths.pay, 303) : doneAs('roomTaken')
      }
      if (action === 'refuse') {
        await changeOwn(web, own, 'decline_room_offer', (ctx) => declineOffer(ctx, row.id, about))
        return doneAs('offerRefused')
      }
      if (action === 'leave') {
        await changeOwn(web, own, 'leave_room_waitlist', (ctx) => leaveRoomLine(ctx, row.id))
        return doneAs('left')
      }
    } catch (error) {
      if (error instanceof AppError && error.code !== 'internal') return page(c, own, place.words.say(REFUSALS[action] ?? 'stay.noBed'))
      throw error
    }
    return c.redirect(place.paths.housing, 303)
  }

  /** Done and undone: what is told is what the button will do. */
  const giveUp = async (ctx: AtEvent, { row }: Pick<Own, 'row'>, reservationId: string) => {
    const back = await cancelStay(ctx, await sceneOf(ctx, { row }), reservationId, REASON)
    await sendWhatItIs(ctx, row)
    return back
  }

  const askToCancel = async (c: WebContext, own: Own): Promise<Response> => {
    const { place, row, ctx } = own
    const { say, locale } = place.words
    const stay = (await ownRooms(ctx, row.id)).stays.find(({ reservationId }) => reservationId === c.req.param('reservation'))
    if (!stay) return showMissing(web, c)
    const back = await previewOwn(web, own, 'give_up_own_room', (changing) => giveUp(changing, own, stay.reservationId))
    return showOwn(
      web,
      c,
      own,
      { title: say('stay.cancelTitle') },
      <div class="checkout-main">
        <h1>{say('stay.cancelTitle')}</h1>
        <p class="lead">{say('stay.cancelText', { hotel: stay.hotel, days: formatDays(locale, stay.checkIn, stay.checkOut) })}</p>
        <Card>
          {back ? (
            <MoneyRows
              place={place}
              rows={[{ label: say('stay.depositBack'), money: toMoney(back.total, place.facts.currency), kind: 'total' }]}
            />
          ) : (
            <p>{say('stay.noDeposit')}</p>
          )}
        </Card>
        <Form action={`${place.paths.housing}/${stay.reservationId}/cancel`} csrf={csrfFor(web, c)}>
          <Actions>
            <Button tone="danger primary">{say('stay.doCancel')}</Button>
            <LinkButton href={place.paths.housing}>{say('edit.keep')}</LinkButton>
          </Actions>
        </Form>
      </div>,
    )
  }

  const cancel = async (c: WebContext, own: Own): Promise<Response> => {
    const { place, row, ctx } = own
    const stay = (await ownRooms(ctx, row.id)).stays.find(({ reservationId }) => reservationId === c.req.param('reservation'))
    // Pressed twice: it is given up already.
    if (stay) await changeOwn(web, own, 'give_up_own_room', (changing) => giveUp(changing, own, stay.reservationId))
    return c.redirect(`${place.paths.housing}?done=roomGone`, 303)
  }

  const back = ({ paths }: Own['place']) => paths.housing
  return eventPagesOf(web)
    .get(
      PATH,
      forOwner(web, (c, own) => page(c, own)),
    )
    .post(PATH, whenOwnerSends(web, back, send))
    .get(`${PATH}/:reservation/cancel`, forOwner(web, askToCancel))
    .post(`${PATH}/:reservation/cancel`, whenOwnerSends(web, back, cancel))
}

const orNothing = (error: unknown): null => {
  if (error instanceof AppError && error.code === 'not_found') return null
  throw error
}
