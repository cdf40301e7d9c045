import { decideRoomShareRequest, leaveRoomWaitlist, readParticipantRooms } from '../../../domains/housing/own-rooms.ts'
import { cancelStay } from '../../../domains/housing/release.ts'
import { declineRoomOffer, listOpenRoomOffers } from '../../../domains/housing/room-offers.ts'
import { markGuaranteedStays } from '../../../domains/housing/guarantee-status.ts'
import { findHousingWidget } from '../../../domains/housing/room-answers.ts'
import {
  listAlternativeHotels,
  MAX_ALTERNATIVE_HOTELS,
  setAlternativeWaitlistHotels,
} from '../../../domains/housing/waitlist-alternatives.ts'
import { startCardSetup } from '../../../domains/payments/card-setups.ts'
import { acceptRoomOffer } from '../../../domains/checkout/room-waitlist.ts'
import { loadEventSnapshot } from '../../../domains/registration/event-snapshot.ts'
import { scheduleStatusEmail } from '../../../domains/registration/due-emails.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { findPaymentProcessor } from '../../../domains/payments/processor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { formatDateRange } from '../../../kernel/language/format.ts'
import { toMoney } from '../../../kernel/money.ts'
import { refreshCardSetupStatus } from '../../payments/checkout.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { LinkButton } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { MainColumn, createEventRouter, showEventPage } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH } from '../event/event-site.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { listFieldValues } from '../form-values.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { MoneyRows } from './money.tsx'
import {
  runOwnRegistrationChange,
  withOwnRegistrationAccess,
  type OwnRegistrationAccess,
  previewOwnRegistrationChange,
  showOwnRegistrationPage,
  handleOwnRegistrationPost,
} from './own-access.tsx'
import { BookedRoomCards } from './room-cards.tsx'

const PATH = `${PUBLIC_EVENT_PATH}/housing`
const REASON = 'cancelled by the guest'

/** The error text of each action. Actions without an entry show that the room share request is no longer available. */
const ACTION_ERROR_KEYS: Record<string, 'stay.cardNone' | 'stay.offerExpired'> = {
  card: 'stay.cardNone',
  take: 'stay.offerExpired',
  refuse: 'stay.offerExpired',
}

const sceneOf = async (ctx: RegistrationContext, { row }: Pick<OwnRegistrationAccess, 'row'>) => ({
  ...(await loadEventSnapshot(ctx)),
  isTest: row.is_test_data,
})

/** Lists the hotels that the participant can wait for: those that the registration form offers. */
async function listWaitlistHotels(ctx: RegistrationContext, { row }: Pick<OwnRegistrationAccess, 'row'>) {
  const snapshot = await loadEventSnapshot(ctx)
  const flow = snapshot.config.flows.find(({ slug }) => slug === row.flow_slug)
  return listAlternativeHotels(ctx, snapshot, flow ? (findHousingWidget(flow)?.hotels ?? null) : null)
}

