import { requireAwardOfRfp } from '../../../../domains/awards/awards.ts'
import { executeAward } from '../../../../domains/awards/execute.ts'
import { readCurrentAward } from '../../../../domains/awards/live-award.ts'
import { proposeAward } from '../../../../domains/awards/propose.ts'
import { type ResponseComparison, readComparison } from '../../../../domains/bids/compare.ts'
import type { ComparisonRow } from '../../../../domains/bids/comparison-rows.ts'
import { COST_CHART_CATEGORIES, formatMinorUnitAmount, COST_CATEGORY_LABELS } from '../../../../domains/bids/picture.ts'
import { recordManualScores } from '../../../../domains/bids/record-scores.ts'
import { type InvitedSupplier, listInvitedSuppliers, readRfpSnapshot, type RfpSnapshot } from '../../../../domains/bids/responses.ts'
import { toComparisonWorkbook } from '../../../../domains/bids/workbook.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { AppError, conflict, invalidArguments } from '../../../../kernel/errors.ts'
import { formatDay, formatInstantWithTimeZone } from '../../../../kernel/language/format.ts'
import { isCurrency } from '../../../../kernel/money.ts'
import { Button, Form, Select } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, EmptyState, StatusDot, StatusLabel, DataTable, TimestampText } from '../../components/parts.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { runEventChange, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { AwardCard } from './award-card.tsx'
import { buildAddSuppliersPrompt, formatRfpStatus } from './rfp-parts.tsx'
import { RFPS_PATH } from './rfps.tsx'

const PATH = `${RFPS_PATH}/:rfp/compare`
const SECTION_NAMES = { cost: 'Cost', rooms: 'Rooms', terms: 'Terms', answers: 'Answers', scores: 'Scores, 0 to 5' }

const isSubmitted = ({ submittedAt }: InvitedSupplier) => submittedAt !== null

const Suppliers = ({ asked, rfp, back }: { asked: readonly InvitedSupplier[]; rfp: RfpSnapshot; back: string }) =>
  asked.length === 0 ? (
    <Card pad={false}>
      <EmptyState title="No suppliers yet" ask={buildAddSuppliersPrompt(rfp.number)}>
        <p>
          Offers are compared here. First add suppliers to <a href={back}>{rfp.number}</a> and send it to them.
        </p>
      </EmptyState>
    </Card>
  ) : (
    <Card
      title="Where the suppliers stand"
      actions={<span class="muted">{`${asked.filter(isSubmitted).length} of ${asked.length} submitted`}</span>}
      pad={false}
    >
      <DataTable
        caption="Suppliers of this RFP with their status"
        columns={[
          { label: 'Supplier', lead: true, cell: ({ name }: InvitedSupplier) => <bdi>{name}</bdi> },
          {
            label: 'Status',
            cell: ({ status }) => <StatusDot tone={status === 'submitted' ? 'success' : undefined}>{formatRfpStatus(status)}</StatusDot>,
          },
          { label: 'Last step', cell: ({ submittedAt, sentAt }) => <TimestampText at={submittedAt ?? sentAt} /> },
        ]}
        rows={asked}
      />
    </Card>
  )

const PART_CLASSES = { rooms: 'k1', food: 'k2', space: 'k3', av: 'k4', fees: 'k5' } as const
const share = (part: number, whole: number) => `${((100 * Math.max(0, part)) / whole).toFixed(2)}%`

