import { revokeSupplierLinks } from '../../../../domains/suppliers/links.ts'
import { cancelRfp, editRfp } from '../../../../domains/rfps/cancel.ts'
import { listRfps, postAndReadQuestion, readRfpDetail } from '../../../../domains/rfps/list.ts'
import { readRfpEmailSettings } from '../../../../domains/rfps/emails.ts'
import { renderRfpPdf } from '../../../../domains/rfps/pdf.ts'
import { getRecipient, getRfp } from '../../../../domains/rfps/rfps.ts'
import { recordChange } from '../../../../kernel/audit.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { invalidArguments, notFound } from '../../../../kernel/errors.ts'
import { chooseTranslator } from '../../../../kernel/language/translator.ts'
import { isCalendarDay, wallTimeToInstant } from '../../../../kernel/time.ts'
import { formatEnglishDateRange } from '../../components/dates.ts'
import { formatInteger } from '../../components/figures.tsx'
import { LinkButton } from '../../components/forms.tsx'
import { renderListPage } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { AssistantPrompt, Card, DescriptionList, StatusDot, type TableColumn, TimestampText } from '../../components/parts.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { runEventChange, CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { readListQuery } from '../filters.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import {
  CancelRfpForm,
  QuestionsCard,
  RfpRecipients,
  RFP_STATUS_COLOURS,
  type RfpDetail,
  RfpDeadlinesForm,
  formatRfpStatus,
} from './rfp-parts.tsx'

export const RFPS_PATH = `${CONSOLE_EVENT_PATH}/rfps`
const PATH = `${RFPS_PATH}/:rfp`
const NEW_RFP = 'Create a request for proposal from our latest brief, due in three weeks. Tell me first if the brief is not locked.'

type Summary = Awaited<ReturnType<typeof listRfps>>['rfps'][number]

const columns = (base: string): TableColumn<Summary>[] => [
  {
    label: 'RFP',
    lead: true,
    cell: ({ id, number, title }) => (
      <>
        <a href={`${base}/rfps/${id}`} dir="auto">
          {title}
        </a>
        <div class="muted">{number}</div>
      </>
    ),
  },
  { label: 'Status', twoLine: 'mark', cell: ({ status }) => <StatusDot tone={RFP_STATUS_COLOURS[status]}>{status}</StatusDot> },
  {
    label: 'Due',
    twoLine: 'detail',
    cell: ({ number, responseDueAt }) => (
      <span>
        <span class="narrow-only">{number}, due </span>
        <TimestampText at={new Date(responseDueAt)} />
      </span>
    ),
  },
  { label: 'Suppliers', number: true, cell: ({ recipients }) => recipients.total },
  {
    label: 'Submitted',
    number: true,
    twoLine: 'figure',
    cell: ({ recipients: { submitted, total } }) => (
      <span>
        {submitted}
        <span class="narrow-only"> of {total} submitted</span>
      </span>
    ),
  },
  { label: 'Turned down', number: true, wideOnly: true, cell: ({ recipients }) => recipients.turnedDown },
  {
    label: 'Open questions',
    number: true,
    twoLine: 'below',
    cell: ({ openQuestions }) =>
      openQuestions === 0 ? null : (
        <span>
          {openQuestions}
          <span class="narrow-only"> open {openQuestions === 1 ? 'question' : 'questions'}</span>
        </span>
      ),
  },
]

/** Describes how many suppliers have answered, such as "2 of 3 submitted, 1 not answered yet". */
function describeCounts({ total, notSent, sent, submitted, turnedDown, noResponse }: RfpDetail['counts']): string {
  if (total === 0) return 'None yet'
  const others: [count: number, words: string][] = [
    [sent, 'not answered yet'],
    [turnedDown, 'turned down'],
    [noResponse, 'without response'],
    [notSent, 'not sent'],
  ]
  return [
    `${submitted} of ${total} submitted`,
    ...others.flatMap(([count, words]) => (count > 0 ? `${formatInteger(count)} ${words}` : [])),
  ].join(', ')
}

