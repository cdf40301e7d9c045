import { cleanText } from '../../../../kernel/clean-text.ts'
import { toSlug } from '../../../../kernel/ids.ts'
import manageFloorPlans from '../../../../toolsets/exhibitors/manage-floor-plans.ts'
import scanFloorPlanPois from '../../../../toolsets/exhibitors/scan-floor-plan-pois.ts'
import type { FloorPlanMap } from '../../../../domains/exhibitors/plans/plan-map.ts'
import { Button, Form, Input, Select } from '../../components/forms.tsx'
import { Card } from '../../components/parts.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { listFieldValues } from '../../form-values.ts'
import type { FormValues, WebContext, WebServices } from '../../web.ts'
import { isConfirmed, sendConfirmPage } from '../confirm-page.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { callEventTool } from '../tool-call.ts'
import { formatTotalWithNoun } from '../../totals.ts'
import type { PlanPageContext } from './plan-page.ts'

interface PlanResult {
  floorPlan: { code: string }
  applied?: number
  skipped?: { id: string; reason: string }[]
}

const LABELS: Record<string, string> = { code: 'Code' }
const labelOf = (path: string) => LABELS[path] ?? ''

/** Runs one action of manage_floor_plans. Returns the URL to redirect to, or the errors that the page of the floor plan shows. */
async function act(
  web: WebServices,
  at: PlanPageContext,
  args: Record<string, unknown>,
  next: (result: PlanResult) => string,
): Promise<{ to: string } | FormErrors> {
  let to = at.here
  const failed = await catchFormErrors(async () => {
    to = next(await callEventTool<PlanResult>(web, at, manageFloorPlans, args))
  }, labelOf)
  return failed ?? { to }
}

export const submitPlanPublication = (web: WebServices, at: PlanPageContext) =>
  act(web, at, { action: 'publish', floorPlanCode: at.plan.code }, () => `${at.here}?done=plan-published`)

/** Copies the floor plan within the event, under a code derived from the new name. */
export const copyPlan = (web: WebServices, at: PlanPageContext, form: FormValues): Promise<{ to: string } | FormErrors> => {
  const name = cleanText(form['copyName'] ?? '', 63).trim()
  if (name === '') return Promise.resolve({ errors: [{ path: 'copyName', message: 'Enter a name for the copy.' }] })
  return act(
    web,
    at,
    { action: 'copy', floorPlanCode: at.plan.code, code: toSlug(name) },
    ({ floorPlan }) => `${at.base}/floor-plans/${floorPlan.code}?done=plan-copied`,
  )
}

export const applyScanFindings = (web: WebServices, at: PlanPageContext, form: FormValues): Promise<{ to: string } | FormErrors> => {
  const findingIds = listFieldValues(form, 'finding')
    .flatMap((ids) => ids.split(','))
    .filter((id) => id !== '')
  if (findingIds.length === 0) return Promise.resolve({ message: 'Select at least one finding.' })
  return act(
    web,
    at,
    { action: 'apply_scan', scanId: form['scan'] ?? '', findingIds },
    ({ applied = 0, skipped = [] }) => `${at.here}?layer=findings&applied=${applied}&skipped=${skipped.length}`,
  )
}

const REPLACED = [
  { value: 'none', label: 'Keep all booths' },
  { value: 'available', label: 'Replace available booths' },
]

export const submitBoothLayout = (web: WebServices, at: PlanPageContext, form: FormValues) =>
  act(
    web,
    at,
    { action: 'apply_layout', layoutId: form['layout'] ?? '', replace: form['replace'] === 'available' ? 'available' : 'none' },
    ({ applied = 0 }) => `${at.here}?applied=${applied}`,
  )

/** Starts another scan of the source file of the floor plan. */
export async function rescanPlan(web: WebServices, at: PlanPageContext): Promise<{ to: string } | FormErrors> {
  const failed = await catchFormErrors(() => callEventTool(web, at, scanFloorPlanPois, { floorPlanCode: at.plan.code }), labelOf)
  return failed ?? { to: `${at.here}?layer=findings` }
}

/** Asks for confirmation, then archives the plan. */
export async function submitPlanArchiving(
  web: WebServices,
  c: WebContext,
  at: PlanPageContext,
  form: FormValues,
): Promise<Response | { to: string } | FormErrors> {
  if (!isConfirmed(form))
    return sendConfirmPage(web, c, form, {
      title: `Archive ${at.plan.name}?`,
      text: 'Visitors and exhibitors no longer see this plan. Its booths keep their companies, and you can publish it again.',
      button: 'Archive plan',
      back: at.here,
      ...getNavigationPosition(at, 'floor-plans'),
    })
  return act(web, at, { action: 'archive', floorPlanCode: at.plan.code }, () => `${at.here}?done=saved`)
}

/** The booth layout that an assistant proposed, with the button that applies it. */
export const BoothLayoutForm = ({
  at,
  layout,
  csrf,
}: {
  at: PlanPageContext
  layout: NonNullable<FloorPlanMap['layout']>
  csrf: string | null
}) => (
  <section class="card plan-side" aria-labelledby="layout-title">
    <div class="card-pad">
      <h2 id="layout-title">Layout of {formatTotalWithNoun({ total: layout.result.booths.length }, 'booth')}</h2>
      <p class="by">Nothing changes on the plan until you apply it.</p>
      {csrf === null ? null : (
        <Form action={`${at.here}/layout`} csrf={csrf} class="stack">
          <input type="hidden" name="layout" value={layout.id} />
          <Select name="replace" label="Booths on the plan" options={REPLACED} value="none" />
          <Button tone="primary">Apply layout</Button>
        </Form>
      )}
    </div>
  </section>
)

/** The card with the actions of a floor plan: copy, archive, and scan the source file again. */
export const PlanActionsCard = ({ at, csrf, formErrors }: { at: PlanPageContext; csrf: string; formErrors: FormErrors | null }) => (
  <Card title="Copy or archive">
    <div class="stack">
      <Form action={`${at.here}/copy`} csrf={csrf} class="row">
        <Input
          name="copyName"
          label="Copy this plan as"
          maxlength={63}
          autocomplete="off"
          help="Copies the hall. Booths whose numbers are taken at this event are left out."
          error={formErrors?.errors?.find(({ path }) => path === 'copyName')?.message}
        />
        <Button>Copy plan</Button>
      </Form>
      <div class="actions">
        {at.plan.source_file_id === null ? null : (
          <Form action={`${at.here}/scan`} csrf={csrf}>
            <Button>Read the drawing again</Button>
          </Form>
        )}
        {at.plan.status === 'archived' ? null : (
          <Form action={`${at.here}/archive`} csrf={csrf}>
            <Button tone="danger">Archive plan…</Button>
          </Form>
        )}
      </div>
    </div>
  </Card>
)
