import { Button, Form, Input, Select } from '../../components/forms.tsx'
import { addDays } from '../../../../kernel/time.ts'
import type { EventPageContext } from '../event/event-page.ts'

export const MONEY_EXPORT_OPTIONS = [
  { value: 'movements', label: 'Payments and refunds' },
  { value: 'invoices', label: 'Open invoices' },
  { value: 'journal', label: 'Accounting journal' },
] as const

interface ExportCardProps {
  at: EventPageContext
  csrf: string
  today: string
  isTestData: boolean
}

/** The form that exports payments, open invoices or the accounting journal as CSV or Excel. */
export const ExportCard = ({ at, csrf, today, isTestData }: ExportCardProps) => {
  const mayRunReports = at.permissions.has('reports.read')
  const exports = MONEY_EXPORT_OPTIONS.filter(({ value }) => value !== 'journal' || (mayRunReports && !isTestData))
  return (
    <section class="card" id="export" aria-labelledby="export-title">
      <header>
        <h2 id="export-title">Export</h2>
      </header>
      <div class="card-body">
        <Form action={`${at.base}/money/export`} csrf={csrf}>
          {isTestData ? <input type="hidden" name="test" value="yes" /> : null}
          <div class="fields-3">
            <Select name="contents" label="Contents" options={exports} value="movements" />
            <Input name="from" type="date" label="From" value={addDays(today, -90)} />
            <Input name="until" type="date" label="Until" value={today} />
          </div>
          <p class="hint">
            The days apply to payments and the journal. Open invoices are listed as of now.
            {exports.length === MONEY_EXPORT_OPTIONS.length
              ? ' The accounting journal is created in the background and kept under Reports for 7 days.'
              : ''}
            {at.permissions.has('personal.export') ? '' : ' Bank references are left out because you may not export personal data.'}
          </p>
          <div class="actions">
            <Button name="format" value="csv">
              Export CSV
            </Button>
            <Button name="format" value="xlsx">
              Export Excel
            </Button>
          </div>
        </Form>
      </div>
    </section>
  )
}
