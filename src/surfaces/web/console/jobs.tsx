import { JOB_STATUSES, listJobs } from '../../../domains/access/job-list.ts'
import { type FlaggedCharge, listFlaggedCharges } from '../../../domains/payments/flagged.ts'
import { Heading } from '../components/layout.tsx'
import { Badge, Card, EmptyState, Pagination, Table, Time } from '../components/parts.tsx'
import type { Web } from '../web.ts'
import { requireAuditAccess, RecordTabs } from './audit/records.tsx'
import { readQueryFilter, pageLinks, cursorScopeFor } from './filters.ts'
import { consolePages, accountContext, sendConsolePage } from './frame.tsx'

const PATH = '/console/jobs'

type Jobs = Awaited<ReturnType<typeof listJobs>>['items']

const TONES = { queued: 'accent', running: 'accent', done: 'success', failed: 'danger' } as const

const Progress = ({ job }: { job: Jobs[number] }) =>
  job.total ? (
    <span class="nowrap">
      <progress value={job.done} max={job.total} aria-label={`Progress of ${job.name}`}></progress> {job.done} of {job.total}
    </span>
  ) : null

const JobTable = ({ jobs }: { jobs: Jobs }) => (
  <Table
    caption="Jobs"
    rows={jobs}
    columns={[
      { label: 'Job', lead: true, cell: (job) => job.name },
      { label: 'Event', short: true, cell: (job) => (job.eventCode ? <code>{job.eventCode}</code> : '') },
      { label: 'Status', cell: (job) => <Badge tone={TONES[job.status]}>{job.status}</Badge> },
      { label: 'Progress', cell: (job) => <Progress job={job} /> },
      { label: 'Started by', cell: (job) => job.startedBy ?? '' },
      { label: 'Created', cell: (job) => <Time at={job.createdAt} /> },
      { label: 'Ended', cell: (job) => (job.finishedAt ? <Time at={job.finishedAt} /> : '') },
      { label: 'Error', cell: (job) => job.error ?? '' },
    ]}
  />
)

const FlaggedCharges = ({ charges }: { charges: readonly FlaggedCharge[] }) =>
  charges.length === 0 ? null : (
    <Card title="Card payments to review" pad={false}>
      <Table
        caption="Card payments to review"
        rows={charges}
        columns={[
          { label: 'Problem', lead: true, cell: ({ flag }) => flag },
          { label: 'Event', short: true, cell: ({ eventCode }) => <code>{eventCode}</code> },
          { label: 'Order', cell: ({ orderNumber }) => orderNumber ?? '' },
          { label: 'Purpose', cell: ({ purpose }) => purpose },
          { label: 'Amount', cell: ({ amount }) => `${amount.amount} ${amount.currency}` },
          { label: 'Status', cell: ({ status }) => status },
          { label: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </Card>
  )

/** `/console/jobs`: background jobs and their status. */
export function jobPages(web: Web) {
  return consolePages(web).get(PATH, async (c) => {
    const session = c.get('session')
    requireAuditAccess(session.access)
    const filter = readQueryFilter(c, ['status'])
    const status = JOB_STATUSES.find((one) => one === filter.status)
    const cursor = c.req.query('cursor') || undefined
    const ctx = { ...accountContext(web, session, web.services.database.read), cursorScope: cursorScopeFor(session.userId, 'jobs', filter) }
    const flagged = await listFlaggedCharges(ctx)
    const { items, nextCursor } = await listJobs(ctx, { limit: 50, cursor, status })
    return sendConsolePage(
      web,
      c,
      { title: 'Jobs', current: '/console/audit' },
      <>
        <Heading title="Jobs" text="Long-running tasks. They continue after a restart." />
        <RecordTabs current="jobs" />
        <FlaggedCharges charges={flagged} />
        <Card pad={false}>
          <form method="get" action={PATH} class="search card-pad" role="search">
            <label class="hidden" for="status">
              Status
            </label>
            <select id="status" name="status">
              <option value="">Any status</option>
              {JOB_STATUSES.map((one) => (
                <option value={one} selected={one === status}>
                  {one}
                </option>
              ))}
            </select>
            <button type="submit" class="button">
              Filter
            </button>
          </form>
          {items.length > 0 ? (
            <JobTable jobs={items} />
          ) : (
            <EmptyState title="No jobs found">
              <p>Imports, exports and large email sends appear here.</p>
            </EmptyState>
          )}
          <Pagination {...pageLinks(PATH, filter, cursor, nextCursor)} />
        </Card>
      </>,
    )
  })
}
