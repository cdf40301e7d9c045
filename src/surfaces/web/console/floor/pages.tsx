import { listFloorPlans } from '../../../../domains/exhibitors/plans/list-plans.ts'
import { FLOOR_PLAN_MAP_LAYERS, drawFloorPlanMap } from '../../../../domains/exhibitors/plans/plan-map.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { Button, Form, LinkButton } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { EmptyState, Notice } from '../../components/parts.tsx'
import type { FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { readQueryFilter } from '../filters.ts'
import { createConsoleRouter, requireConsoleForm, requirePermission, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { submitBoothAction } from './booth-acts.tsx'
import { BoothPanel, readBoothPanelData } from './booth-panel.tsx'
import { ScanFindingsForm, getScanFindingSymbol, type DisplayedPlanScan } from './findings.tsx'
import { createPlan, NewFloorPlanForms } from './new-plan.tsx'
import {
  applyScanFindings,
  submitBoothLayout,
  submitPlanArchiving,
  copyPlan,
  BoothLayoutForm,
  PlanActionsCard,
  submitPlanPublication,
  rescanPlan,
} from './plan-acts.tsx'
import { FLOOR_PLANS_PATH, getPlanPageContext, mayChangePlans, FLOOR_PLAN_PATH, type PlanPageContext } from './plan-page.ts'
import {
  BOOTH_STATUSES,
  BoothTable,
  buildPlanPath,
  PlanHeading,
  FloorPlanMapCard,
  type PlanPageQuery,
  PlanTabs,
  PLAN_ZOOM_LEVELS,
} from './plan-view.tsx'

const MAX_PLANS = 100

const listPlans = async (reading: EventContext) => (await listFloorPlans({ ...reading, cursorScope: '' }, { limit: MAX_PLANS })).floorPlans

function readQuery(c: WebContext): PlanPageQuery {
  const { layer, zoom, booth, status } = readQueryFilter(c, ['layer', 'zoom', 'booth', 'status'])
  return {
    layer: FLOOR_PLAN_MAP_LAYERS.find((one) => one === layer) ?? 'booths',
    zoom: PLAN_ZOOM_LEVELS.find((one) => one === zoom) ?? '1',
    booth,
    status: BOOTH_STATUSES.find((one) => one === status),
  }
}

/** A notice with the number of detected objects or proposed booths that were just added to the plan. The URL contains the numbers. */
const AppliedNotice = ({ c }: { c: WebContext }) => {
  const [applied, skipped] = [Number(c.req.query('applied') ?? Number.NaN), Number(c.req.query('skipped') ?? 0)]
  if (!Number.isInteger(applied)) return null
  const left = Number.isInteger(skipped) && skipped > 0 ? ` ${skipped} could not be placed and are still listed.` : ''
  return (
    <Notice tone={left ? 'warning' : 'success'}>
      <p>
        {applied} applied to the plan.{left}
      </p>
    </Notice>
  )
}

const SCAN_TEXTS: Record<string, string> = {
  queued: 'The drawing waits to be read.',
  running: 'The drawing is being read.',
  failed: 'The drawing could not be read.',
  cancelled: 'Reading the drawing was cancelled.',
}

const ScanNotice = ({ at, scan, query }: { at: PlanPageContext; scan: DisplayedPlanScan | null; query: PlanPageQuery }) => {
  if (!scan || scan.status === 'done') return null
  const isWaiting = scan.status === 'queued' || scan.status === 'running'
  return (
    <Notice tone={isWaiting ? 'accent' : 'danger'}>
      <p>
        {SCAN_TEXTS[scan.status]} {scan.error ?? ''} {isWaiting ? <a href={buildPlanPath(at, query, {})}>Check again</a> : null}
      </p>
    </Notice>
  )
}

async function sendPlanPage(
  web: WebServices,
  c: WebContext,
  at: PlanPageContext,
  { formErrors = null, booth }: { formErrors?: FormErrors | null; booth?: string } = {},
) {
  const query = { ...readQuery(c), ...(booth ? { booth } : {}) }
  const map = await drawFloorPlanMap(at.reading, at.plan, {
    layer: query.layer,
    picked: query.booth,
    hrefOf: (number) => buildPlanPath(at, query, { booth: number, layer: query.layer === 'flow' ? 'flow' : 'booths' }),
    markOf: getScanFindingSymbol,
  })
  const isKnown = map.booths.some(({ row }) => row.number === query.booth)
  const panel = isKnown ? await readBoothPanelData(at, query.booth!) : null
  const csrf = at.mayChange ? getCsrfToken(web, c) : null
  const side = panel ? (
    <BoothPanel at={at} facts={panel} csrf={csrf} />
  ) : query.layer === 'findings' && map.scan?.status === 'done' ? (
    <ScanFindingsForm at={at} scan={map.scan} csrf={csrf} />
  ) : query.layer === 'layout' && map.layout ? (
    <BoothLayoutForm at={at} layout={map.layout} csrf={csrf} />
  ) : null
  const page = renderContentPage(
    {
      title: `${at.plan.name}, floor plan`,
      head: (
        <PlanHeading at={at} booths={map.booths}>
          {csrf === null ? null : <LinkButton href={`${at.base}/floor-plans/new`}>New plan</LinkButton>}
          {csrf === null ? null : (
            <Form action={`${at.here}/publish`} csrf={csrf}>
              <Button tone={at.plan.status === 'published' ? undefined : 'primary'}>
                {at.plan.status === 'published' ? 'Publish again' : 'Publish plan'}
              </Button>
            </Form>
          )}
        </PlanHeading>
      ),
      formErrors,
    },
    <div class="plan-page">
      <PlanTabs base={at.base} plans={await listPlans(at.reading)} current={at.plan.code} />
      <AppliedNotice c={c} />
      <ScanNotice at={at} scan={map.scan} query={query} />
      <div class={side ? 'grid plan-grid' : 'grid'}>
        <FloorPlanMapCard at={at} map={map} query={query} />
        {side}
        {query.layer === 'findings' ? null : <BoothTable at={at} booths={map.booths} query={query} />}
      </div>
      {csrf === null ? null : <PlanActionsCard at={at} csrf={csrf} formErrors={formErrors} />}
    </div>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'floor-plans'), page)
}

async function sendNewPlanPage(
  web: WebServices,
  c: WebContext,
  at: EventPageContext,
  { form, formErrors = null }: { form?: FormValues; formErrors?: FormErrors | null } = {},
) {
  const plans = await listPlans(at.reading)
  const page = renderContentPage(
    {
      title: `Floor plans of ${at.event.name}`,
      heading: plans.length === 0 ? 'Floor plans' : 'New floor plan',
      text: plans.length === 0 ? 'The halls of the exhibition, their booths and companies.' : undefined,
      crumbs: [
        { href: at.base, label: at.event.name },
        ...(plans.length === 0 ? [] : [{ href: `${at.base}/floor-plans`, label: 'Floor plans' }]),
      ],
      formErrors,
    },
    <div class="plan-page">
      {mayChangePlans(at) ? (
        <NewFloorPlanForms at={at} csrf={getCsrfToken(web, c)} formErrors={formErrors} {...(form ? { form } : {})} />
      ) : (
        <EmptyState title="No floor plan yet">
          <p>Colleagues who manage exhibitors can add one.</p>
        </EmptyState>
      )}
    </div>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'floor-plans'), page)
}

