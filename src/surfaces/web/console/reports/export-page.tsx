import { PERSONAL_DATA_LEVELS } from '../../../../domains/reports/export/options.ts'
import { readReportSettings } from '../../../../domains/tenancy/report-settings.ts'
import exportEvent from '../../../../toolsets/reports/export-event.ts'
import type { AppError } from '../../../../kernel/errors.ts'
import { RadioGroup } from '../../components/choices.tsx'
import { formatInteger } from '../../components/figures.tsx'
import { FormActions, Button, Checkbox, ErrorSummary, Form } from '../../components/forms.tsx'
import { ChangeEffectList } from '../../components/outcome.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, Notice, DataTable } from '../../components/parts.tsx'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, requirePermission, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { DRY_RUN_BUTTON, type DryRunPreview, CONFIRM_BUTTON, runFormToolCall } from '../tool-call.ts'

const FIELDS = ['personalData', 'includeConfig', 'includeFiles', 'includeTestData'] as const

interface Preview {
  entities: { name: string; rows: number }[]
  estimatedBytes: number
  personal: string[]
  effects: { recipients: number }
}

const CONTENTS: Record<(typeof PERSONAL_DATA_LEVELS)[number], { label: string; help?: string }> = {
  none: { label: 'None', help: 'Names and free text are left out, and ids are replaced by pseudonyms.' },
  identity: { label: 'Names, email addresses and companies' },
  full: { label: 'All personal data' },
}

const formatSize = (bytes: number) =>
  bytes < 1_000_000 ? `${formatInteger(Math.ceil(bytes / 1000))} KB` : `${formatInteger(Math.ceil(bytes / 1_000_000))} MB`

function describeEffects({ entities, estimatedBytes, personal, effects }: Preview): string[] {
  const rows = entities.reduce((sum, one) => sum + one.rows, 0)
  return [
    `The archive has ${formatInteger(rows)} rows of ${formatInteger(entities.length)} kinds, about ${formatSize(estimatedBytes)} before compression.`,
    personal.length === 0
      ? 'It contains no personal data.'
      : `It contains personal data: ${formatInteger(personal.length)} fields, such as ${personal.slice(0, 3).join(', ')}.`,
    ...(effects.recipients > 0 ? [`${formatInteger(effects.recipients)} administrators are notified by email.`] : []),
    'The file is kept for 7 days. Only you and administrators can download it.',
  ]
}

interface ShownExport {
  form: FormValues
  refused?: AppError
  checked?: DryRunPreview<Preview>
}

/** `…/reports/export`: exports the whole event, after a preview. */
export function eventExportPages(web: WebServices) {
  const path = `${CONSOLE_EVENT_PATH}/reports/export`
  const show = (c: WebContext, at: EventPageContext, shown: ShownExport) => sendExportPage(web, c, at, shown)
  return createConsoleRouter(web)
    .get(path, async (c) => show(c, await openExport(web, c), { form: { includeConfig: 'on' } }))
    .post(path, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await openExport(web, c)
      const called = await runFormToolCall<Preview>(web, at, { tool: exportEvent, args: readArguments(form), form, fields: FIELDS })
      if ('done' in called) return c.redirect(`${at.base}/reports?done=run-started`, 303)
      if ('refused' in called) return show(c, at, { form, refused: called.refused })
      return show(c, at, 'checked' in called ? { form, checked: called.checked } : { form })
    })
}

async function openExport(web: WebServices, c: WebContext): Promise<EventPageContext> {
  const at = await getEventPageContext(web, c, 'reports.read')
  requirePermission(at.event.name, at.permissions, 'registration.read')
  return at
}

const readArguments = (form: FormValues) => ({
  personalData: PERSONAL_DATA_LEVELS.find((one) => one === form['personalData']) ?? 'none',
  includeConfig: Boolean(form['includeConfig']),
  includeFiles: Boolean(form['includeFiles']),
  includeTestData: Boolean(form['includeTestData']),
})

async function sendExportPage(web: WebServices, c: WebContext, at: EventPageContext, shown: ShownExport) {
  const { refused, checked } = shown
  const { exportAllowed } = await readReportSettings(at.reading)
  const page = renderContentPage(
    {
      title: `Export ${at.event.name}`,
      heading: 'Export event',
      text: 'All data of the event as CSV and JSON files in one ZIP archive, with checksums.',
      crumbs: [
        { href: at.base, label: at.event.name },
        { href: `${at.base}/reports`, label: 'Reports' },
      ],
    },
    <>
      <ErrorSummary message={refused?.message} />
      {exportAllowed ? null : <Notice tone="warning">Exports are turned off in the settings of {at.client.name}.</Notice>}
      <Card title="Contents">
        <Form action={`${at.base}/reports/export`} csrf={getCsrfToken(web, c)} class="stack">
          <ExportFields {...shown} hasPersonal={at.permissions.has('personal.export')} />
        </Form>
      </Card>
      {checked ? <ExportedRows entities={checked.result.entities} /> : null}
    </>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'reports'), refused ? { ...page, status: 400 } : page)
}

/** The form fields of an event export. After the preview, they include what the file will contain and the button that starts the export. */
function ExportFields({ form, checked, hasPersonal }: ShownExport & { hasPersonal: boolean }) {
  const options = PERSONAL_DATA_LEVELS.filter((one) => one === 'none' || hasPersonal)
  return (
    <>
      {Object.entries(checked?.hidden ?? {}).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <RadioGroup
        name="personalData"
        legend="Personal data"
        options={options.map((value) => ({ value, ...CONTENTS[value] }))}
        value={form['personalData'] ?? 'none'}
      />
      <Checkbox name="includeConfig" label="Settings of the event (draft and published version)" checked={Boolean(form['includeConfig'])} />
      <Checkbox name="includeFiles" label="Files of the library and uploads" checked={Boolean(form['includeFiles'])} />
      <Checkbox name="includeTestData" label="Test data" checked={Boolean(form['includeTestData'])} />
      {checked ? <ChangeEffectList effects={describeEffects(checked.result)} /> : null}
      <FormActions>
        <Button tone={checked ? undefined : 'primary'} {...DRY_RUN_BUTTON}>
          {checked ? 'Preview again' : 'Preview'}
        </Button>
        {checked ? (
          <Button tone="primary" {...CONFIRM_BUTTON}>
            Start the export
          </Button>
        ) : null}
      </FormActions>
    </>
  )
}

const ExportedRows = ({ entities }: Pick<Preview, 'entities'>) => (
  <Card title="Rows" pad={false}>
    <DataTable
      caption="Rows of the export"
      columns={[
        { label: 'Kind', lead: true, cell: ({ name }) => name },
        { label: 'Rows', number: true, cell: ({ rows }) => formatInteger(rows) },
      ]}
      rows={entities.filter(({ rows }) => rows > 0)}
    />
  </Card>
)