/** `…/housing`: booked rooms, roommates, guarantees and waiting list entries. */
export function registrationRoomPages(web: WebServices) {
  const page = async (c: WebContext, own: OwnRegistrationAccess, wrong?: string): Promise<Response> => {
    const { site, row, ctx } = own
    const setup = c.req.query('setup')
    if (setup !== undefined && wrong === undefined) return cardReturn(c, own, setup)
    const rooms = await readParticipantRooms(ctx, row.id)
    const offers = rooms.waits.some(({ status }) => status === 'offered')
      ? await listOpenRoomOffers(ctx, await sceneOf(ctx, own), row.id)
      : []
    const hotels = rooms.waits.length > 0 ? await listWaitlistHotels(ctx, own) : []
    const takesCards = findPaymentProcessor(ctx, { isTestData: row.is_test_data }) !== null
    return showOwnRegistrationPage(
      web,
      c,
      own,
      { title: site.words.say('stay.title'), leavesSite: true, ...(wrong ? { status: 400 as const } : {}) },
      <BookedRoomCards
        own={own}
        rooms={rooms}
        offers={offers}
        hotels={hotels}
        csrf={getCsrfToken(web, c)}
        takesCards={takesCards}
        wrong={wrong}
      />,
    )
  }

  /**
   * Handles the return from the payment provider after adding a card. The id in the URL is accepted only if this participant started to
   * add that card.
   */
  const cardReturn = async (c: WebContext, own: OwnRegistrationAccess, setupId: string): Promise<Response> => {
    const { site, row } = own
    const { say } = site.words
    const standing = await refreshCardSetupStatus(web.services, { tenantId: site.tenantId, eventId: site.event.id }, setupId).catch(
      nullIfNotFound,
    )
    if (standing?.participantId !== row.id) return c.redirect(site.paths.housing, 303)
    if (standing.status === 'failed') return page(c, own, say('stay.cardFailed'))
    if (standing.status === 'succeeded') {
      await runOwnRegistrationChange(web, own, 'secure_own_room', (ctx) => markGuaranteedStays(ctx, row.id))
      return c.redirect(`${site.paths.housing}?done=secured`, 303)
    }
    return showEventPage(
      web,
      c,
      site,
      { title: say('stay.cardWaiting'), head: <meta http-equiv="refresh" content="3" /> },
      <div class="mine narrow">
        <h1>{say('stay.cardWaiting')}</h1>
        <LinkButton href={site.paths.housing}>{say('stay.title')}</LinkButton>
      </div>,
    )
  }

  const addCard = async (c: WebContext, own: OwnRegistrationAccess, form: Record<string, unknown>): Promise<Response> => {
    const { site, row } = own
    const { say } = site.words
    if (!form['consent']) return page(c, own, say('stay.cardAgree'))
    const back = `${web.services.baseUrl}${site.paths.housing}`
    const { setupId } = await runOwnRegistrationChange(web, own, 'leave_own_card', (ctx) =>
      startCardSetup(ctx, {
        participantId: row.id,
        isTestData: row.is_test_data,
        consent: say('stay.cardConsent'),
        urls: { returnUrl: back, cancelUrl: back },
      }),
    )
    const { url } = await refreshCardSetupStatus(web.services, { tenantId: site.tenantId, eventId: site.event.id }, setupId)
    return c.redirect(url ?? `${site.paths.housing}?setup=${setupId}`, 303)
  }

  const send = async (c: WebContext, own: OwnRegistrationAccess, form: FormValues): Promise<Response> => {
    const { site, row } = own
    const [action = '', about = ''] = String(form['do'] ?? '').split(':')
    const doneAs = (done: string) => c.redirect(`${site.paths.housing}?done=${done}`, 303)
    try {
      if (action === 'card') return await addCard(c, own, form)
      if (action === 'accept' || action === 'decline') {
        await runOwnRegistrationChange(web, own, 'decide_room_share', (ctx) =>
          decideRoomShareRequest(ctx, row.id, about, action === 'accept'),
        )
        return doneAs(action === 'accept' ? 'shared' : 'declined')
      }
      if (action === 'take') {
        const { owes } = await runOwnRegistrationChange(web, own, 'accept_room_offer', (ctx) => acceptRoomOffer(ctx, row.id, about))
        return owes ? c.redirect(site.paths.pay, 303) : doneAs('roomTaken')
      }
      if (action === 'refuse') {
        await runOwnRegistrationChange(web, own, 'decline_room_offer', (ctx) => declineRoomOffer(ctx, row.id, about))
        return doneAs('offerRefused')
      }
      if (action === 'also') {
        const chosen = { entryId: about, hotelIds: listFieldValues(form, 'also'), any: form['any'] === 'on' }
        await runOwnRegistrationChange(web, own, 'change_room_waitlist', async (ctx) =>
          setAlternativeWaitlistHotels(ctx, row.id, chosen, await listWaitlistHotels(ctx, own)),
        )
        return doneAs('hotels')
      }
      if (action === 'leave') {
        await runOwnRegistrationChange(web, own, 'leave_room_waitlist', (ctx) => leaveRoomWaitlist(ctx, row.id))
        return doneAs('left')
      }
    } catch (error) {
      if (error instanceof AppError && error.code !== 'internal')
        return page(
          c,
          own,
          action === 'also'
            ? site.words.say('stay.alsoHelp', { limit: MAX_ALTERNATIVE_HOTELS })
            : site.words.say(ACTION_ERROR_KEYS[action] ?? 'stay.shareUnavailable'),
        )
      throw error
    }
    return c.redirect(site.paths.housing, 303)
  }

  /** Cancels a room. Also run as a preview that is rolled back, so that the page shows exactly what the button will do. */
  const cancelRoom = async (ctx: RegistrationContext, { row }: Pick<OwnRegistrationAccess, 'row'>, reservationId: string) => {
    const back = await cancelStay(ctx, await sceneOf(ctx, { row }), reservationId, REASON)
    await scheduleStatusEmail(ctx, row)
    return back
  }

  const askToCancel = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> => {
    const { site, row, ctx } = own
    const { say, locale } = site.words
    const stay = (await readParticipantRooms(ctx, row.id)).stays.find(({ reservationId }) => reservationId === c.req.param('reservation'))
    if (!stay) return sendNotFoundPage(web, c)
    const back = await previewOwnRegistrationChange(web, own, 'give_up_own_room', (changing) =>
      cancelRoom(changing, own, stay.reservationId),
    )
    return showOwnRegistrationPage(
      web,
      c,
      own,
      { title: say('stay.cancelTitle') },
      <MainColumn
        title={say('stay.cancelTitle')}
        text={say('stay.cancelText', { hotel: stay.hotel, days: formatDateRange(locale, stay.checkIn, stay.checkOut) })}
      >
        <Card>
          {back ? (
            <MoneyRows
              site={site}
              rows={[{ label: say('stay.depositRefund'), money: toMoney(back.total, site.facts.currency), kind: 'total' }]}
            />
          ) : (
            <p>{say('stay.noDeposit')}</p>
          )}
        </Card>
        <SubmitForm
          action={`${site.paths.housing}/${stay.reservationId}/cancel`}
          csrf={getCsrfToken(web, c)}
          submit={say('stay.cancelButton')}
          tone="danger primary"
          cancel={site.paths.housing}
          cancelLabel={say('stay.keep')}
        />
      </MainColumn>,
    )
  }

  const cancel = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> => {
    const { site, row, ctx } = own
    const stay = (await readParticipantRooms(ctx, row.id)).stays.find(({ reservationId }) => reservationId === c.req.param('reservation'))
    // If no booking is found, the room is already cancelled, for example by a double click.
    if (stay) await runOwnRegistrationChange(web, own, 'give_up_own_room', (changing) => cancelRoom(changing, own, stay.reservationId))
    return c.redirect(`${site.paths.housing}?done=roomGone`, 303)
  }

  const back = ({ paths }: OwnRegistrationAccess['site']) => paths.housing
  return createEventRouter(web)
    .get(
      PATH,
      withOwnRegistrationAccess(web, (c, own) => page(c, own)),
    )
    .post(PATH, handleOwnRegistrationPost(web, back, send))
    .get(`${PATH}/:reservation/cancel`, withOwnRegistrationAccess(web, askToCancel))
    .post(`${PATH}/:reservation/cancel`, handleOwnRegistrationPost(web, back, cancel))
}

const nullIfNotFound = (error: unknown): null => {
  if (error instanceof AppError && error.code === 'not_found') return null
  throw error
}
