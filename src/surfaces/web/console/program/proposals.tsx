import { listSubmissions } from '../../../../domains/submissions/list.ts'
import { type Decision, DECISIONS, SUBMISSION_STATES, type SubmissionStatus } from '../../../../domains/submissions/states.ts'
import { readSubmissionConfig } from '../../../../domains/submissions/submissions.ts'
import manageSubmission from '../../../../toolsets/sessions/manage-submission.ts'
import { LinkButton } from '../../components/forms.tsx'
import { ActionCard } from '../../components/form-page.tsx'
import { renderListPage } from '../../components/list-page.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import type { TableColumn } from '../../components/parts.tsx'
import { formatCodeAsWords } from '../../components/plain-words.ts'
import { buildStatusFilter } from '../../components/search-bar.tsx'
import type { FormErrors } from '../../fields.ts'
import { formatTotalWithNoun } from '../../totals.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../../web.ts'
import { type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { readListQuery } from '../filters.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { CONFIRM_BUTTON, runFormToolCall } from '../tool-call.ts'
import {
  mayChangeProgram,
  findNameByCode,
  formatSubmissionStatus,
  PROGRAM_PATH,
  type ProgramConfig,
  ProgramTabs,
  SubmissionStatusLabel,
  toSelectOptions,
} from './program-page.tsx'

interface Proposal {
  number: string
  title: string
  status: SubmissionStatus
  pending: Decision | null
  trackCode: string
  formatCode: string
  speakers?: { name: string }[] | undefined
  reviews: { done: number; wanted: number }
  adjusted: number | null
}

const columns = (base: string, config: ProgramConfig): TableColumn<Proposal>[] => [
  {
    label: 'Proposal',
    lead: true,
    cell: ({ number, title }) => (
      <>
        <a href={`${base}/program/${number}`} dir="auto">
          {title}
        </a>{' '}
        <span class="muted nowrap">{number}</span>
      </>
    ),
  },
  { label: 'Speakers', cell: ({ speakers }) => <bdi>{speakers?.map(({ name }) => name).join(', ') || '–'}</bdi> },
  { label: 'Track', wideOnly: true, cell: ({ trackCode }) => <bdi>{findNameByCode(config.tracks, trackCode)}</bdi> },
  { label: 'Reviews', number: true, cell: ({ reviews: { done, wanted } }) => `${done} of ${wanted}` },
  { label: 'Score', number: true, cell: ({ adjusted }) => adjusted ?? '' },
  { label: 'Status', cell: (proposal) => <SubmissionStatusLabel {...proposal} /> },
]

interface InformResult {
  submissions?: { number: string }[]
  skipped?: { reason: string; count: number }[]
}

/** `…/program`: the proposals with their reviews and decisions. */
export function proposalPages(web: WebServices) {
  async function sendList(c: WebContext, at: EventPageContext, formErrors: FormErrors | null = null) {
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `submissions of ${at.event.id}`, ['search', 'status', 'track'])
    const here = `${at.base}/program`
    const { sessions } = (await readSubmissionConfig(at.reading)).config
    const status = SUBMISSION_STATES.all.find((one) => one === filter.status)
    const trackCode = sessions.tracks.find(({ code }) => code === filter.track)?.code
    const ctx = { ...at.reading, cursorScope }
    const found = await listSubmissions(ctx, {
      search: filter.search,
      status: status && [status],
      trackCode,
      sort: 'submittedAt',
      limit: 50,
      cursor,
    })
    const waiting = await countUninformed(at)
    const mayChange = mayChangeProgram(at)
    const page = renderListPage({
      title: `Programme of ${at.event.name}`,
      heading: 'Programme',
      text: `Proposals of the call for papers, and the sessions they became. ${formatTotalWithNoun(found, 'proposal')}.`,
      crumbs: [{ href: at.base, label: at.event.name }],
      actions: mayChange ? (
        <LinkButton href={`${here}/new`} tone="primary">
          Add a session
        </LinkButton>
      ) : null,
      formErrors,
      before: (
        <>
          <ProgramTabs base={at.base} current="proposals" />
          {waiting > 0 && mayChange && at.permissions.has('email.send') ? (
            <ActionCard
              title="Decisions that authors do not know yet"
              text={`${formatTotalWithNoun({ total: waiting }, 'proposal')} decided. The authors see “under review” until you inform them by email.`}
              action={`${here}/inform`}
              csrf={getCsrfToken(web, c)}
              submit="Inform authors…"
            />
          ) : null}
        </>
      ),
      search: {
        action: here,
        search: { label: 'Search proposals', placeholder: 'Title or speaker', value: filter.search },
        filters: [
          {
            ...buildStatusFilter([], filter.status),
            options: SUBMISSION_STATES.all.map((value) => ({ value, label: formatCodeAsWords(formatSubmissionStatus(value)) })),
          },
          { name: 'track', label: 'Track', any: 'Any track', options: toSelectOptions(sessions.tracks), value: filter.track },
        ],
      },
      caption: 'Proposals',
      columns: columns(at.base, sessions),
      rows: found.submissions as Proposal[],
      empty: {
        title: 'No proposals found',
        ask: `Open a call for papers for ${at.event.name} until the end of the month.`,
        text: 'Speakers propose sessions on the page of the call for papers. You can also add a session yourself.',
      },
      pages: pageLinks(here, found.nextCursor, found.total),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'program'), page)
  }

  return createConsoleRouter(web)
    .get(PROGRAM_PATH, async (c) => sendList(c, await getEventPageContext(web, c, 'sessions.read')))
    .post(`${PROGRAM_PATH}/inform`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'sessions.write')
      const call = await runFormToolCall<InformResult>(web, at, { tool: manageSubmission, args: { action: 'inform' }, form, fields: [] })
      if ('done' in call) return c.redirect(`${at.base}/program?done=informed`, 303)
      if ('refused' in call) return sendList(c, at, { message: call.refused.message })
      if ('unread' in call) return sendList(c, at)
      const { result, hidden } = call.checked
      const count = result.submissions?.length ?? 0
      const skipped = (result.skipped ?? []).map((one) => `${one.count} ${one.reason}`).join(', ')
      const page = renderChangePreviewPage({
        title: `Inform the authors of ${formatTotalWithNoun({ total: count }, 'proposal')}?`,
        crumbs: [{ href: `${at.base}/program`, label: 'Programme' }],
        action: c.req.path,
        csrf: getCsrfToken(web, c),
        hidden,
        effects: `Each author gets an email with the decision, which cannot be changed later.${skipped ? ` No email: ${skipped}.` : ''}`,
        submit: 'Send emails',
        submitAs: CONFIRM_BUTTON,
        tone: 'primary',
        back: { href: `${at.base}/program`, label: 'Cancel' },
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'program'), page)
    })
}

/** Counts the authors who are not informed yet of a decision about their proposal. */
async function countUninformed(at: EventPageContext): Promise<number> {
  let sum = 0
  for (const pending of DECISIONS)
    sum += (await listSubmissions({ ...at.reading, cursorScope: '' }, { pending, sort: 'submittedAt', limit: 1 })).total ?? 0
  return sum
}
