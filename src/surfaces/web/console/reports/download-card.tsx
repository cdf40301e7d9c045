import type { ReportRunRow } from '../../../../domains/reports/runs/tables.ts'
import { Actions, Button, Form } from '../../components/forms.tsx'
import { Card } from '../../components/parts.tsx'
import type { EventPageContext } from '../event/event-page.ts'
import { PARAMETER_PREFIX } from './parameter-form.tsx'
import { FORMAT_NAMES, RunTable } from './run-table.tsx'

export const DOWNLOAD_FORMATS = ['csv', 'xlsx', 'pdf'] as const

/** Hidden fields with the page's parameter values, so that the file is created with the same values. */
export const keepParameters = (query: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(query).filter(([name, value]) => name.startsWith(PARAMETER_PREFIX) && value !== '')

interface DownloadProps {
  at: EventPageContext
  code: string
  query: Readonly<Record<string, string>>
  runs: readonly ReportRunRow[]
  csrf: string
}

/** Buttons that create a file of a report with the current parameters, and the latest files. */
export const DownloadCard = ({ at, code, query, runs, csrf }: DownloadProps) => (
  <>
    <Card title="Download">
      <Form action={`${at.base}/reports/${code}/run`} csrf={csrf} class="report-downloads">
        {keepParameters(query).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <Actions>
          {DOWNLOAD_FORMATS.map((format) => (
            <Button name="format" value={format}>
              {FORMAT_NAMES[format]}
            </Button>
          ))}
        </Actions>
      </Form>
    </Card>
    {runs.length > 0 ? <RunTable at={at} runs={runs} csrf={csrf} /> : null}
  </>
)
