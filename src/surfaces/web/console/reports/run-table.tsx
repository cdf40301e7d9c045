import type { ReportRunRow } from '../../../../domains/reports/runs/tables.ts'
import { formatInteger } from '../../components/figures.tsx'
import { Button, Form } from '../../components/forms.tsx'
import { Card, StatusDot, DataTable, type TableColumn, TimestampText, type ColourTone } from '../../components/parts.tsx'
import type { EventPageContext } from '../event/event-page.ts'

const TONES: Partial<Record<ReportRunRow['status'], ColourTone>> = {
  queued: 'warning',
  running: 'warning',
  done: 'success',
  failed: 'danger',
}
const LABELS: Partial<Record<ReportRunRow['status'], string>> = { queued: 'waiting', running: 'being written', done: 'ready' }

export const FILE_FORMAT_NAMES: Record<string, string> = { csv: 'CSV', xlsx: 'Excel', pdf: 'PDF', html: 'HTML', json: 'JSON', zip: 'ZIP' }

/** The table of report runs with their state and file. Waiting and running ones can be cancelled. */
export const ReportRunTable = ({ at, runs, csrf }: { at: EventPageContext; runs: readonly ReportRunRow[]; csrf: string }) => {
  const columns: TableColumn<ReportRunRow>[] = [
    {
      label: 'File',
      lead: true,
      cell: (run) => {
        const name = `${run.name}, ${FILE_FORMAT_NAMES[run.format] ?? run.format}`
        return run.status === 'done' ? (
          <a href={`${at.base}/reports/runs/${run.id}/file`} dir="auto">
            {name}
          </a>
        ) : (
          <bdi>{name}</bdi>
        )
      },
    },
    { label: 'Rows', number: true, cell: ({ rows }) => (rows === null ? '' : formatInteger(rows)) },
    { label: 'Run by', cell: ({ requested_by_name }) => <bdi>{requested_by_name}</bdi> },
    { label: 'Started', cell: ({ created_at }) => <TimestampText at={created_at} /> },
    { label: 'Kept until', cell: ({ status, expires_at }) => (status === 'done' && expires_at ? <TimestampText at={expires_at} /> : '') },
    {
      label: 'Status',
      cell: ({ status, error, contains_personal }) => (
        <>
          <StatusDot tone={TONES[status]}>{LABELS[status] ?? status}</StatusDot>
          {status === 'done' && contains_personal ? <div class="muted">Personal data</div> : null}
          {error ? <div class="muted">{error}</div> : null}
        </>
      ),
    },
    {
      label: '',
      cell: ({ id, name, status }) =>
        status === 'queued' || status === 'running' ? (
          <Form action={`${at.base}/reports/runs/${id}/cancel`} csrf={csrf}>
            <Button small>
              Cancel<span class="hidden"> {name}</span>
            </Button>
          </Form>
        ) : null,
    },
  ]
  return (
    <Card title="Files" pad={false}>
      <DataTable caption="Files of reports" columns={columns} rows={runs} />
    </Card>
  )
}
