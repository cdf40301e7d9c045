import { latestCharge } from '../../../domains/checkout/finish.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { refreshStanding } from '../../payments/checkout.ts'
import { LinkButton } from '../components/forms.tsx'
import { eventPagesOf, Narrow, showAt } from '../event/frame.tsx'
import { AT_EVENT } from '../event/place.ts'
import type { Web, WebContext } from '../web.ts'
import { standingAt } from './at.ts'

/** After this long nobody is kept waiting: the money will be found, and they are written to. */
const KNOWN_AFTER_SECONDS = 120

/** `…/pay/return`: back from the processor. It looks every three seconds until it is known. */
export function payReturnPages(web: Web) {
  const get = async (c: WebContext) => {
    const standing = await standingAt(web, c)
    if (standing instanceof Response) return standing
    const { place, ctx, progress, base } = standing
    const { say } = place.words
    // Of this person's own: the address may name any.
    const chargeId = await latestCharge(ctx, progress.row.id, c.req.query('charge'))
    if (chargeId === null) return c.redirect(`${base}/summary`, 303)
    const charge = await refreshStanding(web.road, { tenantId: place.tenantId, eventId: place.event.id }, chargeId)
    if (charge.status === 'succeeded') return c.redirect(`${base}/done`, 303)
    if (charge.status === 'failed') return c.redirect(`${base}/pay?failed`, 303)
    const unknown = charge.status === 'unknown' || charge.ageSeconds >= KNOWN_AFTER_SECONDS
    if (unknown && charge.ageSeconds >= KNOWN_AFTER_SECONDS) {
      return showAt(
        web,
        c,
        place,
        { title: say('register.payUnknown') },
        <Narrow title={say('register.payUnknown')}>
          <p>{say('register.payUnknownText')}</p>
          <LinkButton href={`${base}/pay/return?charge=${chargeId}`}>{say('register.payAgain')}</LinkButton>
        </Narrow>,
      )
    }
    return showAt(
      web,
      c,
      place,
      { title: say('register.payWaiting'), head: <meta http-equiv="refresh" content="3" /> },
      <Narrow title={say('register.payWaiting')}>
        <p>{say('register.payWaitingText')}</p>
        {charge.url === null ? null : (
          <LinkButton href={charge.url}>{say('register.payAmount', { amount: formatMoney(place.words.locale, charge.amount) })}</LinkButton>
        )}
      </Narrow>,
    )
  }
  return eventPagesOf(web).get(`${AT_EVENT}/register/:flow/pay/return`, get)
}
