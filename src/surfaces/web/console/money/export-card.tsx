import { Button, Form, Input, Select } from '../../components/forms.tsx'
import { addDays } from '../../../../kernel/time.ts'
import type { EventPageContext } from '../event/event-page.ts'

export const EXPORTS = [
  { value: 'movements', label: 'Payments and refunds' },
  { value: 'invoices', label: 'Open invoices' },
] as const

interface ExportCardProps {
  at: EventPageContext
  csrf: string
  today: string
  isTestData: boolean
}

/** The form that downloads payments or open invoices as CSV. */
export const ExportCard = ({ at, csrf, today, isTestData }: ExportCardProps) => (
  <section class="card" id="export" aria-labelledby="export-title">
    <header>
      <h2 id="export-title">Export</h2>
    </header>
    <div class="card-body">
      <Form action={`${at.base}/money/export`} csrf={csrf}>
        {isTestData ? <input type="hidden" name="test" value="yes" /> : null}
        <div class="fields-3">
          <Select name="contents" label="Contents" options={EXPORTS} value="movements" />
          <Input name="from" type="date" label="From" value={addDays(today, -90)} />
          <Input name="until" type="date" label="Until" value={today} />
        </div>
        <p class="hint">
          The days apply to payments and refunds. Open invoices are listed as of now.
          {at.permissions.has('personal.export') ? '' : ' Bank references are left out because you may not export personal data.'}
        </p>
        <div class="actions">
          <Button>Export CSV</Button>
        </div>
      </Form>
    </div>
  </section>
)
