import {
  acceptOwnOffer,
  declineOwnOffer,
  hasExpiredOffer,
  hasOffers,
  listOwnOffers,
  type OpenOffer,
} from '../../../domains/registration/promotion/own-offers.ts'
import { findOrder } from '../../../domains/orders/orders.ts'
import { AppError } from '../../../kernel/errors.ts'
import { formatMoment, formatMoney } from '../../../kernel/language/format.ts'
import { Actions, Button, Form } from '../components/forms.tsx'
import { Card, Facts, Notice, StatusLabel } from '../components/parts.tsx'
import { newEventRouter } from '../event/event-layout.tsx'
import { EVENT_PATH } from '../event/event-site.ts'
import { csrfFor, type FormValues, type WebContext, type WebServices } from '../web.ts'
import { changeOwn, onOwnerPost, type OwnRegistration, previewOwn } from './own-access.tsx'

const offersPath = ({ site }: OwnRegistration) => `${site.paths.myRegistration}/offers`

/** The open offers with their prices. Prices are calculated like a purchase and rolled back. */
export const readOffers = async (web: WebServices, own: OwnRegistration): Promise<OpenOffer[]> =>
  (await hasOffers(own.ctx, own.row)) ? previewOwn(web, own, 'accept_waitlist_offer', (ctx) => listOwnOffers(ctx, own.row)) : []

/** Offers from the waiting list, each with its price, its deadline and the buttons to accept and decline it. */
export function OfferCards({
  web,
  c,
  own,
  offers,
}: {
  web: WebServices
  c: WebContext
  own: OwnRegistration
  offers: readonly OpenOffer[]
}) {
  const { site } = own
  const { say, locale } = site.words
  return (
    <>
      {c.req.query('failed') === 'offer' ? <Notice tone="danger">{say('offer.gone')}</Notice> : null}
      {offers.map(({ entryId, name, quantity, guest, until, price }) => (
        <Card
          title={say('offer.title')}
          actions={
            <StatusLabel tone="warning">{say('offer.until', { moment: formatMoment(locale, until, site.facts.timezone) })}</StatusLabel>
          }
        >
          <div class="stack">
            <Facts
              rows={[
                [say('offer.for'), quantity === 1 ? name : `${name} × ${quantity}`],
                ...(guest === null ? [] : [[say('offer.guest'), guest] as [string, string]]),
                ...(price === null
                  ? []
                  : ([
                      [say('offer.price'), formatMoney(locale, price.total)],
                      [say('offer.due'), formatMoney(locale, price.due)],
                    ] as [string, string][])),
              ]}
            />
            {price === null ? <p>{say('offer.gone')}</p> : null}
            <Form action={offersPath(own)} csrf={csrfFor(web, c)}>
              <Actions>
                {price === null ? null : (
                  <Button tone="primary" name="do" value={`accept:${entryId}`}>
                    {say('offer.accept')}
                  </Button>
                )}
                <Button name="do" value={`decline:${entryId}`}>
                  {say('offer.decline')}
                </Button>
              </Actions>
            </Form>
          </div>
        </Card>
      ))}
    </>
  )
}

/** Explains a link to an offer that has expired. */
export const isOfferExpired = (own: OwnRegistration): Promise<boolean> => hasExpiredOffer(own.ctx, own.row)

/** `…/registration/offers`: accepts or declines an offer. Repeating an action shows the same result. */
export function ownOfferPages(web: WebServices) {
  const send = async (c: WebContext, own: OwnRegistration, form: FormValues): Promise<Response> => {
    const { site, row } = own
    const [action, entryId = ''] = (form['do'] ?? '').split(':')
    try {
      if (action === 'accept') {
        await changeOwn(web, own, 'accept_waitlist_offer', (ctx) => acceptOwnOffer(ctx, row, entryId))
        const order = await findOrder(own.ctx, { participantId: row.id })
        const owes = order !== null && order.balance > 0
        return c.redirect(`${owes ? site.paths.pay : site.paths.myRegistration}?done=seatAccepted`, 303)
      }
      if (action === 'decline') {
        await changeOwn(web, own, 'decline_waitlist_offer', (ctx) => declineOwnOffer(ctx, row, entryId))
        return c.redirect(`${site.paths.myRegistration}?done=seatDeclined`, 303)
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      return c.redirect(`${site.paths.myRegistration}?failed=offer`, 303)
    }
    return c.redirect(site.paths.myRegistration, 303)
  }
  return newEventRouter(web).post(
    `${EVENT_PATH}/registration/offers`,
    onOwnerPost(web, ({ paths }) => paths.myRegistration, send),
  )
}
