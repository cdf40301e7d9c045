import { computeOfferCost } from '../../../domains/bids/cost.ts'
import { countRoomsOfNight } from '../../../domains/briefs/needs.ts'
import { describeNeeds, formatDates, listRequestedOccupancies, summarizeNeeds } from '../../../domains/rfps/describe-needs.ts'
import { formatDay, formatInstantWithTimeZone, formatNumber } from '../../../kernel/language/format.ts'
import { Form } from '../components/forms.tsx'
import { Card, Notice, StatusLabel, type ColourTone } from '../components/parts.tsx'
import type { FormErrors } from '../fields.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../web.ts'
import { LinkRecipientCard, type SupplierTab, SupplierPageLayout } from './frame.tsx'
import { capitalizeOfferLabel } from './offer-fields.ts'
import { RfpQuestions } from './questions.tsx'
import { formatMinorUnits, readRfpView, type RfpView } from './rfp.ts'
import { showSupplierPage, type SupplierPageContext } from './site.tsx'
import { DeclineRfpForm, WithdrawOfferForm } from './turn-down.tsx'

/** The colour of the badge by state; other states have no badge. */
const BADGES: Partial<Record<string, ColourTone | undefined>> = {
  acknowledged: 'success',
  inProgress: 'accent',
  submitted: 'success',
  turnedDown: 'warning',
  withdrawn: 'warning',
  noResponse: 'warning',
  declined: undefined,
  awarded: 'success',
}
type BadgeState = 'acknowledged' | 'inProgress' | 'submitted' | 'turnedDown' | 'withdrawn' | 'noResponse' | 'declined' | 'awarded'

export const RfpBadges = ({ view: { at, rfp, recipient } }: { view: RfpView }) => {
  const { say } = at.site.words
  return (
    <>
      <StatusLabel tone="accent">{rfp.number}</StatusLabel>
      {rfp.status === 'cancelled' ? <StatusLabel tone="danger">{say('supplier.state.cancelled')}</StatusLabel> : null}
      {recipient.status in BADGES ? (
        <StatusLabel tone={BADGES[recipient.status]}>{say(`supplier.state.${recipient.status as BadgeState}`)}</StatusLabel>
      ) : null}
    </>
  )
}

export function listSupplierTabs({ at, questions, recipient }: RfpView, current: 'request' | 'offer'): SupplierTab[] {
  const { say } = at.site.words
  const hasDraft = Object.keys(recipient.draft).length > 0
  const mark = recipient.status === 'submitted' ? say('supplier.mark.sent') : hasDraft ? say('supplier.mark.draft') : undefined
  return [
    { path: at.home, label: say('supplier.tab.request'), isCurrent: current === 'request' },
    { path: `${at.home}#questions`, label: say('supplier.tab.questions'), mark: questions.length || undefined, isCurrent: false },
    { path: `${at.home}/offer`, label: say('supplier.tab.offer'), mark, isCurrent: current === 'offer' },
  ]
}

