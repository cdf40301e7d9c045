import { findLatestCharge } from '../../../domains/checkout/finish.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { refreshChargeStatus } from '../../payments/checkout.ts'
import { LinkButton } from '../components/forms.tsx'
import { createEventRouter, NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH } from '../event/event-site.ts'
import type { WebServices, WebContext } from '../web.ts'
import { findCurrentRegistration } from './current-registration.ts'

/** The page stops polling after this many seconds. A background task finds the payment later and emails the participant. */
const POLLING_LIMIT_SECONDS = 120

/** `…/pay/return`: the return page of the payment provider. Polls every three seconds until the payment status is known. */
export function paymentReturnPages(web: WebServices) {
  const get = async (c: WebContext) => {
    const standing = await findCurrentRegistration(web, c)
    if (standing instanceof Response) return standing
    const { site, ctx, progress, base } = standing
    const { say } = site.words
    // Only a charge of this participant is accepted, because the id in the URL is user input.
    const chargeId = await findLatestCharge(ctx, progress.row.id, c.req.query('charge'))
    if (chargeId === null) return c.redirect(`${base}/summary`, 303)
    const charge = await refreshChargeStatus(web.services, { tenantId: site.tenantId, eventId: site.event.id }, chargeId)
    if (charge.status === 'succeeded') return c.redirect(`${base}/done`, 303)
    // A card charge that the participant replaced with another one does not count as failed.
    if (charge.status === 'failed') return c.redirect(charge.failureCode === 'cancelled' ? `${base}/pay` : `${base}/pay?failed`, 303)
    const unknown = charge.status === 'unknown' || charge.ageSeconds >= POLLING_LIMIT_SECONDS
    if (unknown && charge.ageSeconds >= POLLING_LIMIT_SECONDS) {
      return showEventPage(
        web,
        c,
        site,
        { title: say('register.payUnknown') },
        <NarrowPage title={say('register.payUnknown')}>
          <p>{say('register.payUnknownText')}</p>
          <LinkButton href={`${base}/pay/return?charge=${chargeId}`}>{say('register.checkPaymentAgain')}</LinkButton>
        </NarrowPage>,
      )
    }
    return showEventPage(
      web,
      c,
      site,
      { title: say('register.payWaiting'), head: <meta http-equiv="refresh" content="3" /> },
      <NarrowPage title={say('register.payWaiting')}>
        <p>{say('register.payWaitingText')}</p>
        {charge.url === null ? null : (
          <LinkButton href={charge.url}>{say('register.payAmount', { amount: formatMoney(site.words.locale, charge.amount) })}</LinkButton>
        )}
        <p>
          <a href={`${base}/summary`}>{say('register.backToSummary')}</a>
        </p>
      </NarrowPage>,
    )
  }
  return createEventRouter(web).get(`${PUBLIC_EVENT_PATH}/register/:flow/pay/return`, get)
}
