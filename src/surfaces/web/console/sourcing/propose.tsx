import { z } from 'zod'
import type { AWARD_WARNINGS } from '../../../../domains/awards/warnings.ts'
import { type ResponseComparison, readComparison } from '../../../../domains/bids/compare.ts'
import type { PricedOffer } from '../../../../domains/bids/offers.ts'
import { formatMinorUnitAmount } from '../../../../domains/bids/picture.ts'
import { formatDates } from '../../../../domains/rfps/describe-needs.ts'
import { type money, object, text } from '../../../../kernel/args.ts'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import proposeAward from '../../../../toolsets/sourcing/propose-award.ts'
import { createFieldPropsGetter, renderFormPage } from '../../components/form-page.tsx'
import { Select, TextArea } from '../../components/forms.tsx'
import { Notice } from '../../components/parts.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { type FieldLabelLookup, type FormErrors, validateFormFields } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { CONFIRM_BUTTON, runFormToolCall } from '../tool-call.ts'
import { RFPS_PATH } from './rfps.tsx'

const PATH = `${RFPS_PATH}/:rfp/compare/propose`
const FIELDS = ['response', 'rationale'] as const
const LABELS: Record<string, string> = { response: 'Offer', rationale: 'Reasons' }

type Amount = z.output<ReturnType<typeof money>>

/** The part of the result of `propose_award` that the page shows. */
interface Proposed {
  award: { lines: readonly { supplier: string; rooms: number }[] }
  total: Amount
  savings: Amount
  overLimit: boolean
  warnings: readonly { code: (typeof AWARD_WARNINGS)[number]; message: string }[]
}

const nameOffer = ({ supplier, dates, net }: PricedOffer, { rfp, currency }: ResponseComparison): string =>
  [
    supplier.name,
    ...(rfp.date_options.length > 1 ? [formatDates('en-GB', dates)] : []),
    `${formatMinorUnitAmount(net, currency)} ${currency} net`,
  ].join(', ')

const Proposal = object({
  response: text(24),
  rationale: z.string().trim().min(20, 'at least 20 characters').max(4000, 'at most 4,000 characters'),
})
const labelOf: FieldLabelLookup = (path) => LABELS[path] ?? ''

function describeEffects({ award, total, savings, overLimit }: Proposed): string {
  const [line] = award.lines
  const rooms = line!.rooms === 0 ? '' : ` with ${line!.rooms.toLocaleString('en-GB')} room nights`
  const saved = Number(savings.amount) > 0 ? `, ${formatAmountWithCurrency(savings)} less than the first offer` : ''
  return [
    `${line!.supplier} is proposed${rooms} for ${formatAmountWithCurrency(total)} gross${saved}.`,
    'No supplier gets an email yet.',
    overLimit
      ? 'The amount is above the approval limit: another person with the permission for money decides.'
      : 'The award can be decided or withdrawn on the page of the comparison.',
  ].join(' ')
}

/**
 * `…/rfps/<id>/compare/propose`: proposes an award (the choice of suppliers for an RFP). The first step asks for offer and reasons, the
 * second shows the dry run.
 */
export function awardProposalPages(web: WebServices) {
  const sharedParts = (c: WebContext, at: EventPageContext, { rfp }: ResponseComparison) => {
    const compare = `${at.base}/rfps/${rfp.id}/compare`
    return {
      title: `Propose an award, ${rfp.number}`,
      crumbs: [
        { href: `${at.base}/rfps/${rfp.id}`, label: rfp.number },
        { href: compare, label: 'Compare offers' },
      ],
      action: `${compare}/propose`,
      csrf: getCsrfToken(web, c),
    }
  }

  function sendForm(
    c: WebContext,
    at: EventPageContext,
    comparison: ResponseComparison,
    form: FormValues,
    formErrors: FormErrors | null = null,
  ) {
    const fields = createFieldPropsGetter(form, formErrors)
    const page = renderFormPage({
      ...sharedParts(c, at, comparison),
      formErrors,
      submit: 'Review',
      cancel: `${at.base}/rfps/${comparison.rfp.id}/compare`,
      children: (
        <>
          <Select
            {...fields('response')}
            label="Offer"
            help="The lowest net cost is first. To split the rooms between several hotels, ask your assistant to propose the award."
            options={comparison.offers.map((offer) => ({ value: offer.id, label: nameOffer(offer, comparison) }))}
          />
          <TextArea
            {...fields('rationale')}
            label="Reasons"
            rows={4}
            maxlength={4000}
            help="At least 20 characters. The approver reads them."
          />
        </>
      ),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'rfps'), page)
  }

  return createConsoleRouter(web)
    .get(PATH, async (c) => {
      const at = await getEventPageContext(web, c, 'sourcing.write')
      return sendForm(c, at, await readComparison(at.reading, { rfpId: c.req.param('rfp') ?? '' }), {})
    })
    .post(PATH, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'sourcing.write')
      const comparison = await readComparison(at.reading, { rfpId: c.req.param('rfp') ?? '' })
      const rfpId = comparison.rfp.id
      const read = validateFormFields(Proposal, { response: form['response'], rationale: form['rationale'] }, labelOf)
      const args = 'errors' in read ? null : { rfpId, lines: [{ responseId: read.data.response }], rationale: read.data.rationale }
      const call = await runFormToolCall<Proposed>(web, at, { tool: proposeAward, args, form, fields: FIELDS })
      if ('done' in call) return c.redirect(`${at.base}/rfps/${rfpId}/compare?done=saved#award`, 303)
      if ('refused' in call) return sendForm(c, at, comparison, form, { message: call.refused.message })
      if ('unread' in call) return sendForm(c, at, comparison, form, 'errors' in read ? read : {})
      const { result, hidden } = call.checked
      const page = renderChangePreviewPage({
        ...sharedParts(c, at, comparison),
        before: result.warnings.map(({ message }) => (
          <Notice tone="warning">
            <p>{message}.</p>
          </Notice>
        )),
        hidden: { ...hidden, response: form['response'], rationale: form['rationale'] },
        condition: 'If you continue:',
        effects: <bdi>{describeEffects(result)}</bdi>,
        submit: 'Propose the award',
        submitAs: CONFIRM_BUTTON,
        tone: 'primary',
        back: { href: `${at.base}/rfps/${rfpId}/compare`, label: 'Cancel' },
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'rfps'), page)
    })
}
