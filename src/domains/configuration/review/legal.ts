import type { Operation } from '../operations.ts'
import { moved, troublesOf } from './order.ts'
import { insertWidget, lastOpenPage } from './repairs.ts'
import { capital, error, type Finding, filledIn, hasRule, type Look, type Place, placeName, warning } from './scene.ts'

/** F25 and F26: what people agree to, and when. */
export function reviewPolicies(look: Look): Finding[] {
  const { places, config } = look
  const asked = new Set(places.flatMap(({ widget }) => (widget.type === 'policy' ? [widget.policy] : [])))
  const payment = places.find(({ widget }) => widget.type === 'payment')
  const unasked = config.policies.filter(({ code, required, retired }) => required && !retired && !asked.has(code))
  const late = places.filter(({ widget, order }) => widget.type === 'policy' && payment && order > payment.order)
  return [
    ...unasked.map(({ code, title }) =>
      error(
        'F25',
        `${look.path}/pages`,
        `Everybody must agree to the policy "${title}", but the flow "${look.flow.name}" never asks for it.`,
        addedPolicy(look, code, payment),
      ),
    ),
    ...late.map((place) =>
      warning(
        'F26',
        place.path,
        `${capital(placeName(look, place))} is asked after the payment; people should agree before they pay.`,
        movedBefore(look, place, payment!),
      ),
    ),
  ]
}

/** Before the payment, else at the end of the last page that everybody sees before the end. */
function addedPolicy(look: Look, policy: string, payment: Place | undefined): Operation[] | null {
  const free = payment && !hasRule(payment.page) ? look.pages[payment.pageIndex] : undefined
  // A page with nothing but a payment may go when nothing costs money.
  const shared = free && free.page.widgets.length > 1
  const page = shared ? free : (lastOpenPage(look, ({ index }) => !payment || index < payment.pageIndex) ?? free)
  const position = page && page === free ? { at: page.page.widgets.indexOf(payment!.widget) } : {}
  const operation = page && insertWidget(look, page, { type: 'policy', policy }, `policy-${policy}`, position)
  return operation ? [operation] : null
}

function movedBefore({ config, flow, scene }: Look, place: Place, payment: Place): Operation[] | null {
  const filled = filledIn(scene, flow)
  const next = moved.widget(flow, place.widget, { before: payment.widget })
  if (troublesOf(config, next, filled) >= troublesOf(config, flow, filled)) return null
  const elsewhere = payment.page === place.page ? {} : { to: `${payment.pagePath}/widgets` }
  return [{ op: 'move', path: place.path, before: payment.widget.id, ...elsewhere }]
}
