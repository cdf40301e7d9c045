import { JOB_STATUSES, listJobs } from '../../../domains/access/job-list.ts'
import { type FlaggedCharge, listFlaggedCharges } from '../../../domains/payments/flagged.ts'
import { ListCard, renderListPage } from '../components/list-page.tsx'
import { StatusDot, type TableColumn, TimestampText } from '../components/parts.tsx'
import { formatCodeAsWords } from '../components/plain-words.ts'
import { buildStatusFilter } from '../components/search-bar.tsx'
import type { WebServices } from '../web.ts'
import { requireAuditAccess, AuditAndJobTabs } from './audit/records.tsx'
import { readListQuery } from './filters.ts'
import { createConsoleRouter, createAccountContext, sendConsolePage } from './frame.tsx'

const PATH = '/console/jobs'

type Job = Awaited<ReturnType<typeof listJobs>>['items'][number]

const TONES = { queued: 'accent', running: 'accent', done: 'success', failed: 'danger' } as const

const Progress = ({ job }: { job: Job }) =>
  job.total ? (
    <span class="nowrap">
      <progress value={job.done} max={job.total} aria-label={`Progress of ${formatCodeAsWords(job.name)}`}></progress> {job.done} of{' '}
      {job.total}
    </span>
  ) : null

const COLUMNS: TableColumn<Job>[] = [
  {
    label: 'Job',
    lead: true,
    cell: (job) => (
      <>
        {formatCodeAsWords(job.name)}
        {job.eventName ? (
          <div class="muted">
            <bdi>{job.eventName}</bdi>
          </div>
        ) : null}
        {job.error ? <div class="muted">{job.error}</div> : null}
      </>
    ),
  },
  { label: 'Status', cell: (job) => <StatusDot tone={TONES[job.status]}>{job.status}</StatusDot> },
  { label: 'Progress', cell: (job) => <Progress job={job} /> },
  { label: 'Started by', cell: (job) => job.startedBy ?? '' },
  { label: 'Created', cell: (job) => <TimestampText at={job.createdAt} /> },
  { label: 'Ended', cell: (job) => (job.finishedAt ? <TimestampText at={job.finishedAt} /> : '') },
]

const FLAGGED_COLUMNS: TableColumn<FlaggedCharge>[] = [
  { label: 'Problem', lead: true, cell: ({ flag }) => flag },
  { label: 'Event', cell: ({ eventName }) => <bdi>{eventName}</bdi> },
  { label: 'Order', cell: ({ orderNumber }) => orderNumber ?? '' },
  { label: 'Purpose', cell: ({ purpose }) => formatCodeAsWords(purpose) },
  { label: 'Amount', cell: ({ amount }) => `${amount.amount} ${amount.currency}` },
  { label: 'Status', cell: ({ status }) => formatCodeAsWords(status) },
  { label: 'Created', cell: ({ createdAt }) => <TimestampText at={createdAt} /> },
]

/** `/console/jobs`: background jobs and their status. */
export function backgroundJobPages(web: WebServices) {
  return createConsoleRouter(web).get(PATH, async (c) => {
    const session = c.get('session')
    requireAuditAccess(session.access)
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, 'jobs', ['status'])
    const status = JOB_STATUSES.find((one) => one === filter.status)
    const ctx = { ...createAccountContext(web, session, web.services.database.read), cursorScope }
    const flagged = await listFlaggedCharges(ctx)
    const { items, nextCursor } = await listJobs(ctx, { limit: 50, cursor, status })
    const page = renderListPage({
      title: 'Jobs',
      text: 'Imports, exports and other long-running tasks.',
      before: (
        <>
          <AuditAndJobTabs current="jobs" />
          {flagged.length > 0 ? (
            <ListCard title="Card payments to review" caption="Card payments to review" columns={FLAGGED_COLUMNS} rows={flagged} />
          ) : null}
        </>
      ),
      search: { action: PATH, filters: [buildStatusFilter(JOB_STATUSES, status)] },
      caption: 'Jobs',
      columns: COLUMNS,
      rows: items,
      empty: { title: 'No jobs found', text: 'Imports, exports and large email sends appear here.' },
      pages: pageLinks(PATH, nextCursor),
    })
    return sendConsolePage(web, c, { current: '/console/audit' }, page)
  })
}