/** One bar for each response, whose length is its gross cost. A line in the bar marks the net cost. */
const CostBars = ({ comparison: { offers, currency } }: { comparison: ResponseComparison }) => {
  const longest = Math.max(1, ...offers.map(({ gross }) => gross))
  const parts = COST_CHART_CATEGORIES.filter((part) => offers.some((offer) => offer.parts[part] !== 0))
  return (
    <Card title="Total cost" actions={<span class="muted">{currency}</span>}>
      <div class="compare-picture">
        {offers.map((offer) => {
          let at = 0
          const label = parts
            .map((part) => `${COST_CATEGORY_LABELS[part].toLowerCase()} ${formatMinorUnitAmount(offer.parts[part], currency)}`)
            .join(', ')
          return (
            <div>
              <p class="line-1">
                <strong dir="auto">{offer.supplier.name}</strong>
                <span class="figure">
                  <b>{formatMinorUnitAmount(offer.net, currency)}</b>{' '}
                  <span class="muted">net of {formatMinorUnitAmount(offer.gross, currency)}</span>
                </span>
              </p>
              <svg
                role="img"
                aria-label={`${offer.supplier.name}: ${label}; net ${formatMinorUnitAmount(offer.net, currency)} ${currency}`}
              >
                <rect width="100%" height="100%" class="k0" />
                {parts.map((part) => {
                  const x = share(at, longest)
                  at += offer.parts[part]
                  return <rect x={x} width={share(offer.parts[part], longest)} height="100%" class={PART_CLASSES[part]} />
                })}
                <line class="net" x1={share(offer.net, longest)} x2={share(offer.net, longest)} y1="0" y2="100%" />
              </svg>
            </div>
          )
        })}
      </div>
      <p class="compare-legend">
        {parts.map((part) => (
          <span>
            <svg viewBox="0 0 8 8" aria-hidden="true">
              <rect width="8" height="8" rx="2" class={PART_CLASSES[part]} />
            </svg>
            {COST_CATEGORY_LABELS[part]}
          </span>
        ))}
        <span>
          <svg viewBox="0 0 8 8" aria-hidden="true">
            <line class="net" x1="4" x2="4" y1="0" y2="8" />
          </svg>
          Net, after concessions
        </span>
      </p>
    </Card>
  )
}

/** Formats a value with its unit. Amounts have thousands separators; their currency is in the heading of the table. */
function showValue({ unit, code }: ComparisonRow, value: string | null): string {
  if (value === null) return '–'
  const minus = code === 'concessions' && Number(value) > 0 ? '−' : ''
  if (unit === 'money') return minus + value.replace(/^(-?\d+)/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','))
  if (unit === 'day') return formatDay('en-GB', value)
  return unit === 'percent' ? `${value}%` : unit === 'days' ? `${value} days` : value
}

/** Whether a response has no score for some criterion yet. No total score is marked as the best before all scores are given. */
const lacksScores = (rows: readonly ComparisonRow[]) =>
  rows.some(({ code, values }) => code.startsWith('criterion:') && values.includes(null))

