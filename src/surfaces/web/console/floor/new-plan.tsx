import { createDrawnFloorPlan } from '../../../../domains/exhibitors/plans/edit-plan.ts'
import { createPlanFromFile } from '../../../../domains/exhibitors/plans/source-plan.ts'
import { FILE_PURPOSES } from '../../../../domains/files/purposes.ts'
import { MAX_SOURCE_FILE_BYTES } from '../../../../domains/exhibitors/plan-scans/source-drawing.ts'
import { toSlug } from '../../../../kernel/ids.ts'
import { Button, Form, Input, Select } from '../../components/forms.tsx'
import { createFieldPropsGetter } from '../../components/form-page.tsx'
import { AssistantPrompt, Card } from '../../components/parts.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { commitThenDeleteUnusedUploads, readFormWithFiles } from '../../uploads.ts'
import type { FormValues, WebContext, WebServices } from '../../web.ts'
import { runEventChange, type EventPageContext } from '../event/event-page.ts'
import { createInvalidFormError } from '../frame.tsx'

const UNITS = [
  { value: 'm', label: 'Metres' },
  { value: 'ft', label: 'Feet' },
]

const MEGABYTES = MAX_SOURCE_FILE_BYTES / 1024 / 1024

interface NewPlanProps {
  at: EventPageContext
  csrf: string
  form?: FormValues
  formErrors?: FormErrors | null
}

/** Two forms for the first floor plan: upload of a drawing that the server reads, or an empty hall of a given size. */
export const NewFloorPlanForms = ({ at, csrf, form = {}, formErrors = null }: NewPlanProps) => {
  const action = `${at.base}/floor-plans/new`
  const field = createFieldPropsGetter(form, formErrors)
  const drawing = field('drawing')
  return (
    <>
      <Form action={action} csrf={csrf} class="drop" files>
        <h2>Upload the drawing of the hall</h2>
        <p>DXF, SVG, PDF or a picture, up to {MEGABYTES} MB. We read walls, doors, exits and pillars from it; you confirm what we found.</p>
        <div class="field">
          <label for="drawing">Drawing</label>
          <input
            id="drawing"
            name="drawing"
            type="file"
            accept={['.dxf', ...FILE_PURPOSES.floorPlan.accept].join(',')}
            aria-invalid={drawing.error ? 'true' : undefined}
            aria-describedby={drawing.error ? 'drawing-error' : undefined}
          />
          {drawing.error ? (
            <span class="error" id="drawing-error">
              {drawing.error}
            </span>
          ) : null}
        </div>
        <div class="fields-2">
          <Input {...field('name')} label="Name of the hall" optional="(optional)" maxlength={63} autocomplete="off" />
          <Select {...field('units')} label="Units of the plan" options={UNITS} />
        </div>
        <Button tone="primary" name="how" value="drawing">
          Upload drawing
        </Button>
      </Form>
      <Card title="Or start with an empty hall">
        <Form action={action} csrf={csrf} class="stack" files>
          <div class="fields-2">
            <Input {...field('hall')} label="Name of the hall" maxlength={63} autocomplete="off" />
            <Select {...field('hallUnits')} label="Units" options={UNITS} />
          </div>
          <div class="fields-2">
            <Input {...field('width')} label="Width" help="In the units above" inputmode="decimal" autocomplete="off" />
            <Input {...field('height')} label="Depth" help="In the units above" inputmode="decimal" autocomplete="off" />
          </div>
          <Button name="how" value="hall">
            Create hall
          </Button>
        </Form>
      </Card>
      <AssistantPrompt
        id="plan-prompt"
        text={`Create a floor plan for a hall of 40 by 30 m at ${at.event.name} and fit as many 3 by 3 m booths as possible.`}
      />
    </>
  )
}

const unitsOf = (value: string | undefined) => (value === 'ft' ? 'ft' : 'm')
const LABELS: Record<string, string> = { width: 'Width', height: 'Depth', name: 'Name', hall: 'Name' }
const labelOf = (path: string) => LABELS[path] ?? ''

/** Creates a floor plan from the form. Returns its URL, or the form with its errors. */
export async function createPlan(
  web: WebServices,
  c: WebContext,
  at: EventPageContext,
): Promise<{ to: string } | { form: FormValues; formErrors: FormErrors }> {
  const sent = await readFormWithFiles(web, c, {
    drawing: { tenantId: at.session.tenantId, purpose: 'floorPlan', maxBytes: MAX_SOURCE_FILE_BYTES },
  })
  if (!sent) throw createInvalidFormError(web, c)
  const { form, refused } = sent
  if (refused.length > 0) return { form, formErrors: { errors: refused } }
  return form['how'] === 'hall' ? createHall(web, at, form) : createFromDrawing(web, at, sent)
}

async function createHall(web: WebServices, at: EventPageContext, form: FormValues) {
  const name = (form['hall'] ?? '').trim()
  const [width, height] = [Number(form['width']), Number(form['height'])]
  const errors = [
    ...(name === '' ? [{ path: 'hall', message: 'Enter the name of the hall.' }] : []),
    ...(width >= 1 ? [] : [{ path: 'width', message: 'Enter the width of the hall.' }]),
    ...(height >= 1 ? [] : [{ path: 'height', message: 'Enter the depth of the hall.' }]),
  ]
  if (errors.length > 0) return { form, formErrors: { errors } }
  const plan = { code: toSlug(name), name, units: unitsOf(form['hallUnits']), width, height } as const
  const formErrors = await catchFormErrors(
    () => runEventChange(web, at, 'manage_floor_plans', (ctx) => createDrawnFloorPlan(ctx, plan)),
    labelOf,
  )
  return formErrors ? { form, formErrors } : { to: `${at.base}/floor-plans/${plan.code}` }
}

async function createFromDrawing(
  web: WebServices,
  at: EventPageContext,
  { form, files }: NonNullable<Awaited<ReturnType<typeof readFormWithFiles>>>,
) {
  const [file] = files
  if (!file) return { form, formErrors: { errors: [{ path: 'drawing', message: 'Choose the drawing of the hall.' }] } }
  const name = (form['name'] ?? '').trim() || file.upload.name.replace(/\.[^.]*$/, '').slice(0, 63)
  const plan = { code: toSlug(name), name, units: unitsOf(form['units']) } as const
  const formErrors = await catchFormErrors(
    () =>
      commitThenDeleteUnusedUploads(web, at.session, files, async () => {
        await runEventChange(web, at, 'manage_floor_plans', (ctx) => createPlanFromFile(ctx, plan, file.upload))
        return { deletedFiles: [] }
      }),
    labelOf,
  )
  return formErrors ? { form, formErrors } : { to: `${at.base}/floor-plans/${plan.code}?layer=findings` }
}