const Overview = ({ rfp, at }: { rfp: RfpDetail; at: EventPageContext }) => (
  <Card title="Request">
    <DescriptionList
      rows={[
        ['Status', <StatusDot tone={RFP_STATUS_COLOURS[rfp.status]}>{formatRfpStatus(rfp.status)}</StatusDot>],
        ...(rfp.cancelledReason ? ([['Cancelled because', <bdi>{rfp.cancelledReason}</bdi>]] as [string, never][]) : []),
        ['Brief', <a href={`${at.base}/briefs/${rfp.briefId}`}>Version {rfp.briefVersion}</a>],
        ['Dates', rfp.dateOptions.map(({ arrival, departure }) => formatEnglishDateRange(arrival, departure)).join(', or ')],
        ['Questions until', <TimestampText at={new Date(rfp.questionsDueAt)} />],
        ['Responses until', <TimestampText at={new Date(rfp.responseDueAt)} />],
        ['Decision on', formatEnglishDateRange(rfp.decisionOn, rfp.decisionOn)],
        ['Sealed', rfp.sealed ? 'Yes: no organizer can read responses before the due time' : 'No'],
        ['Round', String(rfp.round)],
        ['Suppliers', describeCounts(rfp.counts)],
      ]}
    />
  </Card>
)

async function sendRfpPage(web: WebServices, c: WebContext, at: EventPageContext, formErrors?: FormErrors | null) {
  const rfp = await readRfpDetail(at.reading, c.req.param('rfp') ?? '')
  const csrf = at.permissions.has('sourcing.write') ? getCsrfToken(web, c) : null
  const part = { rfp, here: `${at.base}/rfps/${rfp.id}`, csrf }
  const page = renderContentPage(
    {
      title: `${rfp.number}, ${at.event.name}`,
      heading: rfp.title,
      text: rfp.number,
      actions: (
        <>
          <LinkButton href={`${part.here}/request.pdf`}>PDF</LinkButton>
          {rfp.status === 'draft' ? null : (
            <LinkButton tone="primary" href={`${part.here}/compare`}>
              Compare offers
            </LinkButton>
          )}
        </>
      ),
      crumbs: [
        { href: at.base, label: at.event.name },
        { href: `${at.base}/rfps`, label: 'RFPs' },
      ],
      formErrors,
    },
    <div class="stack">
      <Overview rfp={rfp} at={at} />
      <RfpRecipients {...part} />
      <QuestionsCard {...part} />
      <RfpDeadlinesForm {...part} zone={at.event.timezone} />
      <CancelRfpForm {...part} />
    </div>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'rfps'), page)
}

const LABELS: Record<string, string> = {
  questionsDueAt: 'Questions until',
  responseDueAt: 'Responses until',
  decisionOn: 'Decision on',
  reason: 'Reason',
  title: 'Title',
}

/** Reads the times of the form, which are in the time zone of the event. */
function readTimes(form: FormValues, zone: string) {
  const toInstant = (path: 'questionsDueAt' | 'responseDueAt', day = '', time = '') => {
    if (!isCalendarDay(day) || !/^([01]\d|2[0-3]):[0-5]\d$/.test(time))
      throw invalidArguments([{ path, message: 'enter a day and a time such as 17:00' }])
    return wallTimeToInstant(zone, `${day}T${time}:00`)
  }
  const { title = '', decisionOn = '' } = form
  if (title.trim() === '') throw invalidArguments([{ path: 'title', message: 'must not be empty' }])
  if (!isCalendarDay(decisionOn)) throw invalidArguments([{ path: 'decisionOn', message: 'enter a day' }])
  return {
    title: title.trim().slice(0, 200),
    questionsDueAt: toInstant('questionsDueAt', form['questionsDay'], form['questionsTime']),
    responseDueAt: toInstant('responseDueAt', form['responseDay'], form['responseTime']),
    decisionOn,
  }
}

function requireReason(form: FormValues): string {
  const reason = (form['reason'] ?? '').trim()
  if (reason === '' || reason.length > 2000) throw invalidArguments([{ path: 'reason', message: 'enter 1 to 2,000 characters' }])
  return reason
}