const SideBySide = ({ comparison: { offers, rows, currency } }: { comparison: ResponseComparison }) => {
  const isPartial = lacksScores(rows)
  const isBest = (row: ComparisonRow, index: number) => offers[index]!.id === row.best && !(isPartial && row.code === 'score')
  return (
    <Card title="Side by side" actions={<span class="muted">{currency}</span>} pad={false}>
      <div class="table-wrap" tabindex={0} role="region" aria-label="Comparison of responses">
        <table class="compare">
          <caption class="hidden">Cost, terms and scores of the responses</caption>
          <thead>
            <tr>
              <th scope="col">Item</th>
              {offers.map(({ supplier, round }) => (
                <th scope="col">
                  <bdi>{supplier.name}</bdi>
                  <small>round {round}</small>
                </th>
              ))}
            </tr>
          </thead>
          {[...Map.groupBy(rows, ({ section }) => section)].map(([section, of]) => (
            <tbody>
              <tr class="part">
                <th colspan={offers.length + 1} scope="rowgroup">
                  {SECTION_NAMES[section]}
                </th>
              </tr>
              {of.map((row) => (
                <tr class={row.code === 'net' || row.code === 'score' ? 'total' : undefined}>
                  <th scope="row" dir="auto">
                    {row.item}
                    {isPartial && row.code === 'score' ? <small class="muted"> without the missing scores</small> : null}
                  </th>
                  {row.values.map((value, index) => (
                    <td dir="auto" class={isBest(row, index) ? 'best' : undefined}>
                      {showValue(row, value)}
                      {isBest(row, index) ? <span class="hidden"> best</span> : null}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </Card>
  )
}

const Risks = ({ comparison: { offers, risks } }: { comparison: ResponseComparison }) => (
  <Card title="Risks">
    {risks.length === 0 ? (
      <p class="muted">None found.</p>
    ) : (
      <ul class="tasks">
        {risks.map(({ responseId, message }) => (
          <li>
            <h3 dir="auto">{offers.find(({ id }) => id === responseId)!.supplier.name}</h3>
            <p class="why">{message}</p>
          </li>
        ))}
      </ul>
    )}
  </Card>
)

const HALVES = Array.from({ length: 11 }, (_half, index) => (index / 2).toFixed(1))

/** The form for the user's own scores. Only criteria that people judge are listed. */
const ScoringForm = ({ comparison: { rfp, offers }, here, csrf }: { comparison: ResponseComparison; here: string; csrf: string }) => {
  const manual = rfp.rubric?.criteria.filter(({ scorer }) => scorer === 'manual') ?? []
  if (manual.length === 0 || rfp.status === 'awarded' || rfp.status === 'cancelled') return null
  return (
    <Card title="Your scores">
      <Form action={`${here}/scores`} csrf={csrf} class="stack">
        {offers.map(({ id, supplier }) => (
          <fieldset class="subform">
            <legend class="legend" dir="auto">
              {supplier.name}
            </legend>
            {manual.map(({ code, name }) => (
              <Select
                name={`score-${id}-${code}`}
                label={name}
                value=""
                options={[{ value: '', label: 'No change' }, ...HALVES.map((half) => ({ value: half, label: half }))]}
              />
            ))}
          </fieldset>
        ))}
        <Button>Save scores</Button>
      </Form>
    </Card>
  )
}

async function sendComparePage(web: WebServices, c: WebContext, at: EventPageContext, formErrors?: FormErrors | null) {
  const rfp = await readRfpSnapshot(at.reading, c.req.param('rfp') ?? '')
  const asked = await listInvitedSuppliers(at.reading, rfp)
  const back = `${at.base}/rfps/${rfp.id}`
  const here = `${back}/compare`
  const compared = rfp.isSealed ? null : await readIfPossible(at, rfp)
  const comparison = compared && 'offers' in compared ? compared : null
  const csrf = at.permissions.has('sourcing.write') ? getCsrfToken(web, c) : null
  const award = rfp.isSealed ? null : await readCurrentAward(at.reading, rfp)
  const page = renderContentPage(
    {
      title: `Compare offers, ${rfp.number}, ${at.event.name}`,
      heading: 'Compare offers',
      text: rfp.isSealed ? (
        <>
          <StatusLabel tone="accent">Sealed</StatusLabel> Offers open on{' '}
          {formatInstantWithTimeZone('en-GB', rfp.response_due_at, at.event.timezone)}. Amounts are hidden from everyone until then, you
          included.
        </>
      ) : (
        `Offers from ${new Set(comparison?.offers.map(({ supplier }) => supplier.name)).size} of ${asked.length} suppliers`
      ),
      crumbs: [
        { href: `${at.base}/rfps`, label: 'RFPs' },
        { href: back, label: rfp.number },
      ],
      ...(comparison
        ? {
            actions: (
              <>
                <a class="button" href={`${here}.xlsx`}>
                  Excel
                </a>
                {award?.row.status === 'proposed' ? (
                  <a class="button primary" href="#award">
                    Review award
                  </a>
                ) : null}
                {award === null && csrf !== null && rfp.status !== 'cancelled' ? (
                  <a class="button primary" href={`${here}/propose`}>
                    Propose an award
                  </a>
                ) : null}
              </>
            ),
          }
        : {}),
      formErrors,
    },
    comparison ? (
      <div class="grid wide-left">
        <div class="grid">
          <CostBars comparison={comparison} />
          <SideBySide comparison={comparison} />
        </div>
        <div class="grid">
          {award === null ? null : <AwardCard award={award} here={here} csrf={csrf} />}
          <Risks comparison={comparison} />
          {csrf === null ? null : <ScoringForm comparison={comparison} here={here} csrf={csrf} />}
        </div>
      </div>
    ) : (
      <div class="stack">
        {rfp.isSealed || asked.length === 0 ? null : (
          <EmptyState title="Nothing to compare yet">{compared && 'message' in compared ? <p>{compared.message}</p> : null}</EmptyState>
        )}
        <Suppliers asked={asked} rfp={rfp} back={back} />
      </div>
    ),
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'rfps'), page)
}

/** Reads the comparison of the responses, or the reason why there is none, such as no responses or a missing exchange rate. */
async function readIfPossible(at: EventPageContext, { id }: RfpSnapshot): Promise<ResponseComparison | { message: string }> {
  try {
    return await readComparison(at.reading, { rfpId: id })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { message: error.message }
  }
}

function readScoreFields(form: FormValues) {
  const scores = Object.entries(form).flatMap(([field, value]) => {
    const [, responseId, criterion] = /^score-([0-9a-f]{24})-(.+)$/.exec(field) ?? []
    return responseId === undefined || !HALVES.includes(value ?? '') ? [] : [{ responseId, criterion: criterion!, score: Number(value) }]
  })
  if (scores.length === 0) throw invalidArguments([{ path: '', message: 'Choose at least one score' }])
  return scores
}

/** Executes the award (the choice of suppliers) that the page showed. All other suppliers get the same reason. */
async function decideAward(ctx: EventContext, rfpId: string, form: FormValues) {
  const reason = (form['reason'] ?? '').trim().slice(0, 2000)
  return executeAward(ctx, {
    awardId: await requireShownAward(ctx, rfpId, form),
    ...(reason === '' ? {} : { declineReason: reason }),
    discloseWinner: form['disclose'] === 'on',
    keepOpen: false,
  })
}

const withdrawProposal = async (ctx: EventContext, rfpId: string, form: FormValues) =>
  proposeAward(ctx, { awardId: await requireShownAward(ctx, rfpId, form), withdraw: true })

function requireShownAward(ctx: EventContext, rfpId: string, form: FormValues): Promise<string> {
  if (!form['award']) throw conflict('There is no proposed award on this page. Open the page again')
  return requireAwardOfRfp(ctx, rfpId, form['award'])
}

/**
 * `…/rfps/<id>/compare`: compares the responses to an RFP. While the responses are sealed, it only lists the suppliers that have sent one.
 */
export function responseComparisonPages(web: WebServices) {
  const changing =
    (action: string, run: (ctx: EventContext, rfpId: string, form: FormValues) => Promise<unknown>, label = '') =>
    async (c: WebContext) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'sourcing.write')
      const { id } = await readRfpSnapshot(at.reading, c.req.param('rfp') ?? '')
      const failed = await catchFormErrors(
        () => runEventChange(web, at, action, (ctx) => run(ctx, id, form)),
        () => label,
      )
      return failed ? sendComparePage(web, c, at, failed) : c.redirect(`${at.base}/rfps/${id}/compare?done=saved`, 303)
    }
  return createConsoleRouter(web)
    .get(PATH, async (c) => sendComparePage(web, c, await getEventPageContext(web, c, 'sourcing.read')))
    .get(`${PATH}.xlsx`, async (c) => {
      const at = await getEventPageContext(web, c, 'sourcing.read')
      const currency = (c.req.query('currency') ?? '').toUpperCase()
      const comparison = await readComparison(at.reading, {
        rfpId: c.req.param('rfp') ?? '',
        ...(isCurrency(currency) ? { currency } : {}),
      })
      return c.body((await toComparisonWorkbook(comparison)) as never, 200, {
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        'content-disposition': `attachment; filename="comparison-${comparison.rfp.number}.xlsx"`,
        'cache-control': 'no-store',
      })
    })
    .post(
      `${PATH}/scores`,
      changing('record_manual_scores', (ctx, rfpId, form) => recordManualScores(ctx, { rfpId, scores: readScoreFields(form) }), 'Score'),
    )
    .post(`${PATH}/award`, changing('execute_award', decideAward))
    .post(`${PATH}/withdraw`, changing('propose_award', withdrawProposal))
}