/** `…/floor-plans`: the halls with their booths, the objects detected in uploaded drawings, proposed layouts and actions. */
export function floorPlanPages(web: WebServices) {
  type Outcome = Response | { to: string } | FormErrors
  const change = (run: (c: WebContext, at: PlanPageContext, form: FormValues) => Promise<Outcome>) => async (c: WebContext) => {
    const form = await requireConsoleForm(web, c)
    const at = await getPlanPageContext(web, c, 'exhibitors.write')
    const outcome = await run(c, at, form)
    if (outcome instanceof Response) return outcome
    if ('to' in outcome) return c.redirect(outcome.to, 303)
    return sendPlanPage(web, c, at, { formErrors: outcome })
  }
  const changeBooth = async (c: WebContext) => {
    const form = await requireConsoleForm(web, c)
    const at = await getPlanPageContext(web, c, 'exhibitors.write')
    const number = c.req.param('booth') ?? ''
    const facts = await readBoothPanelData(at, number)
    const outcome = await submitBoothAction(web, c, at, { facts, form })
    return outcome instanceof Response ? outcome : sendPlanPage(web, c, at, { formErrors: outcome, booth: facts.booth.number })
  }
  return createConsoleRouter(web)
    .get(FLOOR_PLANS_PATH, async (c) => {
      const at = await getEventPageContext(web, c, 'exhibitors.read')
      const plans = await listPlans(at.reading)
      const first = plans.find(({ status }) => status === 'published') ?? plans[0]
      return first ? c.redirect(`${at.base}/floor-plans/${first.code}`, 303) : sendNewPlanPage(web, c, at)
    })
    .get(`${FLOOR_PLANS_PATH}/new`, async (c) => sendNewPlanPage(web, c, await getEventPageContext(web, c, 'exhibitors.write')))
    .post(`${FLOOR_PLANS_PATH}/new`, async (c) => {
      const at = await getEventPageContext(web, c, 'exhibitors.write')
      requirePermission(at.event.name, at.permissions, 'exhibitors.write')
      const created = await createPlan(web, c, at)
      return 'to' in created ? c.redirect(created.to, 303) : sendNewPlanPage(web, c, at, created)
    })
    .get(FLOOR_PLAN_PATH, async (c) => sendPlanPage(web, c, await getPlanPageContext(web, c)))
    .post(
      `${FLOOR_PLAN_PATH}/publish`,
      change((_, at) => submitPlanPublication(web, at)),
    )
    .post(
      `${FLOOR_PLAN_PATH}/copy`,
      change((_, at, form) => copyPlan(web, at, form)),
    )
    .post(
      `${FLOOR_PLAN_PATH}/findings`,
      change((_, at, form) => applyScanFindings(web, at, form)),
    )
    .post(
      `${FLOOR_PLAN_PATH}/layout`,
      change((_, at, form) => submitBoothLayout(web, at, form)),
    )
    .post(
      `${FLOOR_PLAN_PATH}/scan`,
      change((_, at) => rescanPlan(web, at)),
    )
    .post(
      `${FLOOR_PLAN_PATH}/archive`,
      change((c, at, form) => submitPlanArchiving(web, c, at, form)),
    )
    .post(`${FLOOR_PLAN_PATH}/booths/:booth`, changeBooth)
}