async function endLinks(ctx: EventContext, rfpId: string, recipientId: string): Promise<void> {
  const recipient = await getRecipient(ctx, recipientId)
  if (recipient.rfp_id !== rfpId) throw notFound(`No recipient ${recipientId} of this RFP`)
  const linksRevoked = await revokeSupplierLinks(ctx, { rfpRecipientId: recipientId })
  recordChange(ctx, { kind: 'rfpRecipient', id: recipientId, after: { linksRevoked } })
}

/** `…/rfps`: the RFPs of an event, each with its suppliers, questions, times and cancellation. */
export function rfpPages(web: WebServices) {
  const changing =
    (action: string, run: (ctx: EventContext, rfpId: string, form: FormValues) => Promise<unknown>) => async (c: WebContext) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'sourcing.write')
      const { id } = await getRfp(at.reading, c.req.param('rfp') ?? '')
      const failed = await catchFormErrors(
        () => runEventChange(web, at, action, (ctx) => run(ctx, id, form)),
        (path) => LABELS[path] ?? '',
      )
      return failed ? sendRfpPage(web, c, at, failed) : c.redirect(`${at.base}/rfps/${id}?done=saved`, 303)
    }
  return createConsoleRouter(web)
    .get(RFPS_PATH, async (c) => {
      const at = await getEventPageContext(web, c, 'sourcing.read')
      const { cursor, cursorScope, pageLinks } = readListQuery(c, `rfps of ${at.event.id}`, [])
      const found = await listRfps({ ...at.reading, cursorScope }, { limit: 50, cursor })
      const page = renderListPage({
        title: `RFPs of ${at.event.name}`,
        heading: 'Requests for proposal',
        text: 'Requests to hotels and venues, newest first.',
        crumbs: [{ href: at.base, label: at.event.name }],
        caption: 'Requests for proposal, newest first',
        columns: columns(at.base),
        rows: found.rfps,
        foot: found.rfps.length > 0 && at.permissions.has('sourcing.write') ? <AssistantPrompt id="ask-rfp" text={NEW_RFP} /> : null,
        empty: {
          title: 'No RFPs yet',
          ask: NEW_RFP,
          text: (
            <>
              An RFP is made from a locked <a href={`${at.base}/briefs`}>brief</a>, which says what the event needs.
            </>
          ),
        },
        pages: pageLinks(`${at.base}/rfps`, found.nextCursor),
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'rfps'), page)
    })
    .get(PATH, async (c) => sendRfpPage(web, c, await getEventPageContext(web, c, 'sourcing.read')))
    .get(`${PATH}/request.pdf`, async (c) => {
      const at = await getEventPageContext(web, c, 'sourcing.read')
      // Organizers download the same PDF that suppliers get by email, in the language of the event.
      const words = chooseTranslator((await readRfpEmailSettings(at.reading)).locale)
      const { name, mime, content } = await renderRfpPdf(at.reading, await getRfp(at.reading, c.req.param('rfp')), words)
      const headers = { 'content-type': mime, 'content-disposition': `attachment; filename="${name}"`, 'cache-control': 'no-store' }
      return c.body(new Uint8Array(content), 200, headers)
    })
    .post(
      `${PATH}/times`,
      changing('edit_rfp', (ctx, rfpId, form) => editRfp(ctx, rfpId, readTimes(form, ctx.event.timezone))),
    )
    .post(
      `${PATH}/cancel`,
      changing('cancel_rfp', (ctx, rfpId, form) => cancelRfp(ctx, rfpId, requireReason(form))),
    )
    .post(
      `${PATH}/answer`,
      changing('post_rfp_question', (ctx, rfpId, form) => {
        const answerTo = form['question'] ?? ''
        const body = (form[`body-${answerTo}`] ?? '').trim()
        if (body === '' || body.length > 4000)
          throw invalidArguments([{ path: `body-${answerTo}`, message: 'Enter an answer of at most 4,000 characters' }])
        return postAndReadQuestion(ctx, { rfpId, answerTo, body, shareWith: form['shareWith'] === 'asker' ? 'asker' : 'all' })
      }),
    )
    .post(
      `${PATH}/links`,
      changing('revoke_supplier_links', (ctx, rfpId, form) => endLinks(ctx, rfpId, form['recipient'] ?? '')),
    )
}