const Needs = ({ view: { at, rfp } }: { view: RfpView }) => {
  const { words } = at.site
  const { say, locale } = words
  const occupancies = listRequestedOccupancies(rfp)
  const number = (value: number) => formatNumber(locale, value)
  return (
    <Card
      title={say('supplier.needed')}
      pad={false}
      actions={
        <a class="tap" href={`${at.home}/request.pdf`}>
          PDF
        </a>
      }
    >
      <div class="card-body">
        <dl class="facts">
          {describeNeeds(rfp, words).map(({ label, lines }) => (
            <>
              <dt>{label}</dt>
              <dd>
                {lines.map((line) => (
                  <div dir="auto">{capitalizeOfferLabel(line)}</div>
                ))}
              </dd>
            </>
          ))}
        </dl>
      </div>
      {occupancies.length === 0 ? null : (
        <table class="table folds">
          <caption class="hidden">{say('rfp.byNight')}</caption>
          <thead>
            <tr>
              <th scope="col">{say('rfp.night')}</th>
              {occupancies.map((one) => (
                <th scope="col" class="number">
                  {say(`rfp.${one}`)}
                </th>
              ))}
              {occupancies.length > 1 ? (
                <th scope="col" class="number">
                  {say('rfp.rooms')}
                </th>
              ) : null}
            </tr>
          </thead>
          <tbody>
            {rfp.requirements.roomsByNight!.map((need) => (
              <tr>
                <th scope="row">{formatDay(locale, need.night)}</th>
                {occupancies.map((one) => (
                  <td class="number" data-label={say(`rfp.${one}`)}>
                    {number(need[one] ?? 0)}
                  </td>
                ))}
                {occupancies.length > 1 ? (
                  <td class="number" data-label={say('rfp.rooms')}>
                    {number(countRoomsOfNight(need))}
                  </td>
                ) : null}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}

const Attachments = ({ view: { at, attachments } }: { view: RfpView }) =>
  attachments.length === 0 ? null : (
    <Card title={at.site.words.say('supplier.attachments')}>
      <ul class="stack">
        {attachments.map(({ name, url }) => (
          <li>
            <a href={url} dir="auto">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  )

const DAY_MS = 86_400_000

const DueCard = ({ view, csrf }: { view: RfpView; csrf: string }) => {
  const { at, rfp, recipient } = view
  const { say, locale } = at.site.words
  const { now, timezone } = at.site.facts
  const moment = formatInstantWithTimeZone(locale, rfp.response_due_at, timezone)
  const days = Math.floor((rfp.response_due_at.getTime() - now.getTime()) / DAY_MS)
  const hasDraft = Object.keys(recipient.draft).length > 0
  if (!view.isOpen)
    return (
      <div class="due-card">
        <p class="left">{say('supplier.closed', { moment })}</p>
        <a class="button wide" href={`${at.home}/offer`}>
          {say('supplier.read')}
        </a>
      </div>
    )
  return (
    <div class="due-card">
      <p class="muted small">{say('supplier.due')}</p>
      <p class="left">{moment}</p>
      <p>
        <strong>{days > 0 ? say('supplier.left', { count: days }) : say('supplier.leftToday')}</strong>
      </p>
      <p class="small muted">{rfp.sealed ? say('supplier.sealed', { client: at.site.client.name }) : say('supplier.notSealed')}</p>
      {recipient.status === 'turnedDown' ? null : (
        <a class="button primary wide" href={`${at.home}/offer`}>
          {say(recipient.status === 'submitted' ? 'supplier.change' : hasDraft ? 'supplier.continue' : 'supplier.start')}
        </a>
      )}
      {['sent', 'opened'].includes(recipient.status) ? (
        <Form action={`${at.home}/acknowledge`} csrf={csrf} class="stack">
          <button type="submit" class="button wide">
            {say('supplier.acknowledge')}
          </button>
          <p class="small muted">{say('supplier.acknowledgeText')}</p>
        </Form>
      ) : null}
    </div>
  )
}

const Timeline = ({ view: { at, rfp } }: { view: RfpView }) => {
  const { say, locale } = at.site.words
  const moment = (instant: Date) => formatInstantWithTimeZone(locale, instant, at.site.facts.timezone)
  const steps = [
    [say('supplier.next.questions'), moment(rfp.questions_due_at)],
    [say('supplier.next.offers'), moment(rfp.response_due_at)],
    [say('supplier.next.decision'), say('supplier.next.everyone', { day: formatDay(locale, rfp.decision_on) })],
  ]
  return (
    <Card title={say('supplier.next')}>
      <ol class="timeline steps-ahead">
        {steps.map(([label, when]) => (
          <li>
            <strong>{label}</strong>
            <span class="when">{when}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

const SentOffers = ({ view: { at, rfp, responses } }: { view: RfpView }) => {
  const { say, locale } = at.site.words
  if (responses.length === 0) return null
  return (
    <Card title={say('supplier.offers')}>
      <ul class="stack">
        {responses.toReversed().map(({ date_option, round, content, submitted_at, withdrawn_at }) => (
          <li>
            <strong>
              {say('supplier.offers.line', {
                dates: formatDates(locale, rfp.date_options[date_option]!),
                amount: formatMinorUnits(at, computeOfferCost(rfp, date_option, content).net, content.currency),
              })}
            </strong>
            <div class="small muted">
              {say('supplier.offers.sent', { round, moment: formatInstantWithTimeZone(locale, submitted_at, at.site.facts.timezone) })}
              {withdrawn_at === null ? null : ` · ${say('supplier.offers.replaced')}`}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const DONE = ['acknowledged', 'asked', 'answered', 'turnedDown', 'takenBack', 'withdrawn', 'submitted'] as const

const StateNotice = ({ view, done }: { view: RfpView; done: string | undefined }) => {
  const { at, rfp, recipient } = view
  const { say } = at.site.words
  const client = at.site.client.name
  const message = DONE.find((one) => one === done)
  if (rfp.status === 'cancelled')
    return <Notice tone="warning">{say('supplier.says.cancelled', { client, reason: rfp.cancelled_reason ?? '' })}</Notice>
  if (message) return <Notice tone="success">{say(`supplier.done.${message}`)}</Notice>
  const { status } = recipient
  if (status === 'declined' || status === 'awarded')
    return <Notice tone={status === 'awarded' ? 'success' : 'accent'}>{say(`supplier.says.${status}`, { client })}</Notice>
  if (status === 'turnedDown' || status === 'noResponse' || (status === 'withdrawn' && view.isOpen))
    return <Notice tone="warning">{say(`supplier.says.${status}`)}</Notice>
  const hasEarlier = view.responses.some(({ round, withdrawn_at }) => round < rfp.round && withdrawn_at === null)
  return view.isOpen && rfp.round > 1 && hasEarlier ? <Notice>{say('supplier.round', { round: rfp.round })}</Notice> : null
}

/** Shows the first page that a supplier sees: what the RFP asks for, its deadline, and questions and answers. */
export async function showRequestPage(
  web: WebServices,
  c: WebContext,
  at: SupplierPageContext,
  formErrors: (FormErrors & { sent: Record<string, string> }) | null = null,
) {
  const view = await readRfpView(at)
  const { rfp, supplier } = view
  const { words } = at.site
  const csrf = getCsrfToken(web, c)
  const lead = words.say('supplier.lead', {
    client: at.site.client.name,
    supplier,
    needs: summarizeNeeds(rfp, words),
    event: at.site.event.name,
  })
  return showSupplierPage(
    web,
    c,
    at,
    { title: `${words.say('supplier.title')} ${rfp.number}`, status: formErrors ? 400 : 200 },
    <SupplierPageLayout
      at={at}
      badges={<RfpBadges view={view} />}
      title={words.say('supplier.title')}
      lead={lead}
      tabs={listSupplierTabs(view, 'request')}
      notice={<StateNotice view={view} done={c.req.query('done')} />}
    >
      <div class="mine-grid with-due">
        <div>
          <DueCard view={view} csrf={csrf} />
          <SentOffers view={view} />
        </div>
        <div class="main-side">
          <Needs view={view} />
          <Attachments view={view} />
          <RfpQuestions view={view} csrf={csrf} formErrors={formErrors} />
          <DeclineRfpForm view={view} csrf={csrf} formErrors={formErrors} />
        </div>
        <div>
          <WithdrawOfferForm view={view} csrf={csrf} />
          <Timeline view={view} />
          <LinkRecipientCard at={at} />
        </div>
      </div>
    </SupplierPageLayout>,
  )
}
