import { type Milestone, listAllMilestones } from '../../../../domains/supplier-contracts/milestone-list.ts'
import { recordMilestoneDecision, type MilestoneDecision } from '../../../../domains/supplier-contracts/milestones.ts'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { formatEnglishDateRange } from '../../components/dates.ts'
import { Button, Form } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, EmptyState, StatusDot, DataTable, type ColourTone } from '../../components/parts.tsx'
import { getCsrfToken, type WebContext, type WebServices } from '../../web.ts'
import { runEventChange, CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'

const PATH = `${CONSOLE_EVENT_PATH}/milestones`

const TONES: Record<Milestone['status'], ColourTone | undefined> = {
  upcoming: undefined,
  due: 'warning',
  done: 'success',
  missed: 'danger',
  waived: undefined,
}

const TITLES: Record<Milestone['code'], string> = {
  deposit: 'Deposit',
  review: 'Review date',
  cutoff: 'Cut-off',
  nameDeadline: 'Name deadline',
  roomingList: 'Rooming list',
  insurance: 'Insurance',
  foodGuarantee: 'Food guarantee',
  cancellation: 'Cancellation step',
  finalBill: 'Final bill',
  pickupReport: 'Pickup report',
  commission: 'Commission',
}

const DECISIONS: readonly MilestoneDecision[] = ['done', 'waived', 'reopened']
const LABELS: Record<MilestoneDecision, string> = { done: 'Mark done', waived: 'Waive', reopened: 'Open again' }

const Decisions = ({ here, milestone, csrf }: { here: string; milestone: Milestone; csrf: string }) => {
  const isFinished = milestone.status === 'done' || milestone.status === 'waived'
  return (
    <Form action={`${here}/${milestone.id}`} csrf={csrf} class="row">
      {(isFinished ? (['reopened'] as const) : (['done', 'waived'] as const)).map((decision) => (
        <Button name="decision" value={decision} small>
          {LABELS[decision]}
          <span class="hidden">
            {' '}
            {TITLES[milestone.code]}, {milestone.contract.number}
          </span>
        </Button>
      ))}
    </Form>
  )
}

async function sendMilestones(web: WebServices, c: WebContext, at: EventPageContext) {
  const here = `${at.base}/milestones`
  const csrf = at.permissions.has('sourcing.write') ? getCsrfToken(web, c) : null
  const milestones = await listAllMilestones(at.reading, {})
  const shown = renderContentPage(
    {
      title: 'Milestones',
      heading: 'Milestones',
      text: 'Deadlines from the contracts with suppliers.',
      crumbs: [{ href: at.base, label: at.event.name }],
    },
    <Card pad={false}>
      {milestones.length === 0 ? (
        <EmptyState title="No milestones yet" ask="List the dates in our contracts that I must not miss.">
          <p>
            Milestones come from the dates in <a href={`${at.base}/contracts`}>contracts</a>.
          </p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Milestones"
          rows={milestones}
          columns={[
            { label: 'Milestone', lead: true, cell: ({ code }) => TITLES[code] },
            {
              label: 'Day',
              twoLine: 'detail',
              cell: ({ dueOn, contract }) => (
                <>
                  {formatEnglishDateRange(dueOn, dueOn)}
                  <span class="narrow-only">
                    , <a href={`${at.base}/contracts/${contract.id}`}>{contract.number}</a>, <bdi>{contract.supplier}</bdi>
                  </span>
                </>
              ),
            },
            {
              label: 'Contract',
              cell: ({ contract }) => (
                <span>
                  <a href={`${at.base}/contracts/${contract.id}`}>{contract.number}</a>, <bdi>{contract.supplier}</bdi>
                </span>
              ),
            },
            {
              label: 'At risk',
              number: true,
              twoLine: 'figure',
              cell: ({ amountAtRisk }) =>
                amountAtRisk ? (
                  <>
                    {formatAmountWithCurrency(amountAtRisk)}
                    <span class="narrow-only"> at risk</span>
                  </>
                ) : (
                  ''
                ),
            },
            { label: 'Status', twoLine: 'mark', cell: ({ status }) => <StatusDot tone={TONES[status]}>{status}</StatusDot> },
            ...(csrf === null
              ? []
              : [
                  {
                    label: '',
                    twoLine: 'below' as const,
                    cell: (milestone: Milestone) => <Decisions here={here} milestone={milestone} csrf={csrf} />,
                  },
                ]),
          ]}
        />
      )}
    </Card>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'milestones'), shown)
}

/** `…/milestones`: the dated milestones of all contracts, each to be marked as done or waived. */
export function contractMilestonePages(web: WebServices) {
  return createConsoleRouter(web)
    .get(PATH, async (c) => sendMilestones(web, c, await getEventPageContext(web, c, 'sourcing.read')))
    .post(`${PATH}/:milestone`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'sourcing.write')
      const decision = DECISIONS.find((one) => one === form['decision'])
      const milestoneId = c.req.param('milestone')
      if (decision) await runEventChange(web, at, 'decide_milestone', (ctx) => recordMilestoneDecision(ctx, { milestoneId, decision }))
      return c.redirect(`${at.base}/milestones`, 303)
    })
}
