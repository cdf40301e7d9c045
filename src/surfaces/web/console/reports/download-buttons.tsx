import { Button, Form } from '../../components/forms.tsx'
import type { EventPageContext } from '../event/event-page.ts'
import { PARAMETER_FIELD_PREFIX } from './parameter-form.tsx'
import { FILE_FORMAT_NAMES } from './run-table.tsx'

export const DOWNLOAD_FORMATS = ['csv', 'xlsx', 'pdf'] as const

/** Hidden fields with the page's parameter values, so that the file is created with the same values. */
export const listHiddenParameterFields = (query: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(query).filter(([name, value]) => name.startsWith(PARAMETER_FIELD_PREFIX) && value !== '')

interface DownloadProps {
  at: EventPageContext
  code: string
  query: Readonly<Record<string, string>>
  csrf: string
}

/** Buttons that create a file of a report with the current parameters. */
export const DownloadButtons = ({ at, code, query, csrf }: DownloadProps) => (
  <Form action={`${at.base}/reports/${code}/run`} csrf={csrf} class="row">
    {listHiddenParameterFields(query).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <span class="muted">Download</span>
    {DOWNLOAD_FORMATS.map((format) => (
      <Button name="format" value={format}>
        {FILE_FORMAT_NAMES[format]}
      </Button>
    ))}
  </Form>
)
